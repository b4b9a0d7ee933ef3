#include <dyadic/conv2d.hpp>
#include <dyadic/cpu.hpp>
#include <dyadic/verify.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;

namespace {

/// Packs panels of Nr channels and groups of Kr weights, and pads the lines of a convolution. Scalar code runs its layers.
template <q::index_t Nr, q::index_t Kr>
struct filled {
  using fallback = q::backend::scalar;
  static constexpr const char* name = "filled";
};

}  // namespace

template <q::index_t Nr, q::index_t Kr, class X, class W>
inline constexpr q::packed_layout dyadic::packed_layout_of<filled<Nr, Kr>, X, W>{Nr, Kr, 0, 0, 1, 8, Nr - 1, true};

namespace {

constexpr q::index_t most = q::limits<q::index_t>::max;

constexpr q::window2d window_of(q::index_t rows, q::index_t columns, q::index_t dilation = 1) {
  return {{rows, 1, dilation}, {columns, 1, dilation}};
}
template <class Backend>
constexpr q::packed_order order(q::index_t rows, q::index_t cols, q::window2d window, q::index_t groups = 1) {
  return q::packed_conv2d_order<Backend, std::int8_t, std::int8_t>(rows, cols, window, groups);
}
constexpr q::packed_order plain{};
using pairs = filled<16, 2>;
using quads = filled<32, 4>;

// Lines of whole groups, and windows of one line, need no padding.
static_assert(order<pairs>(16, 3 * 3 * 2, window_of(3, 3)) == plain && order<quads>(16, 3 * 3 * 4, window_of(3, 3)) == plain);
static_assert(order<pairs>(16, 3, window_of(1, 3)) == plain && order<pairs>(16, 5, window_of(1, 1)) == plain);
// Odd lines are padded: 3 lines of 3 weights to 4 weights, or 9 weights to 12.
static_assert(order<pairs>(16, 3 * 3, window_of(3, 3)) == q::packed_order{3, 1});
static_assert(order<quads>(16, 3 * 3 * 3, window_of(3, 3)) == q::packed_order{3, 1});
// Lines of one weight are not padded: 7 lines would take four times the number of quads.
static_assert(order<quads>(16, 7, window_of(7, 1)) == plain);
// Taps with a dilation form no line. Each line of a group is padded.
static_assert(order<pairs>(16, 3 * 3, window_of(3, 3, 2)) == plain);
static_assert(order<quads>(12, 3 * 3 * 3, window_of(3, 3), 4) == q::packed_order{9, 1});
static_assert(order<quads>(12, 3 * 3 * 4, window_of(3, 3), 4) == plain);
// A panel of 8 channels computes two or four pixels if the lines are whole groups.
static_assert(order<pairs>(8, 3 * 3 * 2, window_of(3, 3)) == q::packed_order{1, 2});
static_assert(order<quads>(8, 3 * 3 * 3, window_of(3, 3)) == q::packed_order{3, 4});
static_assert(order<pairs>(8, 2, window_of(1, 1)) == plain && order<pairs>(7, 3 * 3 * 2, window_of(3, 3)) == plain);
static_assert(order<filled<8, 2>>(8, 3 * 3, window_of(3, 3)) == plain);
// Portable code has one order.
static_assert(order<q::backend::scalar>(8, 3 * 3, window_of(3, 3)) == plain);

constexpr std::int8_t weights[] = {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -128};  // 2 rows of 2 lines of 3

/// Checks that the weights are packed with a 0 after each line, that nothing else is written, and that they are read back.
constexpr bool fills_lines() {
  constexpr std::int8_t expected[] = {1, 2, -1, -2, 3, 0, -3, 0, 4, 5, -4, -5, 6, 0, -128, 0};
  constexpr std::size_t behind = 2 * 14;  // vectors of 16 columns read past the end
  std::int8_t storage[sizeof(expected) + behind + 1] = {};
  for (std::int8_t& byte : storage) byte = 99;
  const q::window2d window = window_of(2, 3);
  if (q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(2, 6, window, 1) != sizeof(storage) - 1) return false;
  const auto packed = q::pack_conv2d<pairs, std::int8_t>(q::matrix_view(weights, 2, 6), window, 1, storage);
  if (packed.status != q::status::ok || !(packed.value.order() == q::packed_order{2, 1})) return false;
  for (std::size_t i = 0; i < sizeof(expected); ++i)
    if (storage[i] != expected[i]) return false;
  for (std::size_t i = 0; i < behind; ++i)
    if (storage[sizeof(expected) + i] != 0) return false;
  for (q::index_t r = 0; r < 2; ++r)
    for (q::index_t k = 0; k < 6; ++k)
      if (packed.value.row(r)[k] != weights[r * 6 + k] || (packed.value.row(r) + 2)[k - 2] != weights[r * 6 + k]) return false;
  return storage[sizeof(storage) - 1] == 99;
}
static_assert(fills_lines());

TEST_CASE("weights in runs are copied from any weight on, without reads past the end") {
  std::vector<std::int8_t> w(10 * 5 * 7);
  support::random_bits random;
  for (auto& one : w) one = static_cast<std::int8_t>(random.integer(8));
  std::vector<std::int8_t> storage(4096);
  const auto packed = q::pack_conv2d<quads, std::int8_t>(q::matrix_view<const std::int8_t>(w.data(), 10, 35), window_of(5, 7), 1,
                                                         q::view<std::int8_t>(storage));
  REQUIRE(packed.status == q::status::ok);
  REQUIRE(packed.value.order().runs == 5);
  for (const q::index_t r : {q::index_t{0}, q::index_t{3}, q::index_t{9}})
    for (q::index_t first = 0; first < 35; ++first)
      for (q::index_t length = 0; first + length <= 35; ++length) {
        std::array<std::int8_t, 36> copy{};
        copy.fill(99);
        copy_weights(packed.value.row(r) + first, length, copy.data());
        const auto* const expected = w.data() + r * 35 + first;
        REQUIRE(std::equal(expected, expected + length, copy.begin()));
        REQUIRE(copy[static_cast<std::size_t>(length)] == 99);
      }
}

TEST_CASE("weights of 4 bits are packed for a window, too") {
  std::vector<std::uint8_t> bytes(8 * 14);
  support::random_bits random;
  for (auto& one : bytes) one = static_cast<std::uint8_t>(random.integer(8));
  const q::matrix_view<const q::int4> w(bytes.data(), 8, 27, 28);
  q::for_each_backend([&](auto backend, bool) {
    using tested = decltype(backend);
    const q::index_t size = q::packed_conv2d_size<tested, std::int16_t, q::int4>(8, 27, window_of(3, 3), 1);
    std::vector<std::int8_t> storage(static_cast<std::size_t>(size));
    const auto packed = q::pack_conv2d<tested, std::int16_t>(w, window_of(3, 3), 1, q::view<std::int8_t>(storage));
    REQUIRE(packed.status == q::status::ok);
    REQUIRE(packed.value.measure() == size);
    for (q::index_t r = 0; r < 8; ++r)
      for (q::index_t k = 0; k < 27; ++k) REQUIRE(packed.value.row(r)[k] == w.row(r)[k]);
  });
}

TEST_CASE("a panel of repeated channels has each channel for every pixel") {
  std::vector<std::int8_t> w(8 * 18);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<std::int8_t>(i);
  std::vector<std::int8_t> storage(16 * 18);
  const q::window2d window = window_of(3, 3);
  REQUIRE(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(8, 18, window, 1) == 16 * 18);
  const auto packed = q::pack_conv2d<pairs, std::int8_t>(q::matrix_view<const std::int8_t>(w.data(), 8, 18), window, 1,
                                                         q::view<std::int8_t>(storage));
  REQUIRE(packed.status == q::status::ok);
  REQUIRE(packed.value.measure() == 16 * 18);
  for (std::size_t k = 0; k < 18; ++k)
    for (std::size_t c = 0; c < 16; ++c) REQUIRE(storage[k / 2 * 32 + c * 2 + k % 2] == w[c % 8 * 18 + k]);
}

TEST_CASE("a layer is refused if its weights were packed for another window or layer, or not by pack") {
  std::vector<std::int8_t> w(16 * 9);
  std::vector<std::int8_t> storage(1024);
  std::vector<std::int32_t> bias(16), constants(16);
  const q::matrix_view<const std::int8_t> matrix(w.data(), 16, 9);
  const std::vector<std::int8_t> x(25);
  std::vector<std::int32_t> y(16 * 25);
  const auto packed = q::pack_conv2d<pairs, std::int8_t>(matrix, window_of(3, 3), 1, q::view<std::int8_t>(storage));
  REQUIRE(packed.status == q::status::ok);
  const auto check_with = [&](q::window2d window, auto weights_of_layer) {
    const auto folded = q::fold_conv2d<std::int8_t>(matrix, bias, window, {}, constants);
    REQUIRE(folded.status == q::status::ok);
    const q::index_t h = 5 - window.y.kernel + 1;
    const q::index_t width = 5 - window.x.kernel + 1;
    const q::conv2d_layer layer{weights_of_layer, folded.value, window, 1, q::raw_output<std::int32_t>{}};
    return check(layer, q::nhwc_view(x.data(), 1, 5, 5, 9 / (window.y.kernel * window.x.kernel)),
                 q::nhwc_view(y.data(), 1, h, width, 16));
  };
  CHECK(check_with(window_of(3, 3), packed.value) == q::status::ok);
  using packed_type = decltype(packed.value);
  const auto of_order = [&](q::packed_order order) { return packed_type{storage.data(), 16, 9, 16, order}; };
  for (const q::packed_order order :
       {q::packed_order{2, 1}, q::packed_order{0, 1}, q::packed_order{-3, 1}, q::packed_order{most, 1}, q::packed_order{3, 2},
        q::packed_order{3, 0}, q::packed_order{3, -1}, q::packed_order{3, most}})
    CHECK(check_with(window_of(3, 3), of_order(order)) == q::status::shape_mismatch);
  const auto folded = q::fold<std::int8_t>(matrix, bias, {}, constants);
  const std::vector<std::int8_t> row(9);
  const q::linear_layer linear{packed.value, folded.value, q::raw_output<std::int32_t>{}};
  CHECK(check(linear, q::matrix_view(row.data(), 1, 9), q::matrix_view(y.data(), 1, 16)) == q::status::shape_mismatch);
}

TEST_CASE("pack_conv2d refuses a window that is no convolution, and writes nothing") {
  const std::vector<std::int8_t> w(16 * 9);
  std::vector<std::int8_t> storage(1024, 99);
  const q::matrix_view<const std::int8_t> matrix(w.data(), 16, 9);
  const auto status_of = [&](q::window2d window, q::index_t groups, q::index_t room) {
    return q::pack_conv2d<pairs, std::int8_t>(matrix, window, groups, q::view<std::int8_t>(storage.data(), room)).status;
  };
  const q::index_t size = q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(16, 9, window_of(3, 3), 1);
  CHECK(status_of(window_of(0, 3), 1, 1024) == q::status::bad_window);
  CHECK(status_of(window_of(2, 2), 1, 1024) == q::status::shape_mismatch);
  CHECK(status_of(window_of(3, 3), 0, 1024) == q::status::shape_mismatch);
  CHECK(status_of(window_of(3, 3), -1, 1024) == q::status::shape_mismatch);
  CHECK(status_of(window_of(3, 3), 1, size - 1) == q::status::shape_mismatch);
  CHECK(std::count(storage.begin(), storage.end(), 99) == 1024);
  CHECK(status_of(window_of(3, 3), 1, size) == q::status::ok);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(16, 9, window_of(0, 3), 1) == -1);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(16, 9, window_of(3, 3), 0) == -1);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(16, most / 9 * 9, window_of(3, 3), 1) == -1);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(16, most / 9 * 9, window_of(3, 3), 2) == -1);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(16, most, window_of(1, 1), 1) == -1);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(16, most / 2, window_of(1, 1), 1) == -1);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(most, 9, window_of(3, 3), 1) == -1);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(0, 9, window_of(3, 3), 1) == 0);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(-1, 9, window_of(3, 3), 1) == -1);
  CHECK(q::packed_conv2d_size<pairs, std::int8_t, std::int8_t>(16, -9, window_of(3, 3), 1) == -1);
  CHECK(order<pairs>(16, 9, window_of(most, most)) == plain);
  CHECK(order<pairs>(16, 9, window_of(3, 3), 0) == plain);
}

