/// \file
/// The test cases of one backend. The file that includes this header defines PARITY_BACKEND and PARITY_NAME. No guard.

#include DYADIC_BEST_HEADER

#include "../support/schemes.hpp"
#include "each_backend.hpp"
#include "parity.hpp"

namespace {

using tested = dyadic::backend::PARITY_BACKEND;

/// Tests one scheme for each formula, because vectors depend on the formula alone.
/// golden_backends tests that each scheme is as published. An int32 output shows every bit of a result.
template <template <class...> class Selection>
void schemes() {
  if (!parity::is_tested<tested>()) return;
  support::each_scheme<Selection>([](auto s) {
    INFO(s.name);
    parity::ties_and_edges_of_channels<tested, typename decltype(s)::scheme, std::int32_t>();
  });
}

/// A scheme that has no formula.
struct own_rule {
  using accumulator = std::int32_t;
  using multiplier_type = dyadic::multiplier32;
  static constexpr bool valid(multiplier_type) noexcept { return true; }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return std::int64_t{acc} * m.mantissa >> (m.right_shift + 1);
  }
};
/// A scheme that inherits a formula and has an `apply` of its own.
struct own_apply : dyadic::tosa::scale32 {
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept { return own_rule::apply(acc, m) + 1; }
};

constexpr std::int8_t rescaled_at_compile_time(std::int32_t x) {
  const std::int32_t from[1] = {x};
  std::int8_t to[1] = {};
  const dyadic::rescale_layer<dyadic::per_tensor_output<std::int8_t, dyadic::tosa::scale32>> layer{1, {{1 << 30, 31}, {}}};
  dyadic::run<tested>(layer, dyadic::matrix_view<const std::int32_t>{from, 1, 1}, dyadic::matrix_view<std::int8_t>{to, 1, 1});
  return to[0];
}
static_assert(rescaled_at_compile_time(12) == 6);

}  // namespace

TEST_CASE(PARITY_NAME ": the schemes of an int32 accumulator equal scalar at ties and edges", "[parity]") {
  schemes<support::with_new_int32_formula>();
}

TEST_CASE(PARITY_NAME ": the schemes of an int48 accumulator equal scalar at ties and edges", "[parity]") {
  schemes<support::with_new_wide_formula>();
}

TEST_CASE(PARITY_NAME ": the schemes of a binary32 equal scalar at ties and edges", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::binary32_ties_and_edges<tested, dyadic::fbgemm::floating, std::int8_t>();
  parity::binary32_ties_and_edges<tested, dyadic::fbgemm::floating, std::int32_t>();
}

TEST_CASE(PARITY_NAME ": chains of three binary32s equal scalar", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::binary32_chains<tested, std::int8_t>();
  parity::binary32_chains<tested, std::uint16_t>();
}

TEST_CASE(PARITY_NAME ": scales in binary64 equal scalar at ties and edges", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::binary64_ties_and_edges<tested, std::int32_t, std::int32_t>();
  parity::binary64_ties_and_edges<tested, std::int64_t, std::int32_t>();
  parity::binary64_ties_and_edges<tested, std::int64_t, std::int16_t>();
}

TEST_CASE(PARITY_NAME ": each output type equals scalar at ties and edges", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  using dyadic::tosa::scale16;
  using dyadic::tosa::scale32;
  parity::ties_and_edges_of_tensor<tested, scale32, std::int8_t>();
  parity::ties_and_edges_of_tensor<tested, scale32, std::uint8_t>();
  parity::ties_and_edges_of_tensor<tested, scale32, std::int16_t>();
  parity::ties_and_edges_of_tensor<tested, scale32, std::uint16_t>();
  parity::ties_and_edges_of_tensor<tested, scale32, std::int32_t>();
  parity::ties_and_edges_of_tensor<tested, scale16, std::int16_t>();
  parity::ties_and_edges_of_tensor<tested, dyadic::tflite::double_rounding, std::int8_t>();
  parity::ties_and_edges_of_channels<tested, scale32, std::int8_t>();
  parity::ties_and_edges_of_channels<tested, scale16, std::int16_t>();
}

TEST_CASE(PARITY_NAME ": results of an int64 accumulator that leave int16 and int32 equal scalar", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::results_of_all_lengths<tested, std::int8_t>();
  parity::results_of_all_lengths<tested, std::uint8_t>();
  parity::results_of_all_lengths<tested, std::int16_t>();
  parity::results_of_all_lengths<tested, std::uint16_t>();
}

