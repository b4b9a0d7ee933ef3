#include <dyadic/depthwise.hpp>
#include <dyadic/kernel_sums.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/verify.hpp>

#include <array>
#include <random>
#include <vector>

#include "../support/catch.hpp"

namespace {

namespace q = dyadic;
using s = q::status;

constexpr std::int8_t weights[] = {1, 2, 3, -4, -5, -128};
constexpr std::uint8_t nibbles[] = {0x21, 0xF3, 0x8E};  // 1 2 3 | -1 -2 -8
constexpr q::matrix_view<const std::int8_t> two_rows(weights, 2, 3);

template <class Sum, class Weights>
constexpr std::array<std::int64_t, 2> exported(Weights w) {
  Sum sums[2] = {};
  if (q::kernel_sums(w, sums) != s::ok) return {};
  return {sums[0], sums[1]};
}
static_assert(exported<std::int32_t>(two_rows)[0] == 6 && exported<std::int32_t>(two_rows)[1] == -137);
static_assert(exported<std::int64_t>(two_rows)[0] == 6 && exported<std::int64_t>(two_rows)[1] == -137);
static_assert(exported<std::int32_t>(q::matrix_view<const q::int4>(nibbles, 2, 3))[1] == -11);

/// Checks an int8 linear layer at compile time: weights to sums, sums to constants, constants to another zero point.
constexpr bool round_trip() {
  const std::int32_t bias[] = {10, -20};
  std::int32_t sums[2] = {};
  std::int32_t constants[2] = {};
  if (q::kernel_sums(two_rows, sums) != s::ok) return false;
  const auto made = q::fold_kernel_sums<std::int8_t, std::int8_t>(sums, 3, bias, {7, 5}, constants);
  if (made.status != s::ok || constants[0] != 10 - 7 * (6 - 15) || constants[1] != -20 - 7 * (-137 - 15)) return false;
  const auto moved = q::refold(made.value, sums, -128, constants);
  if (moved.status != s::ok || constants[0] != 10 + 128 * (6 - 15) || constants[1] != -20 + 128 * (-137 - 15)) return false;
  const auto back = q::refold(moved.value, sums, 0, constants);
  return back.status == s::ok && constants[0] == 10 && constants[1] == -20 && back.value.record.zero == q::zero_points{0, 5};
}
static_assert(round_trip());
constexpr std::int32_t context[] = {1, 2};
static_assert(q::cmsis_nn::from_context<std::int8_t, std::int8_t>(context, 0, {}).value.record.bound.lowest == 1);

template <class Acc>
using raw_layer = q::linear_layer<std::int8_t, q::raw_output<Acc>>;

/// Checks random layers. The fold from sums and every refold must equal the fold from weights, and the bound must hold.
template <class X, class Acc, class Sum>
void check_against_fold(std::mt19937& random) {
  const auto depth = static_cast<q::index_t>(random() % 40);
  const auto channels = static_cast<q::index_t>(random() % 5);
  const auto count = static_cast<std::size_t>(channels);
  std::vector<std::int8_t> w(static_cast<std::size_t>(depth * channels));
  for (std::int8_t& v : w) v = static_cast<std::int8_t>(random());
  std::vector<Acc> bias(count);
  for (Acc& b : bias) b = static_cast<Acc>(random() % 200001) - 100000;
  const q::matrix_view<const std::int8_t> rows(w.data(), channels, depth);
  const q::zero_points zero{static_cast<X>(random()), static_cast<std::int8_t>(random())};
  std::vector<Acc> expected(count);
  std::vector<Acc> constants(count);
  std::vector<Sum> sums(count);
  const auto folded = q::fold<X>(rows, bias, zero, expected);
  REQUIRE(folded.status == s::ok);
  REQUIRE(q::kernel_sums(rows, sums) == s::ok);
  const auto made = q::fold_kernel_sums<X, std::int8_t>(sums, depth, bias, zero, constants);
  REQUIRE(made.status == s::ok);
  REQUIRE(constants == expected);
  REQUIRE(made.value.record == folded.value.record);
  REQUIRE(made.value.record.bound.lowest <= folded.value.record.bound.lowest);
  REQUIRE(made.value.record.bound.highest >= folded.value.record.bound.highest);
  REQUIRE(made.value.record.fingerprint == 0);

  const std::int32_t other = random() % 4 == 0 ? 0 : static_cast<X>(random());
  std::vector<Acc> expected_other(count);
  std::vector<Acc> other_constants(count);
  const auto exact = q::fold<X>(rows, bias, {other, zero.w}, expected_other);
  const auto moved = q::refold(folded.value, sums, other, other_constants);
  REQUIRE(moved.status == s::ok);
  REQUIRE(other_constants == expected_other);
  REQUIRE(constants == expected);
  REQUIRE(moved.value.record == exact.value.record);
  REQUIRE(moved.value.record.fingerprint == exact.value.record.fingerprint);
  REQUIRE(moved.value.record.bound.lowest <= exact.value.record.bound.lowest);
  REQUIRE(moved.value.record.bound.highest >= exact.value.record.bound.highest);
  if (channels == 1) {
    REQUIRE(moved.value.record.bound.lowest == exact.value.record.bound.lowest);
    REQUIRE(moved.value.record.bound.highest == exact.value.record.bound.highest);
  }
  const raw_layer<Acc> layer{rows, moved.value, {}};
  REQUIRE(q::verify(layer) == s::ok);

  const auto in_place = q::refold(made.value, sums, other, constants);
  REQUIRE(in_place.status == s::ok);
  REQUIRE(constants == expected_other);
}

}  // namespace

