#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/compare_inputs.hpp>
#include <dyadic/elementwise/comparison.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/prelu.hpp>
#include <dyadic/elementwise/requantize.hpp>

#include <array>
#include <cstdint>
#include <string>

#include "../support/catch.hpp"

namespace q = dyadic;
using std::int16_t;
using std::int8_t;
using std::uint8_t;

namespace {

/// A function that returns x, except at one x.
struct all_but {
  using value_type = int8_t;
  int8_t x;
  int8_t y;
  constexpr int8_t operator()(int8_t v) const { return v == x ? y : v; }
};
/// A function of two inputs that returns `left`, except at one pair.
struct all_but_pair {
  using value_type = int8_t;
  int8_t left, right, y;
  constexpr int8_t operator()(int8_t l, int8_t r) const { return l == left && r == right ? y : l; }
};
/// A function that halves an argument with more bits than its value.
template <class Ties>
struct halves {
  using argument_type = int16_t;
  using value_type = int8_t;
  constexpr int8_t operator()(int16_t x) const { return q::saturate<int8_t>(q::shift_right<Ties>(std::int64_t{x}, 1)); }
};
/// A function of an int8 and a uint8 that returns 0, except at one pair.
struct zero_but {
  using argument_type = int8_t;
  using second_type = uint8_t;
  using value_type = int16_t;
  int8_t left;
  uint8_t right;
  constexpr int16_t operator()(int8_t l, uint8_t r) const { return l == left && r == right ? int16_t{1000} : int16_t{0}; }
};
/// a == b of stored values.
struct are_equal {
  using argument_type = int8_t;
  using value_type = uint8_t;
  constexpr uint8_t operator()(int8_t a, int8_t b) const { return a == b; }
};
/// a * b / 2, rounded down.
struct half_product {
  using value_type = std::int32_t;
  constexpr std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>(std::int64_t{a} * b >> 1);
  }
};

constexpr q::difference one_input = q::compare_inputs(all_but{-128, 127}, all_but{127, 100});
static_assert(one_input.compared == 256 && one_input.differing == 2 && one_input.worst_distance == 255);
static_assert(one_input.first.acc == -128 && one_input.worst.acc == -128 && one_input.smallest.acc == 127);
static_assert(one_input.smallest.a == 127 && one_input.smallest.b == 100);
static_assert(q::compare_inputs(all_but{1, 1}, all_but{2, 2}).differing == 0);
static_assert(q::compare_inputs(all_but{5, 6}, all_but{2, 2}, {6, 127}).compared == 122);
static_assert(q::compare_inputs(all_but{5, 6}, all_but{2, 2}, {5, 5}).differing == 1);

constexpr q::pair_difference few = q::compare_pairs(all_but_pair{2, -3, 9}, all_but_pair{3, 127, -128}, {2, 3});
static_assert(few.compared == 512 && few.differing == 2 && few.worst_distance == 131);
static_assert(few.smallest.left == 2 && few.smallest.right == -3 && few.smallest.a == 9 && few.smallest.b == 2);
static_assert(few.worst.left == 3 && few.worst.right == 127 && few.worst.a == 3 && few.worst.b == -128);
// Both pairs are equally near, and the first pair is returned.
constexpr q::pair_difference nearest = q::compare_pairs(all_but_pair{-1, 2, 0}, all_but_pair{-1, -2, 0}, {-1, -1});
static_assert(nearest.differing == 2 && nearest.smallest.right == -2 && nearest.worst.right == -2 && nearest.worst_distance == 1);

// Numbers that are not values of the type are left out.
static_assert(q::compare_inputs(all_but{127, 0}, all_but{2, 2}, {127, 127}).compared == 1);
static_assert(q::compare_inputs(all_but{-128, 0}, all_but{127, 0}, {-129, 128}).compared == 256);
static_assert(q::compare_inputs(all_but{-128, 0}, all_but{127, 0}, {-129, 128}).differing == 2);
static_assert(q::compare_inputs(all_but{-128, 0}, all_but{127, 0}, {128, 1000}).compared == 0);
static_assert(q::compare_inputs(all_but{-128, 0}, all_but{127, 0}, {-1000, -129}).compared == 0);
static_assert(q::compare_pairs(all_but_pair{-128, 0, 0}, all_but_pair{127, 0, 0}, {-129, -128}).compared == 256);
static_assert(q::compare_pairs(all_but_pair{-128, 0, 0}, all_but_pair{127, 0, 0}, {127, 128}).differing == 1);
static_assert(q::compare_pairs(all_but_pair{-128, 0, 0}, all_but_pair{127, 0, 0}, {128, 1000}).compared == 0);
static_assert(q::compare_pairs(all_but_pair{5, 7, 0}, all_but_pair{6, 8, 0}, {5, 6}, {7, 1000}).compared == 2 * 121);
static_assert(q::compare_pairs(all_but_pair{5, 7, 0}, all_but_pair{6, 8, 0}, {5, 6}, {7, 1000}).differing == 2);
static_assert(q::compare_pairs(all_but_pair{5, 7, 0}, all_but_pair{6, 8, 0}, {5, 6}, {8, 8}).differing == 1);
static_assert(q::compare_pairs(all_but_pair{5, 7, 0}, all_but_pair{6, 8, 0}, {5, 6}, {128, 1000}).compared == 0);

// Each input has the values of its own type.
constexpr q::pair_difference mixed = q::compare_pairs(zero_but{-128, 255}, zero_but{-128, 128}, {-128, -127});
static_assert(mixed.compared == 512 && mixed.differing == 2 && mixed.worst_distance == 1000);
static_assert(mixed.smallest.left == -128 && mixed.smallest.right == 128 && mixed.worst.right == 128);
static_assert(q::compare_pairs(zero_but{-128, 255}, zero_but{-128, 128}, {-1, 200}).compared == 129 * 256);

