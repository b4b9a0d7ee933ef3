#include <dyadic/cpu.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/pack.hpp>
#include <dyadic/verify.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "../support/catch.hpp"
#include "../support/operations.hpp"
#include "../support/random.hpp"

namespace q = dyadic;

namespace {

/// Packs panels of Nr channels and Kr weights of the depth. SumBytes bytes of sums end a panel; a sum begins at element
/// FirstSummed of each group. A group has Parts parts. An int4 has Bits bits. Up to Narrow channels form a panel of their own
/// width. Scalar code runs its layers.
template <q::index_t Nr, q::index_t Kr, q::index_t SumBytes = 0, q::index_t FirstSummed = 0, q::index_t Parts = 1,
          q::index_t Bits = 8, q::index_t Narrow = 0>
struct panels {
  using fallback = q::backend::scalar;
  static constexpr const char* name = "panels";
};

}  // namespace

template <q::index_t Nr, q::index_t Kr, q::index_t SumBytes, q::index_t FirstSummed, q::index_t Parts, q::index_t Bits,
          q::index_t Narrow, class X, class W>
inline constexpr q::packed_layout dyadic::packed_layout_of<panels<Nr, Kr, SumBytes, FirstSummed, Parts, Bits, Narrow>, X, W>{
    Nr,
    Kr,
    SumBytes,
    FirstSummed,
    Parts,
    std::is_same_v<W, q::int4> ? Bits : 8,
    std::is_same_v<W, q::int4> ? 0 : Narrow,
    false,
    std::is_same_v<W, q::int4> || Narrow == 0 || Parts > 1 ? 0 : 3};