TEST_CASE("kernel sums are plain sums of the weights, also of 4-bit weights") {
  std::int32_t sums[2] = {};
  CHECK(q::kernel_sums(q::matrix_view<const q::int4>(nibbles, 2, 3), sums) == s::ok);
  CHECK(sums[0] == 6);
  CHECK(sums[1] == -11);
}

TEST_CASE("a fold from kernel sums, and a refold, have the constants of the fold from weights") {
  std::mt19937 random(6);
  for (int round = 0; round < 2000 / DYADIC_TEST_DIVISOR + 1; ++round) {
    check_against_fold<std::int8_t, std::int32_t, std::int32_t>(random);
    check_against_fold<std::int8_t, std::int32_t, std::int64_t>(random);
    check_against_fold<std::int16_t, std::int64_t, std::int32_t>(random);
    check_against_fold<std::int16_t, std::int64_t, std::int64_t>(random);
    check_against_fold<std::uint8_t, std::int32_t, std::int32_t>(random);
  }
}

TEST_CASE("the bound of a fold from kernel sums is the worst case of the types for its depth") {
  const std::int64_t sums[] = {0, 0};
  const std::int64_t bias[] = {100, -7};
  std::int64_t constants[2] = {};
  const auto made = q::fold_kernel_sums<std::int16_t, std::int8_t>(sums, 511, bias, {}, constants);
  CHECK(made.value.record.bound.highest == 511 * std::int64_t{4194304} + 100);
  CHECK(made.value.record.bound.lowest == -511 * std::int64_t{4194176} - 7);
  CHECK(!q::fits_int32(q::fold_kernel_sums<std::int16_t, std::int8_t>(sums, 512, q::no_bias{}, {}, constants).value));
  CHECK(q::fits_int32(q::fold_kernel_sums<std::int16_t, std::int8_t>(sums, 511, q::no_bias{}, {}, constants).value));
  CHECK(q::fits_int32(q::fold_kernel_sums<std::int8_t, std::int8_t>(sums, 65793, q::no_bias{}, {-128, 0}, constants).value));
  CHECK(!q::fits_int32(q::fold_kernel_sums<std::int8_t, std::int8_t>(sums, 65794, q::no_bias{}, {-128, 0}, constants).value));
  CHECK(q::drain_length(made.value) == 511);
}

