#include <dyadic/dot.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/cases.hpp"
#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;

namespace {

/// Compares `dot` with a sum in 64 bits that does not overflow and is then reduced.
template <class Accumulator, class X, class W, std::size_t N>
constexpr bool is_dot(const X (&x)[N], const W (&w)[N], std::int64_t expected) {
  std::int64_t exact = 0;
  for (std::size_t k = 0; k < N; ++k) exact += std::int64_t{x[k]} * w[k];
  return exact == expected &&
         q::dot<Accumulator>(x, w, static_cast<q::index_t>(N)) == q::wrap<Accumulator>(static_cast<std::uint64_t>(expected));
}

constexpr std::int8_t least8[] = {-128, -128, 127};
constexpr std::uint8_t most8u[] = {255, 255, 255, 255};
constexpr std::int16_t least16[] = {-32768, -32768};
constexpr std::int8_t pair8[] = {-128, 127};

constexpr bool products_hold() {
  return is_dot<std::int32_t>(least8, least8, 2 * 16384 + 16129) && is_dot<std::int32_t>(most8u, most8u, 4 * 65025) &&
         is_dot<std::int64_t>(least16, pair8, 32768) && is_dot<std::int32_t>(pair8, least16, 32768) &&
         // int16 x int16: one product is 2^30. Two products are 2^31, which only 64 bits hold.
         is_dot<std::int64_t>(least16, least16, std::int64_t{1} << 31) &&
         is_dot<std::int32_t>(least16, least16, std::int64_t{1} << 31) &&
         q::dot<std::int32_t>(least16, least16, 2) == std::numeric_limits<std::int32_t>::min();
}
static_assert(products_hold());

/// Checks that depth 0 reads nothing.
constexpr bool empty_is_zero() {
  const std::int8_t* const nothing = nullptr;
  return q::dot<std::int32_t>(nothing, nothing, 0) == 0 && q::dot<std::int64_t>(nothing, nothing, 0) == 0 &&
         q::sum<std::int32_t>(nothing, 0) == 0;
}
static_assert(empty_is_zero());

/// Checks that sums wrap: 512 products of 2^22 are 2^31, one more than int32 holds.
constexpr bool sums_wrap() {
  std::int16_t x[513] = {};
  std::int8_t w[513] = {};
  for (int k = 0; k < 513; ++k) {
    x[k] = -32768;
    w[k] = -128;
  }
  constexpr std::int32_t min = std::numeric_limits<std::int32_t>::min();
  return q::dot<std::int32_t>(x, w, 511) == 511 * (1 << 22) && q::dot<std::int32_t>(x, w, 512) == min &&
         q::dot<std::int32_t>(x, w, 513) == min + (1 << 22) && q::dot<std::int64_t>(x, w, 513) == 513LL * (1 << 22);
}
static_assert(sums_wrap());

/// A backend without a kernel of its own.
struct accelerator {
  using fallback = q::backend::scalar;
};

/// Checks the dot products of a backend in the constant evaluator: the default accumulator is an int64, and rows have gaps.
template <class Backend>
constexpr bool backend_runs() {
  const std::int16_t x[] = {-32768, -32768, 1, 7, 3, 2};
  const std::int16_t w[] = {-32768, -32768, 5};
  const std::uint8_t nibbles[] = {0x8F, 0x07};  // -1, -8, 7
  static_assert(std::is_same_v<decltype(q::dot<Backend>(x, w, 3)), std::int64_t>);
  static_assert(std::is_same_v<decltype(q::dot<Backend, std::int32_t>(x, w, 3)), std::int32_t>);
  std::int64_t y[2] = {};
  std::int32_t z[2] = {};
  q::dot<Backend>(q::matrix_view<const std::int16_t>(x, 2, 2, 4), w, y);
  q::dot<Backend>(q::matrix_view(x, 2, 3), q::int4_pointer(nibbles, 0), z);
  return q::dot<Backend>(x, w, 3) == (std::int64_t{1} << 31) + 5 &&
         q::dot<Backend, std::int32_t>(x, w, 3) == std::numeric_limits<std::int32_t>::min() + 5 &&
         y[0] == std::int64_t{1} << 31 && y[1] == -5 * std::int64_t{32768} && z[0] == 9 * 32768 + 7 && z[1] == -7 - 24 + 14;
}
static_assert(backend_runs<q::backend::scalar>() && backend_runs<accelerator>());

constexpr bool elements_sum() {
  const std::int8_t w[] = {-128, -128, 127, 1};
  const std::uint8_t u[] = {255, 255};
  return q::sum<std::int32_t>(w, 4) == -128 && q::sum<std::int32_t>(u, 2) == 510 && q::sum<std::int8_t>(w, 2) == 0;
}
static_assert(elements_sum());

template <class Accumulator, class X, class W>
int count_wrong(random_bits& random) {
  constexpr int longest = 200;  // several blocks and a tail
  int wrong = 0;
  for (int round = 0; round < 20'000 / DYADIC_TEST_DIVISOR; ++round) {
    X x[longest] = {};
    W w[longest] = {};
    const int depth = random.below(longest + 1);
    std::int64_t exact = 0, sum = 0;
    for (int k = 0; k < depth; ++k) {
      x[k] = random.one_in(3) ? std::numeric_limits<X>::min() : static_cast<X>(random.word());
      w[k] = random.one_in(3) ? std::numeric_limits<W>::min() : static_cast<W>(random.word());
      exact += std::int64_t{x[k]} * w[k];
      sum += w[k];
    }
    wrong += q::dot<Accumulator>(x, w, depth) != q::wrap<Accumulator>(static_cast<std::uint64_t>(exact));
    wrong += q::sum<Accumulator>(w, depth) != q::wrap<Accumulator>(static_cast<std::uint64_t>(sum));
  }
  return wrong;
}

/// Counts wrong sums of nibbles that begin at either half of a byte, for every depth up to several blocks. No byte past the end
/// is read.
template <class Accumulator, class X>
int count_wrong_nibbles(random_bits& random) {
  constexpr int longest = 130;
  int wrong = 0;
  X x[longest] = {};
  for (X& v : x) v = random.one_in(3) ? std::numeric_limits<X>::min() : static_cast<X>(random.word());
  for (int depth = 0; depth <= longest; ++depth)
    for (const int first : {0, 1, 5}) {
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(first + depth + 1) / 2);
      for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
      const q::int4_pointer w(bytes.data(), first);
      std::int64_t exact = 0;
      for (int k = 0; k < depth; ++k) {
        const int nibble = bytes[static_cast<std::size_t>(first + k) / 2] >> (first + k) % 2 * 4 & 15;
        exact += std::int64_t{x[k]} * (nibble < 8 ? nibble : nibble - 16);
      }
      wrong += q::dot<Accumulator>(x, w, depth) != q::wrap<Accumulator>(static_cast<std::uint64_t>(exact));
    }
  return wrong;
}

}  // namespace