namespace {

constexpr q::index_t most = q::limits<q::index_t>::max;

constexpr std::int8_t weights[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -128};  // 4 rows of 3

/// Returns whether the first rows of 3 weights are packed as `expected`, nothing else is written, and the weights are read back.
template <class Backend, q::index_t Rows = 4, std::size_t N>
constexpr bool packs_as(const std::int8_t (&expected)[N]) {
  std::int8_t storage[N + 1] = {};
  for (std::int8_t& byte : storage) byte = 99;
  const auto packed = q::pack<Backend, std::int16_t>(q::matrix_view(weights, Rows, 3), storage);
  if (packed.status != q::status::ok || q::packed_size<Backend, std::int16_t, std::int8_t>(Rows, 3) != N) return false;
  if (packed.value.measure() != N) return false;
  for (std::size_t i = 0; i < N; ++i)
    if (storage[i] != expected[i]) return false;
  for (q::index_t r = 0; r < Rows; ++r)
    for (q::index_t k = 0; k < 3; ++k)
      if (packed.value.row(r)[k] != weights[r * 3 + k] || (packed.value.row(r) + 1)[k - 1] != weights[r * 3 + k]) return false;
  return storage[N] == 99;
}

// The weights are packed in their own order.
static_assert(packs_as<panels<1, 1>>({1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -128}));
static_assert(packs_as<q::backend::scalar>({1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -128}));
// Columns are transposed. The last panel lacks columns.
static_assert(packs_as<panels<3, 1>>({1, 4, 7, 2, 5, 8, 3, 6, 9, -1, 0, 0, -2, 0, 0, -128, 0, 0}));
// Pairs along the depth. The second pair has one weight.
static_assert(packs_as<panels<3, 2>>({1, 2, 4, 5, 7, 8, 3, 0, 6, 0, 9, 0, -1, -2, 0, 0, 0, 0, -128, 0, 0, 0, 0, 0}));
static_assert(packs_as<panels<2, 4>>({1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, -1, -2, -128, 0}));
// The two halves of a group alternate, and so do the three pairs of a group.
static_assert(packs_as<panels<2, 4, 0, 0, 2>>({1, 3, 2, 0, 4, 6, 5, 0, 7, 9, 8, 0, -1, -128, -2, 0}));
static_assert(packs_as<panels<1, 6, 0, 0, 3>>({1, 3, 0, 2, 0, 0, 4, 6, 0, 5, 0, 0, 7, 9, 0, 8, 0, 0, -1, -128, 0, -2, 0, 0}));
// Sums end each panel, the least significant byte first: 6, 15, 24 and -131, which is FF..FF7D.
static_assert(packs_as<panels<2, 2, 8>>({1, 2, 4,  5,  3, 0, 6,    0, 6,  0, 0, 0, 0, 0, 0, 0, 15,  0,  0,  0,  0,  0,  0,  0,
                                         7, 8, -1, -2, 9, 0, -128, 0, 24, 0, 0, 0, 0, 0, 0, 0, 125, -1, -1, -1, -1, -1, -1, -1}));
// Sums of the second element of each pair alone: 2, 5, 8 and -2. A sum has two bytes.
static_assert(packs_as<panels<2, 2, 2, 1>>({1, 2, 4, 5, 3, 0, 6, 0, 2, 0, 5, 0, 7, 8, -1, -2, 9, 0, -128, 0, 8, 0, -2, -1}));
// The sum of a missing column is 0.
static_assert(packs_as<panels<3, 4, 1>>({1,  2,  3,    0, 4, 5, 6, 0, 7, 8, 9, 0, 6,   15, 24,
                                         -1, -2, -128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 125, 0,  0}));

// A last panel of its own width, with one channel and with four. Zeros fill what vectors of all columns read past it: 2 columns
// of 2 elements, and 2 columns of 1.
static_assert(packs_as<panels<3, 2, 0, 0, 1, 8, 2>>({1, 2, 4, 5, 7, 8, 3, 0, 6, 0, 9, 0, -1, -2, -128, 0, 0, 0, 0, 0}));
static_assert(packs_as<panels<6, 1, 0, 0, 1, 8, 4>>({1, 4, 7, -1, 2, 5, 8, -2, 3, 6, 9, -128, 0, 0}));
// Up to three channels are rows. Zeros follow the last row, because vectors of all columns read past it.
static_assert(packs_as<panels<4, 2, 0, 0, 1, 8, 3>, 3>({1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0}));
// Each row ends in its sum.
static_assert(packs_as<panels<3, 2, 2, 0, 1, 8, 1>, 2>({1, 2, 3, 0, 6, 0, 4, 5, 6, 0, 15, 0, 0, 0}));
// Not stored as rows: parts of groups, and a layout whose panels have all columns.
static_assert(packs_as<panels<4, 2, 0, 0, 2, 8, 3>, 2>({1, 2, 4, 5, 3, 0, 6, 0, 0, 0, 0, 0}));
static_assert(packs_as<panels<2, 2>, 2>({1, 2, 4, 5, 3, 0, 6, 0}));
// The last panel has one channel more than a narrow panel.
static_assert(packs_as<panels<5, 1, 0, 0, 1, 8, 3>>({1, 4, 7, -1, 0, 2, 5, 8, -2, 0, 3, 6, 9, -128, 0}));
// Sums follow the weights of a narrow panel. Zeros follow the sums if vectors read more bytes than the sums have.
static_assert(packs_as<panels<3, 2, 4, 0, 1, 8, 1>>({1,  2, 4, 5, 7,  8, 3, 0, 6,  0,  9,    0, 6,   0,  0,  0,
                                                     15, 0, 0, 0, 24, 0, 0, 0, -1, -2, -128, 0, 125, -1, -1, -1}));
static_assert(packs_as<panels<3, 4, 2, 0, 1, 8, 2>>({1, 2,  3, 0,  4,  5,    6, 0,   7,  8, 9, 0, 6, 0, 15,
                                                     0, 24, 0, -1, -2, -128, 0, 125, -1, 0, 0, 0, 0, 0, 0}));

/// Returns whether two rows of three int4 are packed as `expected`: 1, 2, 3; -8, -1, 7.
template <class Backend, std::size_t N>
constexpr bool packs_int4_as(const std::int8_t (&expected)[N]) {
  const std::uint8_t w[] = {0x21, 0x83, 0x7F};
  std::int8_t storage[N + 1] = {};
  for (std::int8_t& byte : storage) byte = 99;
  const auto packed = q::pack<Backend, std::int8_t>(q::matrix_view<const q::int4>(w, 2, 3), storage);
  for (std::size_t i = 0; i < N; ++i)
    if (storage[i] != expected[i]) return false;
  return packed.status == q::status::ok && packed.value.row(1)[2] == 7 && packed.value.row(1)[0] == -8 && storage[N] == 99 &&
         q::packed_size<Backend, std::int8_t, q::int4>(2, 3) == N;
}
static_assert(packs_int4_as<panels<2, 2>>({1, 2, -8, -1, 3, 0, 7, 0}));
// A byte is 16 * second + first + 8. Halves of a group: 1 and 2 by -8 and -1, 3 and 0 by 7 and 0. Alternating: 1 and -8, 2 and
// -1.
static_assert(packs_int4_as<panels<2, 2, 0, 0, 1, 4>>({16 * -8 + 1 + 8, 16 * -1 + 2 + 8, 16 * 7 + 3 + 8, 0 + 0 + 8}));
static_assert(packs_int4_as<panels<2, 1, 0, 0, 1, 4>>({16 * -8 + 1 + 8, 16 * -1 + 2 + 8, 16 * 7 + 3 + 8}));
static_assert(packs_int4_as<panels<1, 2, 0, 0, 1, 4>>({16 * 2 + 1 + 8, 3 + 8, 16 * -1 - 8 + 8, 7 + 8}));
static_assert(packs_int4_as<q::backend::scalar>({16 * 2 + 1 + 8, 3 + 8, 16 * -1 - 8 + 8, 7 + 8}));
// A half that ends inside the first channel of a group, then parts and sums.
static_assert(packs_int4_as<panels<3, 2, 0, 0, 1, 4>>({16 * -1 + 1 + 8, 2 + 8, -8 + 8, 0 + 3 + 8, 8, 7 + 8}));
static_assert(packs_int4_as<panels<2, 4, 1, 0, 2, 4>>({16 * -8 + 1 + 8, 16 * 7 + 3 + 8, 16 * -1 + 2 + 8, 8, 6, -2}));

/// Checks a sum that needs two bytes: 381 is 125 and 1.
constexpr bool packs_a_wide_sum() {
  const std::int8_t w[] = {127, 127, 127};
  std::int8_t storage[5] = {};
  return q::pack<panels<1, 1, 2>, std::int16_t>(q::matrix_view(w, 1, 3), storage).status == q::status::ok && storage[3] == 125 &&
         storage[4] == 1;
}
static_assert(packs_a_wide_sum());

/// Checks that two layouts are equal if all their numbers are equal.
constexpr bool layouts_compare_each_number() {
  const q::packed_layout same{4, 4};
  for (const auto number :
       {&q::packed_layout::nr, &q::packed_layout::kr, &q::packed_layout::sum_bytes, &q::packed_layout::first_summed,
        &q::packed_layout::parts, &q::packed_layout::bits, &q::packed_layout::narrow, &q::packed_layout::rows}) {
    q::packed_layout other = same;
    ++(other.*number);
    if (other == same) return false;
  }
  return same == q::packed_layout{4, 4, 0, 0, 1, 8, 0};
}
static_assert(layouts_compare_each_number());

/// Kernels for a layout run matrices of bytes, int4 and int16, and weights that are packed in their order.
struct kernels_of_panels {
  template <class X, class W>
  static constexpr q::packed_layout layout() {
    return {3, 2};
  }
};
template <class W, class X>
constexpr bool runs_matrix = q::detail::weights_traits<q::matrix_view<const W>>::template runs_in<kernels_of_panels, X>();
template <class Backend, class X>
constexpr bool runs_packed =
    q::detail::weights_traits<q::packed_matrix<Backend, X, std::int8_t>>::template has_panels<kernels_of_panels, X>();
static_assert(runs_matrix<std::int8_t, std::int8_t> && runs_matrix<q::int4, std::int16_t> &&
              runs_matrix<std::int16_t, std::int16_t>);
static_assert(!runs_matrix<std::uint16_t, std::int16_t> && !runs_matrix<std::int8_t, std::uint16_t>);
static_assert(runs_packed<panels<3, 2>, std::int16_t> && !runs_packed<panels<2, 2>, std::int16_t> &&
              !runs_packed<panels<3, 2>, std::uint16_t>);

/// Says whether a layer of packed weights accepts activations of type X. It accepts only the type for which the weights were
/// packed.
template <class P, class X>
constexpr bool takes =
    q::detail::operation_with<q::op::linear, std::int8_t, q::packed_matrix<panels<3, 2>, P, std::int8_t>>::template takes<X>;
static_assert(takes<std::int16_t, std::int16_t> && !takes<std::int16_t, std::int8_t>);

/// Checks rows with a gap after each row.
constexpr bool packs_with_a_stride() {
  const std::uint8_t w[] = {200, 201, 99, 202, 203};
  std::int8_t storage[4] = {};
  const auto packed = q::pack<panels<2, 1>, std::uint8_t>(q::matrix_view<const std::uint8_t>(w, 2, 2, 3), storage);
  return packed.value.row(0)[1] == 201 && packed.value.row(1)[0] == 202 && storage[1] == static_cast<std::int8_t>(202);
}
static_assert(packs_with_a_stride());

template <class Backend>
constexpr q::index_t size(q::index_t rows, q::index_t cols) {
  return q::packed_size<Backend, std::int16_t, std::int8_t>(rows, cols);
}
static_assert(size<panels<3, 2>>(0, 5) == 0 && size<panels<3, 2>>(5, 0) == 0 && size<panels<3, 2, 8>>(0, most) == 0);
static_assert(size<panels<3, 2, 8>>(most, 0) == 0);
static_assert(size<panels<3, 2>>(1, 1) == 6 && size<panels<3, 2, 8>>(1, 1) == 30);
// The largest numbers of rows and columns whose size is computed. A size of 1 more would not fit a view.
static_assert(size<panels<3, 1>>(most - 3, 1) == most - 1 && size<panels<3, 1>>(most - 2, 1) == -1);
static_assert(size<panels<3, 1>>(most, 1) == -1 && size<panels<3, 1>>(1, most) == -1);
static_assert(size<panels<1, 2>>(1, most - 2) == most - 1 && size<panels<1, 2>>(1, most - 1) == -1);
static_assert(size<panels<1, 1, 8>>(1, most - 9) == most - 1 && size<panels<1, 1, 8>>(1, most - 8) == -1);
static_assert(size<panels<2, 1>>(1, most / 2 - 1) == most - 3 && size<panels<2, 1>>(1, most / 2) == -1);
// A narrow last panel. The size is -1 if whole panels would exceed the largest size.
static_assert(size<panels<4, 2, 0, 0, 1, 8, 3>>(4, 5) == 24 && size<panels<4, 2, 0, 0, 1, 8, 3>>(5, 5) == 24 + 6 + 6 &&
              size<panels<4, 2, 0, 0, 1, 8, 3>>(7, 5) == 24 + 18 + 2 && size<panels<4, 2, 0, 0, 1, 8, 3>>(0, 5) == 0);
static_assert(size<panels<3, 1, 0, 0, 1, 8, 2>>(1, most) == -1);
static_assert(size<panels<2, 1>>(2, most / 2 - 1) == most - 3 && size<panels<2, 1>>(3, most / 2 - 1) == -1);

/// Checks that all weights of each row are read back, and that exactly packed_size elements are written.
template <class Backend, class X, class W>
void reads_back() {
  support::random_bits random;
  for (const q::index_t rows : {1, 3, 8, 33})
    for (const q::index_t cols : {0, 1, 7, 16, 37}) {
      support::values v(static_cast<std::size_t>(rows * cols));
      for (auto& one : v) one = random.between(q::operand<W>::min, q::operand<W>::max);
      const auto stored = support::as_stored<W>(v);
      const q::matrix_view<const W> w(stored.data(), rows, cols);
      const q::index_t n = q::packed_size<Backend, X, W>(rows, cols);
      std::vector<std::int8_t> storage(static_cast<std::size_t>(n) + 1, 99);
      const auto packed = q::pack<Backend, X>(w, q::view<std::int8_t>(storage.data(), n));
      REQUIRE(packed.status == q::status::ok);
      REQUIRE(storage.back() == 99);
      std::size_t different = 0;
      for (q::index_t r = 0; r < rows; ++r)
        for (q::index_t k = 0; k < cols; ++k) different += packed.value.row(r)[k] != v[static_cast<std::size_t>(r * cols + k)];
      CHECK(different == 0);
    }
}
template <class Backend>
void reads_back_all_types() {
  reads_back<Backend, std::int16_t, std::int8_t>();
  reads_back<Backend, std::int16_t, q::int4>();
  reads_back<Backend, std::int8_t, std::int8_t>();
  reads_back<Backend, std::int8_t, q::int4>();
  reads_back<Backend, std::uint8_t, std::uint8_t>();
}

}  // namespace