TEST_CASE("a bias of int48, of int64 or none folds with kernel sums as with weights") {
  const std::int64_t sums[] = {6, -137};
  const std::int64_t wide = std::int64_t{1} << 40;
  const q::packed_int48 bias48[] = {q::packed_int48::of(q::int48::saturated(wide)), q::packed_int48::of(-20)};
  std::int64_t constants[2] = {};
  CHECK(q::fold_kernel_sums<std::int16_t, std::int8_t>(sums, 3, bias48, {3, -128}, constants).status == s::ok);
  CHECK(constants[0] == wide - 3 * (6 + 384));
  CHECK(constants[1] == -20 - 3 * (-137 + 384));
  CHECK(q::fold_kernel_sums<std::int16_t, std::int8_t>(sums, 3, q::no_bias{}, {3, -128}, constants).status == s::ok);
  CHECK(constants[1] == -3 * (-137 + 384));
}

TEST_CASE("a layer with a fold from kernel sums runs like a layer with a fold from weights, but cannot be verified") {
  const std::int32_t bias[] = {10, -20};
  const q::zero_points zero{7, 5};
  std::int32_t sums[2] = {};
  std::int32_t constants[2] = {};
  REQUIRE(q::kernel_sums(two_rows, sums) == s::ok);
  const auto made = q::fold_kernel_sums<std::int8_t, std::int8_t>(sums, 3, bias, zero, constants);
  const raw_layer<std::int32_t> layer{two_rows, made.value, {}};
  const std::int8_t x[] = {-128, 0, 127};
  std::int32_t y[2] = {};
  REQUIRE(check(layer, q::matrix_view(x, 1, 3), q::matrix_view(y, 1, 2)) == s::ok);
  run(layer, q::matrix_view(x, 1, 3), q::matrix_view(y, 1, 2));
  CHECK(y[0] == 10 + -135 * -4 + -7 * -3 + 120 * -2);
  CHECK(y[1] == -20 + -135 * -9 + -7 * -10 + 120 * -133);
  CHECK(q::verify(layer) == s::fold_not_verifiable);
  // A refold does not read the weights, either.
  const auto moved = q::refold(made.value, sums, -128, constants);
  CHECK(q::verify(raw_layer<std::int32_t>{two_rows, moved.value, {}}) == s::fold_not_verifiable);
}

TEST_CASE("CMSIS-NN's context and ExecuTorch's kernel_sum convert to our constants and back") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    // bias + input_offset * sum of (w + filter_offset), as the sources of the engines compute it
    const std::int32_t input_offset = static_cast<std::int32_t>(random() % 256) - 127;
    const std::int32_t filter_offset = static_cast<std::int32_t>(random() % 256) - 127;
    std::int8_t w[12] = {};
    std::int32_t bias[2] = {};
    std::int32_t buffer[2] = {};
    for (int o = 0; o < 2; ++o) {
      bias[o] = static_cast<std::int32_t>(random() % 2001) - 1000;
      for (int k = 0; k < 6; ++k) {
        w[6 * o + k] = static_cast<std::int8_t>(random());
        buffer[o] += w[6 * o + k] + filter_offset;
      }
      buffer[o] = buffer[o] * input_offset + bias[o];
    }
    const q::zero_points zero{-input_offset, -filter_offset};
    const q::matrix_view<const std::int8_t> rows(w, 2, 6);
    std::int64_t constants[2] = {};
    const auto folded = q::fold<std::int8_t>(rows, bias, zero, constants);
    std::int32_t written[2] = {};
    CHECK(q::cmsis_nn::to_context(folded.value, written) == s::ok);
    CHECK((written[0] == buffer[0] && written[1] == buffer[1]));
    CHECK(q::executorch::cortex_m::to_kernel_sum(folded.value, written) == s::ok);
    const auto offsets = q::cmsis_nn::offsets_of(zero);
    CHECK((offsets.input == input_offset && offsets.filter == filter_offset));

    const auto theirs = q::cmsis_nn::from_context<std::int8_t, std::int8_t>(buffer, 6, offsets);
    REQUIRE(theirs.status == s::ok);
    CHECK(theirs.value.constants.data() == buffer);
    CHECK(theirs.value.record == folded.value.record);
    CHECK(theirs.value.record.bound.lowest <= folded.value.record.bound.lowest);
    CHECK(theirs.value.record.bound.highest >= folded.value.record.bound.highest);
    const raw_layer<std::int32_t> layer{rows, theirs.value, {}};
    const std::int8_t x[] = {-128, 127, 3, 0, -1, 55};
    std::int32_t y[2] = {};
    REQUIRE(check(layer, q::matrix_view(x, 1, 6), q::matrix_view(y, 1, 2)) == s::ok);
    CHECK(q::verify(layer) == s::fold_not_verifiable);
    run(layer, q::matrix_view(x, 1, 6), q::matrix_view(y, 1, 2));
    for (int o = 0; o < 2; ++o) {
      std::int32_t acc = bias[o];
      for (int k = 0; k < 6; ++k) acc += (x[k] + input_offset) * (w[6 * o + k] + filter_offset);
      CHECK(y[o] == acc);
    }
    // Targets of CMSIS-NN without Helium take the plain bias, which is zero point 0.
    std::int64_t sums[2] = {};
    std::int32_t plain[2] = {};
    REQUIRE(q::kernel_sums(rows, sums) == s::ok);
    CHECK(q::refold(theirs.value, sums, 0, plain).status == s::ok);
    CHECK((plain[0] == bias[0] && plain[1] == bias[1]));
  }
}