TEST_CASE(PARITY_NAME ": products that are rounded once equal scalar at ties and edges, of accumulators that fit int32, too",
          "[parity]") {
  if (!parity::is_tested<tested>()) return;
  using namespace dyadic::exact;
  parity::ties_and_edges_of_tensor<tested, half_up, std::int16_t>();
  parity::ties_and_edges_of_tensor<tested, half_away, std::int32_t>();
  parity::ties_and_edges_of_tensor<tested, half_even, std::int16_t>();
  parity::ties_and_edges_of_tensor<tested, half_even, std::int8_t, std::int32_t>();
  parity::ties_and_edges_of_channels<tested, half_away, std::int32_t, std::int32_t>();
  parity::ties_and_edges_of_channels<tested, half_even, std::uint8_t, std::int32_t>();
}

TEST_CASE(PARITY_NAME ": each length of each input type equals scalar and stays within its memory", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  using dyadic::tosa::scale16;
  using dyadic::tosa::scale32;
  // Inputs occur with both accumulators and with both kinds of multipliers.
  using parity::multipliers_per;
  parity::every_length<tested, std::int32_t, std::int8_t, scale32, multipliers_per::channel>();
  parity::every_length<tested, std::int32_t, std::int8_t, scale32, multipliers_per::tensor>();
  parity::every_length<tested, std::int8_t, std::int8_t, scale32, multipliers_per::tensor>();
  parity::every_length<tested, std::uint8_t, std::int16_t, scale32, multipliers_per::tensor>();
  parity::every_length<tested, std::int16_t, std::uint8_t, scale32, multipliers_per::channel>();
  parity::every_length<tested, std::uint16_t, std::uint16_t, scale32, multipliers_per::channel>();
  parity::every_length<tested, std::int64_t, std::int16_t, scale32, multipliers_per::tensor>();
  parity::every_length<tested, std::int64_t, std::int16_t, scale16, multipliers_per::tensor>();
  parity::every_length<tested, dyadic::packed_int48, std::int32_t, scale16, multipliers_per::channel>();
  parity::every_length<tested, std::int32_t, std::int8_t, scale16, multipliers_per::tensor>();
  parity::every_length<tested, std::int16_t, std::int16_t, scale16, multipliers_per::channel>();
  parity::every_length<tested, std::int64_t, std::int16_t, dyadic::exact::half_up, multipliers_per::tensor>();
  parity::every_length<tested, std::int32_t, std::int8_t, dyadic::exact::half_even, multipliers_per::channel>();
}

TEST_CASE(PARITY_NAME ": a scheme without a formula, or with an apply of its own, runs as scalar does", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  static_assert(!dyadic::has_formula<own_rule> && !dyadic::has_formula<own_apply>);
  parity::ties_and_edges_of_channels<tested, own_apply, std::int8_t>();
  parity::every_length<tested, std::int32_t, std::int8_t, own_rule, parity::multipliers_per::tensor>();
}

TEST_CASE(PARITY_NAME ": a framework's two arrays of each kind equal scalar and are read to their end", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  using namespace dyadic;
  using std::int32_t;
  using std::int64_t;
  constexpr auto left = shift_convention::left;
  constexpr auto right = shift_convention::right;
  for (const int shift : {0, -10}) {
    parity::every_length_of_pairs<tested, tflite::double_rounding, int32_t, left>(shift);
    parity::every_length_of_pairs<tested, tosa::scale32, int64_t, left>(shift);
    parity::every_length_of_pairs<tested, tosa::scale32, long long, left>(shift);  // where long long is not int64_t
    parity::every_length_of_pairs<tested, tflite::reduced_int64, int32_t, left>(shift);
    parity::every_length_of_pairs<tested, tflite::reduced_int64, int64_t, left>(shift);
    parity::every_length_of_pairs<tested, tosa::scale32, int32_t, right>(31 - shift);
    parity::every_length_of_pairs<tested, tosa::scale16, int64_t, right>(15 - shift);
  }
}

TEST_CASE(PARITY_NAME ": a range of rows with a framework's two arrays touches no other row", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  using namespace dyadic;
  const std::int32_t x[3][3] = {{1000, -1000, 2000}, {3000, 5001, -5001}, {70000, 9, -9}};
  const std::int64_t mantissas[3] = {1 << 30, 1500000000, 2000000000};
  const std::int64_t shifts[3] = {-3, -4, 0};
  const rescale_layer layer{0, per_channel_arrays_output<std::int8_t, tflite::double_rounding, std::int64_t>{mantissas, shifts}};
  std::int8_t y[3][3] = {{99, 99, 99}, {99, 99, 99}, {99, 99, 99}};
  std::int8_t expected[3][3] = {{99, 99, 99}, {99, 99, 99}, {99, 99, 99}};
  run<tested>(layer, matrix_view<const std::int32_t>{x[0], 3, 3}, matrix_view<std::int8_t>{y[0], 3, 3}, {1, 2});
  run(layer, matrix_view<const std::int32_t>{x[0], 3, 3}, matrix_view<std::int8_t>{expected[0], 3, 3}, {1, 2});
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) CHECK(y[r][c] == expected[r][c]);
}