TEST_CASE("packed weights are read back unchanged, in the order of each backend") {
  q::for_each_backend([](auto backend, bool) { reads_back_all_types<decltype(backend)>(); });
  reads_back_all_types<panels<5, 3, 8, 1>>();
  reads_back_all_types<panels<3, 7>>();
  reads_back_all_types<panels<6, 4, 8, 1, 2, 4>>();
  reads_back_all_types<panels<3, 2, 0, 0, 1, 4>>();
  reads_back_all_types<panels<16, 4, 8, 0, 1, 8, 15>>();
  reads_back_all_types<panels<5, 2, 0, 0, 2, 8, 3>>();
}

/// Checks the sums that end a panel of 3 channels with the last channel missing. Some layouts are packed by words, others are
/// not.
template <q::index_t Kr, q::index_t FirstSummed, q::index_t Parts>
void sums_of(const std::vector<std::int8_t>& w, q::index_t depth) {
  using backend = panels<3, Kr, 8, FirstSummed, Parts>;
  const q::index_t n = q::packed_size<backend, std::int8_t, std::int8_t>(2, depth);
  std::vector<std::int8_t> storage(static_cast<std::size_t>(n), 99);
  REQUIRE(q::pack<backend, std::int8_t>(q::matrix_view(w.data(), 2, depth), storage).status == q::status::ok);
  for (q::index_t c = 0; c < 3; ++c) {
    std::int64_t sum = 0;
    for (q::index_t k = 0; c < 2 && k < depth; ++k)
      if (k % Kr >= FirstSummed) sum += w[static_cast<std::size_t>(c * depth + k)];
    std::uint64_t packed = 0;
    for (q::index_t byte = 8; byte > 0; --byte)
      packed = packed << 8 | static_cast<std::uint8_t>(storage[static_cast<std::size_t>(n - 24 + 8 * c + byte - 1)]);
    CHECK(static_cast<std::int64_t>(packed) == sum);
  }
}
TEST_CASE("the sums at the end of a panel are exact, also for many extreme weights") {
  support::random_bits random;
  for (const q::index_t depth : {1, 7, 8, 9, 15, 16, 37, 1023, 1024, 1025, 1032, 2055, 4099})
    for (const int first : {-128, 127, 0}) {
      std::vector<std::int8_t> w(static_cast<std::size_t>(2 * depth));
      for (auto& one : w) one = static_cast<std::int8_t>(first != 0 ? first : random.between(-128, 127));
      sums_of<2, 0, 1>(w, depth);
      sums_of<4, 0, 1>(w, depth);
      sums_of<8, 0, 1>(w, depth);
      sums_of<3, 0, 1>(w, depth);
      sums_of<4, 1, 1>(w, depth);
      sums_of<4, 0, 2>(w, depth);
    }
}

