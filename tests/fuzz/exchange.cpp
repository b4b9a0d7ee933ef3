#include <dyadic/kernel_sums.hpp>

#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

namespace {

/// Expects that a refused call has written nothing.
void expect_unchanged_if_refused(const memory& m, std::size_t i, q::status s) {
  if (s != q::status::ok) expect(m.is_unchanged(i), "what is refused writes nothing");
}

/// Draws kernel sums, folds them, and stores and loads them.
template <class X, class W, class Sum, class Accumulator>
void draw_sums(reader& r, tally& t) {
  using stored = std::conditional_t<std::is_same_v<W, q::int4>, std::uint8_t, typename q::operand<W>::value_type>;
  memory m(r);
  const index_t channels = r.size(4);
  const index_t depth = r.size(9);
  // Other blocks may share memory with the sums.
  const index_t sums_size = r.near(channels);
  const block<Sum> sums_block = m.output<Sum>(extent_of(sums_size));
  const q::view<Sum> sums(sums_block.data, sums_size);
  const bool is_depthwise = r.one_in(4);  // the sums are of the columns
  const index_t rows = r.near(is_depthwise ? depth : channels);
  const index_t cols = r.near(is_depthwise ? channels : depth);
  const index_t stride = r.near((is_depthwise ? channels : depth) + r.between(0, 2));
  const extent e = extent_of(rows, cols, stride);
  const block<stored> w_block = m.input<stored>(std::is_same_v<W, q::int4> ? in_halves(e) : e);
  const q::matrix_view<const W> w(w_block.data, rows, cols, stride);
  const q::zero_points zero{any_zero<X>(r), any_zero<W>(r)};
  if (!m.impossible() && !m.holds_all()) return;

  std::vector<Sum*> written;
  for (index_t o = 0; o < sums_size && sums_block.holds == held::all && sums_block.data != nullptr; ++o)
    written.push_back(sums_block.data + o);
  m.remember();
  m.paint(0xA5);
  const q::status summed = t.add(op::kernel_sums, is_depthwise ? q::depthwise_kernel_sums(w, sums) : q::kernel_sums(w, sums));
  if (summed != q::status::ok || m.impossible()) written.clear();
  expect(m.all_else_is_unchanged(0xA5, written), "kernel sums are written alone");
  if (m.impossible()) expect(summed != q::status::ok, "what no memory can hold is refused");
  if (!r.faulty()) expect(summed == q::status::ok, "kernel sums without a fault are computed");
  if (m.impossible() || sums_block.data == nullptr) return;
  if (summed == q::status::ok)
    for (index_t o = 0; o < (is_depthwise ? cols : rows); ++o) {
      std::int64_t sum = 0;
      for (index_t k = 0; k < (is_depthwise ? rows : cols); ++k)
        sum += weight_at<W>(w_block.data, is_depthwise ? k * stride + o : o * stride + k);
      expect(sum == sums_block.data[o], "a kernel sum is the sum of the weights");
    }
  else
    for (index_t o = 0; o < sums_size; ++o) sums_block.data[o] = static_cast<Sum>(r.integer());

  // The folds are computed from these sums, right or wrong.
  bias_values known;
  const auto with = [&](auto biases, bool may_read) {
    if (!may_read) return;
    const std::vector<Sum> remembered(sums.begin(), sums.end());
    const auto sums_are_unchanged = [&] { return std::equal(sums.begin(), sums.end(), remembered.begin()); };
    const index_t size = r.near(channels);
    const block<Accumulator> constants = m.writable<Accumulator>(extent_of(size));
    const std::size_t constants_at = m.last();
    if (!constants.may_read()) return;
    m.remember();
    const auto folded =
        q::fold_kernel_sums<X, W>(sums, r.near(depth), biases, near_zero(r, zero), q::view<Accumulator>(constants.data, size));
    expect_unchanged_if_refused(m, constants_at, t.add(op::fold_kernel_sums, folded.status));
    if (!r.faulty()) expect(folded.status == q::status::ok, "kernel sums without a fault are folded");
    if (folded.status != q::status::ok || m.impossible()) return;
    expect(sums_are_unchanged(), "a fold of kernel sums leaves them");

    const index_t out_size = r.near(channels);
    const block<Accumulator> other = m.writable<Accumulator>(extent_of(out_size));
    const bool in_place = r.one_in(3);
    if (!other.may_read()) return;
    m.remember();
    auto to = in_place ? q::view<Accumulator>(constants.data, size) : q::view<Accumulator>(other.data, out_size);
    if constexpr (std::is_same_v<Sum, Accumulator>)
      if (r.fault(4)) to = sums;
    auto from = folded.value;
    const bool is_other = r.fault();
    if (is_other) tamper(r, from.record);
    const auto refolded = q::refold(from, sums, r.near32(value_in<X>(r, q::operand<X>::min, q::operand<X>::max)), to);
    if (to.data() == other.data) expect_unchanged_if_refused(m, m.last(), refolded.status);
    if (!r.faulty()) expect(refolded.status == q::status::ok, "a fold without a fault is folded again");
    if (t.add(op::refold, refolded.status) != q::status::ok || is_other) return;
    const auto back = q::refold(refolded.value, sums, folded.value.record.zero.x, to);
    expect(back.status == q::status::ok, "a zero point can be taken back");

    expect(sums_are_unchanged(), "a fold of kernel sums leaves them");

    const index_t int32_size = r.near(channels);
    const block<std::int32_t> exported = m.writable<std::int32_t>(extent_of(int32_size));
    if (!exported.may_read()) return;
    m.remember();
    const q::view<std::int32_t> kernel_sum(exported.data, int32_size);
    const q::status out = t.add(op::to_kernel_sum, q::executorch::cortex_m::to_kernel_sum(back.value, kernel_sum));
    expect_unchanged_if_refused(m, m.last(), out);
    const index_t depth_again = r.near(depth);
    const q::zero_points zero_again = near_zero(r, folded.value.record.zero);
    const auto in =
        q::executorch::cortex_m::from_kernel_sum<X, W>(q::view<const std::int32_t>(kernel_sum), depth_again, zero_again);
    t.note(op::from_kernel_sum, in.status);
    if (!r.faulty()) expect(in.status == q::status::ok, "an exported fold is imported");
    const auto buffer = q::cmsis_nn::from_context<X, W>(q::view<const std::int32_t>(kernel_sum), depth_again,
                                                        {r.near32(-zero.x), r.near32(-zero.w)});
    t.note(op::from_kernel_sum, buffer.status);
  };
  with_bias(r, m, channels, known, with);
}

/// Draws arrays of pairs and reads them as multipliers.
template <class Mantissa, class Int>
void draw_pairs(reader& r, tally& t) {
  using multiplier = q::multiplier<Mantissa>;
  memory m(r);
  const index_t channels = r.size(5);
  const index_t size = r.near(channels);
  const block<multiplier> block_of_to = m.output<multiplier>(extent_of(size));
  constexpr int bits = sizeof(Mantissa) == 2 ? 15 : 31;
  const q::view<const Int> mantissas = any_array<Int>(r, m, r.near(channels), any_mantissa<Int, bits>);
  const q::view<const Int> shifts = any_array<Int>(r, m, r.near(channels), any_shift<Int, 2, 62>);
  if (!block_of_to.may_read()) return;
  const q::view<multiplier> to(block_of_to.data, size);
  m.remember();
  m.paint(0x5A);
  const bool left = sizeof(Mantissa) == 4 && r.one_in(2);
  const q::status s =
      t.add(op::from_pairs, left ? q::tflite::from_pairs(mantissas, shifts, to) : q::tosa::from_pairs(mantissas, shifts, to));
  if (!r.faulty()) expect(s == q::status::ok, "pairs without a fault are accepted");
  if (m.impossible()) expect(s != q::status::ok, "what no memory can hold is refused");
  std::vector<multiplier*> written;
  if (s == q::status::ok)
    for (index_t i = 0; i < size; ++i) written.push_back(block_of_to.data + i);
  expect(m.all_else_is_unchanged(0x5A, written), "multipliers are written alone");
}

}  // namespace

void draw_kernel_sums(reader& r, tally& t) {
  switch (r.byte() % 4) {
    case 0: return draw_sums<std::int16_t, std::int8_t, std::int64_t, std::int64_t>(r, t);
    case 1: return draw_sums<std::int8_t, std::int8_t, std::int32_t, std::int32_t>(r, t);
    case 2: return draw_sums<std::int16_t, q::int4, std::int32_t, std::int64_t>(r, t);
    default: return draw_sums<std::uint8_t, std::uint8_t, std::int64_t, std::int32_t>(r, t);
  }
}

void draw_from_pairs(reader& r, tally& t) {
  switch (r.byte() % 3) {
    case 0: return draw_pairs<std::int32_t, std::int32_t>(r, t);
    case 1: return draw_pairs<std::int16_t, std::int64_t>(r, t);
    default: return draw_pairs<std::int32_t, std::int64_t>(r, t);
  }
}

}  // namespace fuzz