// Operands of 32 bits have an interval each. Odd products are ties.
constexpr q::pair_difference products = q::compare_pairs(q::tosa::multiply{1}, half_product{}, {-3, 3}, {-3, 3});
static_assert(products.compared == 49 && products.differing == 16 && products.worst_distance == 1);
static_assert(q::compare_pairs(q::tosa::multiply{1}, half_product{}, {q::int32_min, q::int32_min}, {-2, 0}).differing == 0);
static_assert(q::compare_pairs(q::tosa::multiply{1}, half_product{}, {q::int32_max, q::int32_max}, {1, 1}).differing == 1);

}  // namespace

TEST_CASE("rules of one input are compared on all values of their argument") {
  const q::difference d = q::compare_inputs(halves<q::half_up>{}, halves<q::half_away>{});
  CHECK(d.compared == 65536);
  CHECK(d.differing == 128);  // -1, -3, .. -255; smaller ones are -128 in both
  CHECK(d.smallest.acc == -1);
  CHECK(d.first.acc == -255);
  CHECK(d.worst_distance == 1);
}

TEST_CASE("rules of two inputs are compared on all pairs, also in parts") {
  const q::output_range range = q::range_of<int8_t>();
  const auto twice = q::tflite::add<int8_t>::derive(0.25f, 0, 0.25f, 0, 0.5f, range).value;
  const auto once = q::tflite::add<int8_t, q::tflite::single_rounding>::derive(0.25f, 0, 0.25f, 0, 0.5f, range).value;
  // (a + b) / 2 with ties away from zero and with ties up differ for odd negative sums.
  int odd = 0;
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b) odd += a + b < 0 && (a + b) % 2 != 0;
  const q::pair_difference d = q::compare_pairs(twice, once);
  CHECK(d.compared == 65536);
  CHECK(d.differing == static_cast<std::uint64_t>(odd));
  CHECK(d.worst_distance == 1);
  CHECK((d.smallest.left == -1 && d.smallest.right == 0 && d.smallest.a == -1 && d.smallest.b == 0));
  const q::pair_difference parts = merge(q::compare_pairs(twice, once, {-128, -2}), q::compare_pairs(twice, once, {-1, 127}));
  CHECK(std::string(to_string(parts).c_str()) == to_string(d).c_str());
  CHECK(std::string(to_string(d).c_str()) ==
        "16512 of 65536 differ; the smallest at -1 and 0, -1 and 0; the worst by 1 at -128 and -127, -128 and -127");
  CHECK(std::string(to_string(q::compare_pairs(once, once, {0, 0})).c_str()) == "none of 256 differ");
  CHECK(std::string(to_string(q::pair_difference{}).c_str()) == "nothing was compared");
  const q::pair_difference later = merge(q::compare_pairs(once, once, {0, 0}), d);
  CHECK((later.differing == d.differing && later.compared == d.compared + 256));
  CHECK(merge(d, q::pair_difference{}).worst.left == -128);
}

TEST_CASE("rules are compared whose outputs have other types than their inputs") {
  const auto narrow = q::tflite::requantize<int8_t, int8_t>::derive(1.0f, 0, 0.5f, 0).value;
  const auto wide = q::tflite::requantize<int8_t, int16_t>::derive(1.0f, 0, 0.5f, 0).value;
  const q::difference d = q::compare_inputs(wide, narrow);
  CHECK((d.compared == 256 && d.differing == 128 && d.worst_distance == 128));  // 2 * x is beyond int8
  CHECK((d.smallest.acc == 64 && d.smallest.a == 128 && d.smallest.b == 127));
}

TEST_CASE("a comparison is of its own operands, and not of its output's type") {
  // At a scale of 2^-9 TFLite compares x / 2, ties away from zero: a pair of neighbours is equal.
  const auto equal = q::tflite::compare<int8_t, q::operator_id::equal>::derive(0x1p-9f, 0, 0x1p-9f, 0).value;
  const auto half = [](int x) { return x < 0 ? -((1 - x) / 2) : (x + 1) / 2; };
  std::uint64_t pairs = 0;
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b) pairs += a != b && half(a) == half(b);
  const q::pair_difference d = q::compare_pairs(equal, are_equal{});
  CHECK((d.compared == 65536 && d.differing == pairs && pairs == 254));
  CHECK((d.smallest.left == -2 && d.smallest.right == -1 && d.smallest.a == 1 && d.smallest.b == 0));
}

TEST_CASE("slopes of int8 are compared for elements of int16") {
  const q::output_range range = q::range_of<int16_t>();
  const auto twice = q::tflite::prelu<int16_t>::derive(0.5f, 0, 0.25f, 0, 0.5f, range).value;
  const auto once = q::tflite::prelu<int16_t, q::tflite::single_rounding>::derive(0.5f, 0, 0.25f, 0, 0.5f, range).value;
  const q::pair_difference d = q::compare_pairs(twice, once, {-2, 0});
  // p / 4, rounded up at ties; or p / 2 rounded so, then halved with ties away from zero.
  std::uint64_t pairs = 0;
  for (int x = -2; x < 0; ++x)
    for (int alpha = -128; alpha < 128; ++alpha) {
      const int p = x * alpha;
      const int h = (p + 1) >> 1;
      pairs += (h < 0 ? -((1 - h) / 2) : (h + 1) / 2) != (p + 2) >> 2;
    }
  CHECK((d.compared == 768 && d.worst_distance == 1));
  CHECK((d.differing == pairs && pairs > 0));
}