TEST_CASE("each error of kernel sums has its status, and nothing is written") {
  std::int32_t sums[2] = {6, -137};
  std::int32_t bias[2] = {1, 2};
  std::int32_t constants[2] = {77, 77};
  const auto fold = [&](q::view<const std::int32_t> of, q::index_t depth, q::view<const std::int32_t> b, q::zero_points zero,
                        q::view<std::int32_t> to) {
    return q::fold_kernel_sums<std::int8_t, std::int8_t>(of, depth, b, zero, to).status;
  };
  CHECK(fold({nullptr, 2}, 3, bias, {}, constants) == s::null_data);
  CHECK(fold({sums, 1}, 3, bias, {}, constants) == s::shape_mismatch);
  CHECK(fold({sums, -1}, 3, bias, {}, constants) == s::negative_size);
  CHECK(fold(sums, 3, {nullptr, 2}, {}, constants) == s::null_data);
  CHECK(fold(sums, 3, {bias, 1}, {}, constants) == s::shape_mismatch);
  CHECK(fold(sums, -1, bias, {}, constants) == s::negative_size);
  if (sizeof(q::index_t) == 8) CHECK(fold(sums, std::numeric_limits<q::index_t>::max(), bias, {}, constants) == s::size_overflow);
  if constexpr (sizeof(q::index_t) == 8) {  // the greatest depth at which no sum of products overflows an int64, and one more
    const std::int64_t zeros[2] = {};
    std::int64_t unused[2] = {};
    constexpr std::int64_t most =
        q::max_depth(q::values_with_any_zero_point<std::int16_t>(), q::values_with_any_zero_point<std::int8_t>(), 64);
    CHECK(q::fold_kernel_sums<std::int16_t, std::int8_t>(zeros, most, q::no_bias{}, {}, unused).status == s::ok);
    CHECK(q::fold_kernel_sums<std::int16_t, std::int8_t>(zeros, most + 1, q::no_bias{}, {}, unused).status == s::size_overflow);
  }
  CHECK(fold(sums, 1, bias, {}, constants) == s::value_out_of_range);  // -137 does not fit int8, so it is not a sum of one weight
  CHECK(fold(sums, 0, bias, {}, constants) == s::value_out_of_range);
  CHECK(fold(sums, 3, bias, {128, 0}, constants) == s::zero_point_out_of_range);
  CHECK(fold(sums, 3, bias, {0, -129}, constants) == s::zero_point_out_of_range);
  CHECK(fold(sums, 3, bias, {}, {nullptr, 2}) == s::null_data);
  CHECK(fold(sums, 3, bias, {}, sums) == s::overlap);
  CHECK(fold(sums, 3, bias, {}, bias) == s::overlap);
  CHECK((constants[0] == 77 && sums[0] == 6 && bias[0] == 1));

  const auto folded = q::fold<std::int8_t>(two_rows, bias, {}, constants).value;
  const std::int32_t before = constants[0];
  const auto again = [&](const auto& of, q::view<const std::int32_t> using_sums, std::int32_t zero_x, q::view<std::int32_t> to) {
    return q::refold(of, using_sums, zero_x, to).status;
  };
  std::int32_t room[4] = {};
  CHECK(again(folded, {sums, 1}, 1, {room, 2}) == s::shape_mismatch);
  CHECK(again(folded, {nullptr, 2}, 1, {room, 2}) == s::null_data);
  CHECK(again(folded, sums, 1, {room, 3}) == s::shape_mismatch);
  CHECK(again(folded, sums, 1, {nullptr, 2}) == s::null_data);
  CHECK(again(folded, sums, 128, {room, 2}) == s::zero_point_out_of_range);
  CHECK(again(folded, sums, -129, {room, 2}) == s::zero_point_out_of_range);
  CHECK(again(folded, sums, 1, sums) == s::overlap);
  const std::int32_t impossible[] = {6, 3 * 4};  // a sum of 12 is impossible: no weight is above 3
  CHECK(again(folded, impossible, 1, {room, 2}) == s::value_out_of_range);
  std::int32_t shared[3] = {};
  const auto displaced = q::fold<std::int8_t>(two_rows, bias, {}, q::view<std::int32_t>(shared, 2)).value;
  CHECK(again(displaced, sums, 1, {shared + 1, 2}) == s::overlap);
  CHECK((constants[0] == before && room[0] == 0));

  std::int32_t many[10] = {};
  const q::window2d window{{1, 1, 1, 0, 0}, {3, 1, 1, 0, 0}};
  const auto taps = q::fold_conv2d<std::int8_t>(two_rows, bias, window, {}, q::view<std::int32_t>(many, 2));
  REQUIRE(taps.status == s::ok);
  CHECK(again(taps.value, sums, 1, {room, 2}) == s::ok);
  CHECK((room[0] == 1 - 6 && room[1] == 2 + 137));
  auto hostile = taps.value;
  hostile.record.taps_y = hostile.record.taps_x = std::numeric_limits<q::index_t>::max();
  CHECK(again(hostile, sums, 1, {room, 2}) == s::size_overflow);
  hostile.record.taps_x = -3;
  hostile.record.taps_y = 1;
  CHECK(again(hostile, sums, 1, {room, 2}) == s::shape_mismatch);
  const q::window2d strided{{}, {3, 2, 1, 0, 0}};
  const auto transposed = q::fold_transposed_conv2d<std::int8_t>(two_rows, bias, strided, {}, q::view<std::int32_t>(many, 2));
  REQUIRE(transposed.status == s::ok);
  CHECK(again(transposed.value, sums, 1, {room, 2}) == s::shape_mismatch);
  CHECK(q::cmsis_nn::to_context(taps.value, room) == s::shape_mismatch);

  std::int64_t wide[2] = {};
  const std::int64_t large[] = {0, std::int64_t{1} << 31};
  std::int32_t buffer[2] = {77, 77};
  CHECK(q::cmsis_nn::to_context(q::fold<std::int8_t>(two_rows, large, {}, wide).value, buffer) == s::value_out_of_range);
  CHECK(buffer[0] == 77);
  const auto from = [&](q::view<const std::int32_t> of, q::index_t depth, q::cmsis_nn::offsets offsets) {
    return q::cmsis_nn::from_context<std::int8_t, std::int8_t>(of, depth, offsets).status;
  };
  CHECK(from(buffer, 3, {128, 128}) == s::ok);
  CHECK(from(buffer, 3, {-128, 0}) == s::zero_point_out_of_range);
  CHECK(from(buffer, 3, {0, std::numeric_limits<std::int32_t>::min()}) == s::zero_point_out_of_range);
  CHECK(from(buffer, -3, {}) == s::negative_size);
  CHECK(from({nullptr, 2}, 3, {}) == s::null_data);

  CHECK(q::kernel_sums(two_rows, q::view<std::int32_t>(room, 3)) == s::shape_mismatch);
  CHECK(q::kernel_sums(two_rows, q::view<std::int32_t>(nullptr, 2)) == s::null_data);
  CHECK(q::kernel_sums(q::matrix_view<const std::int8_t>(nullptr, 2, 3), q::view<std::int32_t>(room, 2)) == s::null_data);
  CHECK(q::kernel_sums(q::matrix_view<const std::int8_t>(nullptr, 2, 0, 5), q::view<std::int32_t>(room, 2)) == s::ok);

  CHECK(q::depthwise_kernel_sums(two_rows, q::view<std::int32_t>(room, 3)) == s::ok);
  CHECK((room[0] == -3 && room[1] == -3 && room[2] == -125));
  CHECK(q::depthwise_kernel_sums(two_rows, q::view<std::int32_t>(room, 2)) == s::shape_mismatch);
  CHECK(q::depthwise_kernel_sums(two_rows, q::view<std::int32_t>(nullptr, 3)) == s::null_data);
  CHECK(q::depthwise_kernel_sums(q::matrix_view<const std::int8_t>(nullptr, 2, 3), q::view<std::int32_t>(room, 3)) ==
        s::null_data);
  const q::matrix_view<const std::int8_t> no_taps(nullptr, 0, 3);
  CHECK(q::depthwise_kernel_sums(no_taps, q::view<std::int32_t>(room, 3)) == s::ok);
  CHECK((room[0] == 0 && room[1] == 0 && room[2] == 0));
}