template <class Backend, class X>
void takes_half(q::index_t rows) {
  constexpr q::packed_layout bytes = q::packed_layout_of<Backend, X, std::int8_t>;
  constexpr q::packed_layout nibbles = q::packed_layout_of<Backend, X, q::int4>;
  CHECK(2 * (q::packed_size<Backend, X, q::int4>(rows, 48) - rows * nibbles.sum_bytes) ==
        q::packed_size<Backend, X, std::int8_t>(rows, 48) - rows * bytes.sum_bytes);
  CHECK(q::packed_size<Backend, X, q::int4>(33, 48) == (33 + nibbles.nr - 1) / nibbles.nr * nibbles.panel_size(48));
}
TEST_CASE("packed 4-bit weights of whole panels take half of the bytes of 8-bit weights") {
  q::for_each_backend([](auto backend, bool) {
    for (const q::index_t rows : {64, 128}) {
      takes_half<decltype(backend), std::int8_t>(rows);
      takes_half<decltype(backend), std::int16_t>(rows);
      takes_half<decltype(backend), std::uint8_t>(rows);
    }
  });
}

/// The extra bytes are those that a vector of the widest backend reads past the weights, and the sums of a few channels.
TEST_CASE("packed weights of a few channels take few more bytes than the weights") {
  q::for_each_backend([](auto backend, bool) {
    using tested = decltype(backend);
    constexpr bool has_narrow = q::packed_layout_of<tested, std::int16_t, std::int8_t>.narrow > 0;
    for (q::index_t rows = 1; has_narrow && rows <= 16; ++rows)
      for (const q::index_t cols : {96, 97, 256, 1152}) {
        CHECK(10 * q::packed_size<tested, std::int16_t, std::int8_t>(rows, cols) <= 13 * rows * cols + 620);
        CHECK(10 * q::packed_size<tested, std::int8_t, std::int8_t>(rows, cols) <= 13 * rows * cols + 1240);
      }
  });
}

