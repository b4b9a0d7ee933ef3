#include <dyadic/detail/portable.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace portable = dyadic::detail::portable;
using namespace support;

namespace {

/// Returns true if the three functions agree with the compiler's builtins on a and b.
template <class T>
bool agrees(T a, T b) {
  T found = 0, expected = 0;
  const bool add = portable::add_overflows(a, b, &found) == __builtin_add_overflow(a, b, &expected) && found == expected;
  const bool subtract =
      portable::subtract_overflows(a, b, &found) == __builtin_sub_overflow(a, b, &expected) && found == expected;
  const bool multiply =
      portable::multiply_overflows(a, b, &found) == __builtin_mul_overflow(a, b, &expected) && found == expected;
  return add && subtract && multiply;
}

/// Returns 0, the ends of the type, each power of two with its neighbours, and their negatives.
template <class T>
std::vector<T> edges() {
  std::vector<T> all{0, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  for (int bit = 0; bit < std::numeric_limits<T>::digits; ++bit)
    for (int step = -1; step <= 1; ++step) {
      const T power = static_cast<T>(T{1} << bit);
      all.push_back(static_cast<T>(power + step));
      all.push_back(static_cast<T>(-power - step));
    }
  return all;
}

template <class T>
int count_wrong() {
  int wrong = 0;
  const std::vector<T> all = edges<T>();
  for (const T a : all)
    for (const T b : all) wrong += agrees(a, b) ? 0 : 1;
  random_bits random;
  constexpr int digits = std::numeric_limits<T>::digits;
  for (int i = 0; i < 200'000 / DYADIC_TEST_DIVISOR; ++i) {
    const T a = static_cast<T>(random.integer(digits));
    wrong += agrees(a, static_cast<T>(random.integer(digits))) ? 0 : 1;
    if (a == 0) continue;
    // The quotients around the end of the type: the largest factor that fits, and the next one.
    const T fits = static_cast<T>((random.one_in(2) ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min() + 1) / a);
    wrong +=
        agrees(a, fits) && agrees(a, static_cast<T>(fits + (fits < 0 ? -1 : fits > 0 && fits < std::numeric_limits<T>::max())))
            ? 0
            : 1;
  }
  return wrong;
}

constexpr bool meets_in_evaluator() {
  const int all[] = {1, 2, 3, 4};
  return portable::meet(all, all + 4, all, all + 4) && portable::meet(all, all + 2, all + 1, all + 4) &&
         portable::meet(all + 1, all + 4, all, all + 2) && portable::meet(all, all + 4, all + 3, all + 4) &&
         !portable::meet(all, all + 2, all + 2, all + 4) && !portable::meet(all + 2, all + 4, all, all + 2);
}
static_assert(meets_in_evaluator());

#if !defined(__GNUC__) || defined(__clang__) || __GNUC__ >= 12  // GCC 11 compares no addresses in different arrays.
constexpr bool arrays_are_apart() {
  const int all[] = {1, 2, 3, 4};
  const int other[] = {1, 2, 3, 4};
  return !portable::meet(all, all + 4, other, other + 4);
}
static_assert(arrays_are_apart());
#endif

constexpr std::int64_t product_in_evaluator() {
  std::int64_t product = 0;
  return portable::multiply_overflows(std::int64_t{-3'000'000'000}, std::int64_t{3'000'000'000}, &product) ? 0 : product;
}
static_assert(product_in_evaluator() == -9'000'000'000'000'000'000);

}  // namespace

TEST_CASE("portable forms of overflow are those of the compiler") {
  INFO("seed " << seed);
  CHECK(count_wrong<int>() == 0);
  CHECK(count_wrong<long>() == 0);
  CHECK(count_wrong<long long>() == 0);
}

TEST_CASE("an overflow of the least number by -1 is found") {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t product = 0;
  CHECK(portable::multiply_overflows(lowest, std::int64_t{-1}, &product));
  CHECK(portable::multiply_overflows(std::int64_t{-1}, lowest, &product));
  CHECK_FALSE(portable::multiply_overflows(lowest, std::int64_t{1}, &product));
  CHECK(product == lowest);
}

TEST_CASE("portable forms count ones and leading zeros") {
  CHECK(portable::leading_zeros(0) == 64);
  CHECK(portable::count_ones(0) == 0);
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    CHECK(portable::leading_zeros(power) == 63 - bit);
    CHECK(portable::leading_zeros(power | 1u) == 63 - bit);
    CHECK(portable::leading_zeros(power - 1) == 64 - bit);
    if (bit < 32) CHECK(portable::count_ones(static_cast<std::uint32_t>(power - 1)) == bit);
  }
  random_bits random;
  for (int i = 0; i < 1000; ++i) {
    const auto x = static_cast<std::uint32_t>(random());
    int ones = 0;
    for (int bit = 0; bit < 32; ++bit) ones += static_cast<int>(x >> bit & 1u);
    CHECK(portable::count_ones(x) == ones);
  }
}