namespace {

/// Checks that a refold of a layer with a window equals the fold of its weights for the other zero point. The outputs must equal
/// an independent loop, at the borders, too.
template <class X, class Acc, bool IsDepthwise>
void check_refolded_window(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<q::index_t>(random() % n); };
  const q::window2d window{{1 + below(4), 1 + below(2), 1 + below(2), below(4), below(4)},
                           {1 + below(4), 1 + below(3), 1 + below(3), below(4), below(4)}};
  const q::index_t taps = window.y.kernel * window.x.kernel;
  const q::index_t depth = IsDepthwise ? 1 : 1 + below(4);
  const q::index_t channels = 1 + below(5);
  std::vector<std::int8_t> w(static_cast<std::size_t>(taps * depth * channels));
  for (std::int8_t& v : w) v = static_cast<std::int8_t>(random());
  std::vector<Acc> bias(static_cast<std::size_t>(channels));
  for (Acc& b : bias) b = static_cast<Acc>(random() % 200001) - 100000;
  const q::matrix_view<const std::int8_t> matrix(w.data(), IsDepthwise ? taps : channels, IsDepthwise ? channels : taps * depth);
  const auto fold = [&](q::zero_points zero, std::vector<Acc>& to) {
    if constexpr (IsDepthwise)
      return q::fold_depthwise<X>(matrix, bias, window, zero, to);
    else
      return q::fold_conv2d<X>(matrix, bias, window, zero, to);
  };
  const q::zero_points zero{static_cast<X>(random()), random() % 2 == 0 ? 0 : static_cast<std::int8_t>(random())};
  const std::int32_t other = random() % 4 == 0 ? 0 : static_cast<X>(random());
  std::vector<Acc> first(bias.size()), expected(bias.size());
  const auto folded = fold(zero, first);
  const auto exact = fold({other, zero.w}, expected);
  REQUIRE((folded.status == s::ok && exact.status == s::ok));
  std::vector<std::int64_t> sums(bias.size());
  if constexpr (IsDepthwise)
    REQUIRE(q::depthwise_kernel_sums(matrix, sums) == s::ok);
  else
    REQUIRE(q::kernel_sums(matrix, sums) == s::ok);
  for (std::size_t o = 0; o < sums.size(); ++o) {  // the sums, by an independent loop
    std::int64_t sum = 0;
    const std::size_t stride = IsDepthwise ? sums.size() : 1;
    for (std::size_t k = 0; k < w.size() / sums.size(); ++k)
      sum += w[IsDepthwise ? k * stride + o : o * w.size() / sums.size() + k];
    REQUIRE(sum == sums[o]);
  }
  const auto moved = q::refold(folded.value, sums, other, first);
  REQUIRE(moved.status == s::ok);
  REQUIRE(first == expected);
  REQUIRE(moved.value.record == exact.value.record);
  REQUIRE(moved.value.record.fingerprint == exact.value.record.fingerprint);
  REQUIRE(moved.value.record.bound.lowest <= exact.value.record.bound.lowest);
  REQUIRE(moved.value.record.bound.highest >= exact.value.record.bound.highest);
  if (channels == 1) {
    REQUIRE(moved.value.record.bound.lowest == exact.value.record.bound.lowest);
    REQUIRE(moved.value.record.bound.highest == exact.value.record.bound.highest);
  }