TEST_CASE("storage that is too small, overlaps the weights, or is null is refused, and nothing is written") {
  using tested = panels<3, 2>;
  constexpr q::index_t n = size<tested>(2, 3);
  std::int8_t w[] = {1, 2, 3, 4, 5, 6};
  std::array<std::int8_t, 64> storage;
  storage.fill(99);
  const auto status_of = [](auto from, auto to) { return q::pack<tested, std::int16_t>(from, to).status; };
  using view = q::matrix_view<const std::int8_t>;
  CHECK(status_of(view(nullptr, 2, 3), q::view<std::int8_t>(storage)) == q::status::null_data);
  CHECK(status_of(view(w, -2, 3), q::view<std::int8_t>(storage)) == q::status::negative_size);
  CHECK(status_of(view(w, 2, 3), q::view<std::int8_t>(storage.data(), n - 1)) == q::status::shape_mismatch);
  CHECK(status_of(view(w, 2, 3), q::view<std::int8_t>(nullptr, n)) == q::status::null_data);
  CHECK(status_of(view(w, 2, 3), q::view<std::int8_t>(storage.data(), -1)) == q::status::negative_size);
  CHECK(status_of(view(storage.data() + 11, 2, 3), q::view<std::int8_t>(storage)) == q::status::overlap);
  CHECK(status_of(view(nullptr, most, 0), q::view<std::int8_t>(storage)) == q::status::ok);
  CHECK(status_of(view(w, most, 1), q::view<std::int8_t>(storage)) == q::status::shape_mismatch);  // too large for a view
  CHECK(storage == [] {
    std::array<std::int8_t, 64> same;
    same.fill(99);
    return same;
  }());
  CHECK(status_of(view(w, 2, 3), q::view<std::int8_t>(storage.data(), n)) == q::status::ok);
}