TEST_CASE("a dot product of the largest operands is exact where the accumulator holds it") {
  CHECK(products_hold());
  CHECK(elements_sum());
}

TEST_CASE("a backend without a dot product runs the definition, and so does the constant evaluator") {
  CHECK(backend_runs<q::backend::scalar>());
  CHECK(backend_runs<accelerator>());
}

TEST_CASE("a dot product of depth 0 is 0 and reads nothing") { CHECK(empty_is_zero()); }

TEST_CASE("a dot product beyond its accumulator wraps") { CHECK(sums_wrap()); }

TEST_CASE("random dot products with nibbles are the 64-bit sum modulo the accumulator") {
  INFO("seed " << seed);
  random_bits random;
  CHECK(count_wrong_nibbles<std::int32_t, std::int8_t>(random) == 0);
  CHECK(count_wrong_nibbles<std::int32_t, std::int16_t>(random) == 0);
  CHECK(count_wrong_nibbles<std::int64_t, std::int16_t>(random) == 0);
}

TEST_CASE("random dot products are the 64-bit sum modulo the accumulator") {
  INFO("seed " << seed);
  random_bits random;
  CHECK(count_wrong<std::int32_t, std::int8_t, std::int8_t>(random) == 0);
  CHECK(count_wrong<std::int32_t, std::uint8_t, std::uint8_t>(random) == 0);
  CHECK(count_wrong<std::int32_t, std::uint8_t, std::int8_t>(random) == 0);
  CHECK(count_wrong<std::int32_t, std::int16_t, std::int8_t>(random) == 0);
  CHECK(count_wrong<std::int32_t, std::int16_t, std::int16_t>(random) == 0);
  CHECK(count_wrong<std::int64_t, std::int16_t, std::int8_t>(random) == 0);
  CHECK(count_wrong<std::int64_t, std::int16_t, std::int16_t>(random) == 0);
}