  const q::index_t in_channels = IsDepthwise ? channels : depth;
  const q::index_t height = 1 + below(6), width = 1 + below(6);
  const q::index_t out_h = q::forward_size(height, window.y), out_w = q::forward_size(width, window.x);
  std::vector<X> x(static_cast<std::size_t>(height * width * in_channels));
  for (X& v : x) v = static_cast<X>(random());
  std::vector<Acc> y(static_cast<std::size_t>(out_h * out_w * channels) + 1);
  const q::nhwc_view<const X> from(x.data(), 1, height, width, in_channels);
  const q::nhwc_view<Acc> to(y.data(), 1, out_h, out_w, channels);
  if constexpr (IsDepthwise) {
    const q::depthwise_layer layer{matrix, moved.value, window, q::raw_output<Acc>{}};
    REQUIRE(q::check(layer, from, to) == s::ok);
    REQUIRE(q::verify(layer) == s::ok);
    q::run(layer, from, to);
  } else {
    const q::conv2d_layer layer{matrix, moved.value, window, q::index_t{1}, q::raw_output<Acc>{}};
    REQUIRE(q::check(layer, from, to) == s::ok);
    REQUIRE(q::verify(layer) == s::ok);
    q::run(layer, from, to);
  }
  for (q::index_t oy = 0; oy < out_h; ++oy)
    for (q::index_t ox = 0; ox < out_w; ++ox)
      for (q::index_t o = 0; o < channels; ++o) {
        std::int64_t sum = bias[static_cast<std::size_t>(o)];
        for (q::index_t ky = 0; ky < window.y.kernel; ++ky)
          for (q::index_t kx = 0; kx < window.x.kernel; ++kx) {
            const q::index_t iy = oy * window.y.stride + ky * window.y.dilation - window.y.pad_before;
            const q::index_t ix = ox * window.x.stride + kx * window.x.dilation - window.x.pad_before;
            if (iy < 0 || iy >= height || ix < 0 || ix >= width) continue;
            for (q::index_t i = 0; i < depth; ++i) {
              const q::index_t tap = ky * window.x.kernel + kx;
              const std::int8_t weight =
                  w[static_cast<std::size_t>(IsDepthwise ? tap * channels + o : (o * taps + tap) * depth + i)];
              const X at = x[static_cast<std::size_t>((iy * width + ix) * in_channels + (IsDepthwise ? o : i))];
              sum += (std::int64_t{at} - other) * (weight - zero.w);
            }
          }
        REQUIRE(y[static_cast<std::size_t>((oy * out_w + ox) * channels + o)] == sum);
      }
}

}  // namespace