TEST_CASE("the first rows of narrow storage include the bytes that they share with other rows") {
  using backend = panels<4, 2, 0, 0, 1, 8, 3>;
  using packed = q::packed_matrix<backend, std::int16_t, std::int8_t>;
  std::int8_t w[6 * 3];
  for (std::size_t i = 0; i < sizeof(w); ++i) w[i] = static_cast<std::int8_t>(i + 1);
  std::int8_t storage[16 + 8 + 4];
  const auto all = q::pack<backend, std::int16_t>(q::matrix_view(w, 6, 3), storage);
  REQUIRE(all.status == q::status::ok);
  CHECK((all.value.measure() == 28 && all.value.stored_rows() == 6));
  const packed one(storage + 16, 1, 3, 2, q::packed_order{});  // in a panel of two columns
  CHECK(one.measure() == 12);
  CHECK((one.row(0)[0] == 13 && one.row(0)[1] == 14 && one.row(0)[2] == 15));
  const packed five(storage, 5, 3, 6);
  CHECK(five.measure() == 28);
  CHECK((five.row(4)[2] == 15 && five.row(3)[0] == 10));
  CHECK(packed(storage, 3, 3, 6).measure() == 16);  // in a whole panel
  CHECK(packed(storage + 16, 2, 3, 2, q::packed_order{}).measure() == 12);
}