TEST_CASE("verify compares weights that pack_conv2d packed for a backend with those of the fold") {
  support::random_bits random;
  q::for_each_backend([&](auto backend, bool) {
    using tested = decltype(backend);
    for (const q::index_t groups : {1, 4})
      for (const q::index_t channels : {8, 20}) {
        const q::index_t cols = 3 * 3 * 3;
        std::vector<std::int8_t> w(static_cast<std::size_t>(channels * cols));
        for (auto& one : w) one = static_cast<std::int8_t>(random.integer(8));
        const q::matrix_view<const std::int8_t> matrix(w.data(), channels, cols);
        const q::window2d window = window_of(3, 3);
        std::vector<std::int8_t> storage(
            static_cast<std::size_t>(q::packed_conv2d_size<tested, std::int8_t, std::int8_t>(channels, cols, window, groups)));
        std::vector<std::int32_t> bias(static_cast<std::size_t>(channels)), constants(bias.size());
        const auto folded = q::fold_conv2d<std::int8_t>(matrix, bias, window, {3, 0}, constants);
        const auto packed = q::pack_conv2d<tested, std::int8_t>(matrix, window, groups, q::view<std::int8_t>(storage));
        REQUIRE(packed.status == q::status::ok);
        const q::conv2d_layer layer{packed.value, folded.value, window, groups, q::raw_output<std::int32_t>{}};
        CHECK(verify(layer) == q::status::ok);
        w[w.size() / 2] = static_cast<std::int8_t>(w[w.size() / 2] ^ 1);
        REQUIRE(q::pack_conv2d<tested, std::int8_t>(matrix, window, groups, q::view<std::int8_t>(storage)).status ==
                q::status::ok);
        CHECK(verify(layer) == q::status::fold_of_other_weights);
      }
  });
}

}  // namespace