TEST_CASE("a refold of a convolution and of a depthwise layer is the fold of the whole window, borders included") {
  std::mt19937 random(43);
  for (int n = 0; n < 200; ++n) {
    check_refolded_window<std::int8_t, std::int32_t, false>(random);
    check_refolded_window<std::int8_t, std::int32_t, true>(random);
    check_refolded_window<std::int16_t, std::int64_t, false>(random);
    check_refolded_window<std::uint8_t, std::int32_t, true>(random);
  }
}

TEST_CASE("a bound covers only its channels, and a saturated end stays saturated") {
  const std::int64_t sums[] = {0, 0};
  const std::int64_t bias[] = {100, 200};
  std::int64_t constants[2] = {};
  const auto made = q::fold_kernel_sums<std::int8_t, std::int8_t>(sums, 0, bias, {}, constants).value.record.bound;
  CHECK((made.lowest == 100 && made.highest == 200));
  const std::int32_t beside[] = {100'000, 100, 200, -100'000};
  const auto theirs = q::cmsis_nn::from_context<std::int8_t, std::int8_t>(q::view(beside + 1, 2), 0, {}).value.record.bound;
  CHECK((theirs.lowest == 100 && theirs.highest == 200));

  const std::int64_t six[] = {6};
  for (const bool is_low : {true, false}) {
    const std::int64_t end[] = {is_low ? q::limits<std::int64_t>::min : q::limits<std::int64_t>::max};
    std::int64_t constant[1] = {};
    const auto folded = q::fold_kernel_sums<std::int8_t, std::int8_t>(six, 3, end, {}, constant).value;
    const auto moved = q::refold(folded, six, is_low ? -1 : 1, constant).value.record.bound;
    CHECK((is_low ? moved.lowest : moved.highest) == end[0]);
  }
}