TEST_CASE("weights are stored in rows for up to three channels, if the layout allows rows") {
  const std::int8_t storage[64] = {};
  const auto check_of = [&](auto layout, q::index_t rows, q::packed_order order) {
    return check(q::packed_matrix<decltype(layout), std::int16_t, std::int8_t>(storage, rows, 3, rows, order));
  };
  const panels<4, 2, 0, 0, 1, 8, 3> narrow{};
  CHECK(check_of(narrow, 3, {1, 1, true}) == q::status::ok);
  CHECK(check_of(narrow, 4, {1, 1, true}) == q::status::shape_mismatch);
  CHECK(check_of(narrow, 3, {3, 1, true}) == q::status::shape_mismatch);
  CHECK(check_of(narrow, 2, {1, 2, true}) == q::status::shape_mismatch);
  CHECK(check_of(narrow, 3, {}) == q::status::ok);
  CHECK(check_of(panels<4, 2>{}, 3, {1, 1, true}) == q::status::shape_mismatch);
  CHECK(check_of(panels<4, 2, 0, 0, 2, 8, 3>{}, 3, {1, 1, true}) == q::status::shape_mismatch);
}

TEST_CASE("check names the error of packed weights") {
  using packed = q::packed_matrix<panels<3, 1>, std::int16_t, std::int8_t>;
  const std::int8_t storage[9] = {};
  CHECK(check(packed(storage, 2, 3)) == q::status::ok);
  CHECK(check(packed(nullptr, 2, 3)) == q::status::null_data);
  CHECK(check(packed(nullptr, 0, 3)) == q::status::ok);
  CHECK(check(packed(nullptr, 2, 0)) == q::status::ok);
  CHECK(check(packed()) == q::status::ok);
  CHECK((packed().rows() == 0 && packed().cols() == 0));
  CHECK(check(q::packed_matrix<panels<1, 1>, std::int16_t, std::int8_t>(nullptr, 1, 1)) == q::status::null_data);
  CHECK(check(packed(storage, -1, 3)) == q::status::negative_size);
  CHECK(check(packed(storage, 2, -1)) == q::status::negative_size);
  CHECK(check(packed(storage, -2, 3)) == q::status::negative_size);
  CHECK(check(packed(storage, 2, -3)) == q::status::negative_size);
  CHECK(check(packed(storage, most, 3)) == q::status::size_overflow);
  CHECK(check(packed(storage, 2, 3, 3)) == q::status::ok);
  CHECK(check(packed(storage, 2, 3, 1)) == q::status::shape_mismatch);
}

TEST_CASE("verify compares packed weights with those of the fold") {
  using tested = panels<3, 2, 8>;
  std::int8_t storage[size<tested>(4, 3)] = {};
  std::int32_t constants[4] = {};
  const auto folded = q::fold<std::int16_t>(q::matrix_view(weights, 4, 3), q::no_bias{}, {5, 6}, constants);
  const auto packed = q::pack<tested, std::int16_t>(q::matrix_view(weights, 4, 3), storage);
  const q::linear_layer layer{packed.value, folded.value, q::raw_output<std::int32_t>{}};
  CHECK(verify(layer) == q::status::ok);
  ++storage[1];
  CHECK(verify(layer) == q::status::fold_of_other_weights);
}

TEST_CASE("weights of a packed row are copied from any weight on, without reads past the end") {
  using tested = panels<2, 4>;
  std::int8_t w[2 * 11] = {}, storage[q::packed_size<tested, std::int16_t, std::int8_t>(2, 11)] = {};
  for (int i = 0; i < 22; ++i) w[i] = static_cast<std::int8_t>(5 * i - 50);
  const auto packed = q::pack<tested, std::int16_t>(q::matrix_view<const std::int8_t>(w, 2, 11), storage);
  REQUIRE(packed.status == q::status::ok);
  for (q::index_t first = 0; first < 11; ++first)
    for (q::index_t length = 0; length <= 11 - first; ++length) {
      std::array<std::int8_t, 13> copies, expected;
      copies.fill(99), expected.fill(99);
      std::copy_n(w + 11 + first, length, expected.begin() + 1);
      copy_weights(packed.value.row(1) + first, length, copies.data() + 1);
      CHECK(copies == expected);
    }
}