TEST_CASE("a context needs constants of one tap, the same number of channels, and its own memory") {
  std::int64_t constants[3] = {1, 2, 3};
  const std::int32_t bias[] = {1, 2};
  const auto folded = q::fold<std::int8_t>(two_rows, bias, {}, q::view<std::int64_t>(constants, 2)).value;
  std::int32_t buffer[3] = {77, 77, 77};
  CHECK(q::cmsis_nn::to_context(folded, buffer) == s::shape_mismatch);
  const auto refused = [&](auto change) {
    auto other = folded;
    change(other.record);
    return q::cmsis_nn::to_context(other, q::view<std::int32_t>(buffer, 2)) == s::shape_mismatch;
  };
  CHECK(refused([](q::fold_record& r) { r.taps_y = 2; }));
  CHECK(refused([](q::fold_record& r) { r.taps_x = 2; }));
  CHECK(refused([](q::fold_record& r) { r.step_y = 2; }));
  CHECK(refused([](q::fold_record& r) { r.step_x = 2; }));
  CHECK(refused([](q::fold_record& r) { r.depth = -1; }));
  CHECK(refused([](q::fold_record& r) { r.channels = 3; }));
  CHECK(buffer[0] == 77);
  CHECK(q::cmsis_nn::to_context(folded, q::view<std::int32_t>(reinterpret_cast<std::int32_t*>(constants), 2)) == s::overlap);
  CHECK(q::cmsis_nn::to_context(folded, q::view<std::int32_t>(buffer, 2)) == s::ok);
  CHECK((buffer[0] == 1 && buffer[1] == 2 && buffer[2] == 77));
  std::int32_t shared[2] = {};
  const q::matrix_view<const std::int8_t> within(reinterpret_cast<const std::int8_t*>(shared), 2, 3);
  CHECK(q::kernel_sums(within, shared) == s::overlap);
  static_assert(q::cmsis_nn::offsets{}.input == 0 && q::cmsis_nn::offsets{}.filter == 0);
}

TEST_CASE("a kernel sum that does not fit int32 is refused, and fits int64") {
  const std::vector<std::int16_t> w(65539, -32768);
  const q::matrix_view<const std::int16_t> row(w.data(), 1, 65539);
  std::int32_t narrow[1] = {77};
  std::int64_t wide[1] = {};
  CHECK(q::kernel_sums(row, narrow) == s::value_out_of_range);
  CHECK(narrow[0] == 77);
  CHECK(q::kernel_sums(row, wide) == s::ok);
  CHECK(wide[0] == -65539 * std::int64_t{32768});
}
