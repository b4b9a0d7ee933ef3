#include <dyadic/rescale.hpp>
#include <dyadic/scheme/exact.hpp>

#include "../oracle/linear.hpp"
#include "../support/catch.hpp"
#include "../support/samples.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace {

namespace q = dyadic;
namespace tosa = dyadic::tosa;
using q::packed_int48;
using q::status;
using tosa::element;
using tosa::rounding_mode;

constexpr packed_int48 packed(std::int64_t x) { return packed_int48::of(q::int48::wrapped(x)); }

// ---- by the compiler and at run time

/// Rescales int48 beyond 2^32 to int16, with a multiplier for each of three columns. Only the second of two rows is run.
constexpr std::array<std::int16_t, 6> from_int48() {
  const packed_int48 x[] = {
      packed(1), packed(2), packed(3), packed(-(std::int64_t{1} << 46)), packed(3 * (std::int64_t{1} << 45)), packed(-5)};
  const q::multiplier16 multipliers[] = {{1 << 14, 47}, {3 << 13, 48}, {1 << 14, 15}};
  std::array<std::int16_t, 6> y{};
  const q::rescale_layer layer{0, q::per_channel_output<std::int16_t, tosa::scale16>{multipliers, q::range_of<std::int16_t>(7)}};
  const q::matrix_view<std::int16_t> out(y.data(), 2, 3);
  if (check(layer, q::matrix_view(x, 2, 3), out) == status::ok) run(layer, q::matrix_view(x, 2, 3), out, {1, 2});
  return y;
}
constexpr bool from_int48_holds(const std::array<std::int16_t, 6>& y) {
  // -2^46 * 2^14 / 2^47 = -2^13; 3 * 2^45 * 3 * 2^13 / 2^48 = 9 * 2^10; -5 / 2 = -2.5, ties up.
  return y[0] == 0 && y[1] == 0 && y[2] == 0 && y[3] == -8192 + 7 && y[4] == 9216 + 7 && y[5] == -2 + 7;
}
static_assert(from_int48_holds(from_int48()));

/// Rescales as TOSA: unsigned bytes with zero point 128, stored as int8, to int8. 255 - 128 = 127, halved with ties up, is 64.
constexpr std::array<std::int8_t, 3> from_unsigned() {
  const std::int8_t x[] = {-1, 0, -128};
  const std::int32_t multipliers[] = {1 << 30};
  const std::int8_t shifts[] = {31};
  std::array<std::int8_t, 3> y{};
  const tosa::rescale_tensor<std::int32_t, std::int8_t> op{
      {element::i8, element::i8, true, false, true, rounding_mode::single_round, 128, -1}, multipliers, shifts};
  if (rescale(op, q::matrix_view(x, 1, 3), q::matrix_view(y.data(), 1, 3)) != status::ok) return {};
  return y;
}
static_assert(from_unsigned()[0] == 63 && from_unsigned()[1] == -65 && from_unsigned()[2] == -1);

// ---- all pairs of types against the definition

/// True if X is tested with each type of outputs.
template <class X>
constexpr bool has_all_pairs = DYADIC_TEST_DIVISOR == 1 || std::is_same_v<X, std::int32_t>;

template <class T>
T random_value(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, packed_int48>) {
    return packed(static_cast<std::int64_t>(random()) >> (16 + random() % 48));
  } else {
    switch (random() % 6) {
      case 0: return std::numeric_limits<T>::min();
      case 1: return std::numeric_limits<T>::max();
      default: return static_cast<T>(static_cast<std::int64_t>(random()) >> (random() % 64));
    }
  }
}

std::int64_t number(packed_int48 x) { return x.unpack().value(); }
template <class T>
std::int64_t number(T x) {
  return x;
}

/// A scheme whose accumulator holds all x - zero_point, and the bits of a mantissa with which the definition fits 62 bits.
template <class X>
struct choice {
  using scheme = tosa::scale32;
  static constexpr int mantissa_bits = 31;
};
template <>
struct choice<std::int32_t> {
  using scheme = tosa::scale16;
  static constexpr int mantissa_bits = 15;
};
template <>
struct choice<packed_int48> : choice<std::int32_t> {};
template <>
struct choice<std::int64_t> {
  using scheme = q::exact::half_up;
  static constexpr int mantissa_bits = 1;
};

template <class X, class Y>
void check_random_array(std::mt19937_64& random) {
  using scheme = typename choice<X>::scheme;
  using multiplier = typename scheme::multiplier_type;
  using mantissa_type = typename multiplier::mantissa_type;
  constexpr int bits = choice<X>::mantissa_bits;
  const auto rows = static_cast<q::index_t>(random() % 4), cols = static_cast<q::index_t>(random() % 6);
  const q::index_t x_stride = cols + static_cast<q::index_t>(random() % 3),
                   y_stride = cols + static_cast<q::index_t>(random() % 3);
  std::vector<X> x(static_cast<std::size_t>(rows * x_stride));
  for (X& v : x) v = random_value<X>(random);
  std::int32_t zero_point = 0;
  if constexpr (!std::is_same_v<X, packed_int48> && sizeof(X) <= 4)
    zero_point = static_cast<std::int32_t>(random_value<X>(random));
  const Y a = random_value<Y>(random), b = random_value<Y>(random);
  const q::output_range range{static_cast<std::int32_t>(random_value<Y>(random)), static_cast<std::int32_t>(std::min(a, b)),
                              static_cast<std::int32_t>(std::max(a, b))};
  std::vector<multiplier> multipliers;
  std::vector<std::int64_t> mantissas, right_shifts;
  std::vector<std::int32_t> mantissas32, left_shifts;
  for (q::index_t c = 0; c < std::max<q::index_t>(cols, 1); ++c) {
    const auto mantissa =
        static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) + random() % (std::uint64_t{1} << (bits - 1)));
    multipliers.push_back({static_cast<mantissa_type>(mantissa), static_cast<std::int32_t>(2 + random() % 45)});
    mantissas.push_back(mantissa);
    right_shifts.push_back(multipliers.back().right_shift);
    mantissas32.push_back(static_cast<std::int32_t>(mantissa));
    left_shifts.push_back(31 - multipliers.back().right_shift);
  }
  const auto compare = [&](const auto& output, bool per_channel) {
    std::vector<Y> y(static_cast<std::size_t>(rows * y_stride));
    for (Y& v : y) v = random_value<Y>(random);
    std::vector<Y> expected = y;
    const q::rescale_layer layer{zero_point, output};
    const q::matrix_view<const X> in(x.data(), rows, cols, x_stride);
    const q::matrix_view<Y> out(y.data(), rows, cols, y_stride);
    REQUIRE(check(layer, in, out) == status::ok);
    const auto cut = static_cast<q::index_t>(random() % static_cast<unsigned>(rows + 1));
    run(layer, in, out, {cut, rows});
    REQUIRE(std::equal(y.begin(), y.begin() + cut * y_stride, expected.begin()));
    const std::vector<Y> half = y;
    run(layer, in, out, {0, cut});
    REQUIRE(std::equal(y.begin() + cut * y_stride, y.end(), half.begin() + cut * y_stride));
    for (q::index_t r = 0; r < rows; ++r)
      for (q::index_t c = 0; c < cols; ++c) {
        const multiplier m = multipliers[static_cast<std::size_t>(per_channel ? c : 0)];
        const std::int64_t acc = number(x[static_cast<std::size_t>(r * x_stride + c)]) - zero_point;
        const std::int64_t value = oracle::nearest_half_up(acc, m.mantissa, m.right_shift) + range.zero_point;
        expected[static_cast<std::size_t>(r * y_stride + c)] =
            static_cast<Y>(std::clamp<std::int64_t>(value, range.min, range.max));
      }
    REQUIRE(y == expected);
  };
  if (cols > 0 || random() % 2 == 0) compare(q::per_tensor_output<Y, scheme>{multipliers[0], range}, false);
  if (cols == 0) return;
  compare(q::per_channel_output<Y, scheme>{multipliers, range}, true);
  compare(q::per_channel_arrays_output<Y, scheme, std::int64_t, q::shift_convention::right>{mantissas, right_shifts, range},
          true);
  if constexpr (bits == 31) compare(q::per_channel_arrays_output<Y, scheme>{mantissas32, left_shifts, range}, true);
}

/// Checks outputs of all types. Builds with fewer samples check only int8 and uint16, because other machines run the same scalar
/// code.
template <class X>
void check_random_arrays(std::mt19937_64& random) {
  check_random_array<X, std::int8_t>(random);
  check_random_array<X, std::uint16_t>(random);
  if constexpr (has_all_pairs<X>) {
    check_random_array<X, std::uint8_t>(random);
    check_random_array<X, std::int16_t>(random);
    check_random_array<X, std::int32_t>(random);
  }
}

// ---- TOSA against the definition

struct definition {
  status found;
  std::int64_t value;
};

constexpr std::int64_t power(int n) { return std::int64_t{1} << n; }
int width(element e) { return e == element::i8 ? 8 : e == element::i16 ? 16 : e == element::i32 ? 32 : 48; }

bool error_if(const tosa::rescale_attributes& a) {
  const auto zero_point_legal = [](std::int64_t zp, element e, bool is_unsigned) {
    if (e == element::i8) return is_unsigned ? zp >= 0 && zp <= 255 : zp >= -128 && zp <= 127;
    return zp == 0 || (e == element::i16 && is_unsigned && zp == 32768);
  };
  return (a.scale32 && a.input == element::i48) || (!a.scale32 && a.rounding == rounding_mode::double_round) ||
         (a.input_unsigned && a.output_unsigned) || (a.output == element::i32 && a.input_unsigned) ||
         (a.output_unsigned && (a.input == element::i32 || a.input == element::i48)) ||
         (a.input_unsigned && (a.input == element::i32 || a.input == element::i48)) ||
         (a.output_unsigned && a.output == element::i32) || !zero_point_legal(a.input_zero_point, a.input, a.input_unsigned) ||
         !zero_point_legal(a.output_zero_point, a.output, a.output_unsigned);
}

/// Computes one element of RESCALE. `stored` is the value of the bits as the C++ type reads them.
definition rescaled(const tosa::rescale_attributes& a, std::int64_t stored, std::int64_t m, std::int64_t s) {
  const definition wrong{status::unpredictable, 0};
  const int bits = width(a.input);
  if (a.input_unsigned && stored < 0) stored += power(bits);
  if (!a.input_unsigned && bits < 32 && stored >= power(bits - 1)) stored -= power(bits);
  if (stored < (a.input_unsigned ? 0 : -power(bits - 1)) || stored >= (a.input_unsigned ? power(bits) : power(bits - 1)))
    return wrong;
  const std::int64_t v = stored - a.input_zero_point;
  if (m < 0 || m > (a.scale32 ? 2147483647 : 32767) || s < 2 || s > 62) return wrong;
  const int shift = static_cast<int>(s);
  if (a.scale32 && (v < -power(shift - 1) || v >= power(shift - 1))) return wrong;
  std::int64_t rounding = power(shift - 1);
  if (a.rounding == rounding_mode::double_round && shift > 31) rounding += v >= 0 ? power(30) : -power(30);
  std::int64_t y = (v * m + rounding) >> shift;
  if (y < -power(31) || y >= power(31)) return wrong;
  y += a.output_zero_point;
  if (y < -power(31) || y >= power(31)) return wrong;
  const int to = width(a.output);
  return {status::ok, a.output_unsigned ? std::clamp<std::int64_t>(y, 0, power(to) - 1)
                                        : std::clamp<std::int64_t>(y, -power(to - 1), power(to - 1) - 1)};
}

template <class T>
constexpr element element_of() {
  if constexpr (std::is_same_v<T, packed_int48> || std::is_same_v<T, std::int64_t>)
    return element::i48;
  else
    return sizeof(T) == 1 ? element::i8 : sizeof(T) == 2 ? element::i16 : element::i32;
}

struct tally {
  int ok = 0, illegal = 0, unpredictable = 0;
};

template <class X, class Y, class M>
void check_random_tensor(std::mt19937_64& random, tally& seen) {
  const bool per_channel = random() % 2 == 0;
  const auto rows = static_cast<q::index_t>(random() % 4), cols = static_cast<q::index_t>(random() % 5);
  std::vector<X> x(static_cast<std::size_t>(rows * cols));
  for (X& v : x) v = random_value<X>(random);
  if constexpr (std::is_same_v<X, std::int64_t>)
    for (X& v : x)
      if (random() % 16 != 0) v >>= 16;
  tosa::rescale_attributes a{element_of<X>(), element_of<Y>()};
  a.input_unsigned = random() % 4 == 0;
  a.output_unsigned = random() % 4 == 0;
  a.scale32 = a.input != element::i48 && sizeof(M) == 4 && random() % 2 == 0;
  a.rounding = random() % 3 == 0 ? rounding_mode::double_round : rounding_mode::single_round;
  const auto zero_point = [&](element e, bool is_unsigned) -> std::int64_t {
    if (random() % 16 == 0) return static_cast<std::int64_t>(random() % 70000) - 35000;
    if (e == element::i8) return static_cast<std::int64_t>(random() % 256) - (is_unsigned ? 0 : 128);
    return e == element::i16 && is_unsigned && random() % 2 == 0 ? 32768 : 0;
  };
  a.input_zero_point = zero_point(a.input, a.input_unsigned);
  a.output_zero_point = zero_point(a.output, a.output_unsigned);
  std::vector<M> multipliers;
  std::vector<std::int8_t> shifts;
  for (q::index_t i = 0; i < (per_channel ? cols : 1); ++i) {
    const std::uint64_t mantissa = random() % (a.scale32 ? 1u << 31 : 1u << 15);
    multipliers.push_back(static_cast<M>(random() % 64 == 0 ? random() : mantissa));
    const int least = a.input == element::i8 ? 10 : a.input == element::i16 ? 18 : 33;
    shifts.push_back(static_cast<std::int8_t>(random() % 64 == 0 ? static_cast<int>(random() % 256) - 128
                                                                 : least + static_cast<int>(random() % 20)));
  }
  const tosa::rescale_tensor<M, std::int8_t> op{a, multipliers, shifts, per_channel};
  std::vector<Y> y(x.size());
  for (Y& v : y) v = random_value<Y>(random);
  const std::vector<Y> before = y;
  std::vector<Y> expected;
  bool all_ok = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = per_channel ? i % static_cast<std::size_t>(cols) : 0;
    const definition d = rescaled(a, number(x[i]), multipliers[c], shifts[c]);
    all_ok = all_ok && d.found == status::ok;
    expected.push_back(static_cast<Y>(d.value));
  }
  const q::matrix_view<const X> in(x.data(), rows, cols);
  const q::matrix_view<Y> out(y.data(), rows, cols);
  const status strict = rescale(op, in, out);
  if (error_if(a)) {
    ++seen.illegal;
    REQUIRE(strict == status::illegal_operator);
    REQUIRE(check(op, in, out) == status::illegal_operator);
    REQUIRE(y == before);
    return;
  }
  ++(all_ok ? seen.ok : seen.unpredictable);
  REQUIRE(strict == (all_ok ? status::ok : status::unpredictable));
  REQUIRE(y == (all_ok ? expected : before));
  REQUIRE(check(op, in, out) == status::ok);
  const auto cut = static_cast<q::index_t>(random() % static_cast<unsigned>(rows + 1));
  run(op, in, out, {cut, rows});
  run(op, in, out, {0, cut});
  REQUIRE(y == expected);
}

template <class X>
void check_random_tensors(std::mt19937_64& random, tally& seen) {
  check_random_tensor<X, std::uint8_t, std::int32_t>(random, seen);
  check_random_tensor<X, std::int16_t, std::int16_t>(random, seen);
  if constexpr (has_all_pairs<X>) {
    check_random_tensor<X, std::int8_t, std::int32_t>(random, seen);
    check_random_tensor<X, std::uint16_t, std::int32_t>(random, seen);
    check_random_tensor<X, std::int32_t, std::int32_t>(random, seen);
  }
}

// ---- sound arguments to spoil, one at a time

struct sound {
  std::int16_t x[6] = {1, 2, 3, 4, 5, 6};
  std::int32_t mantissas[3] = {1 << 30, 1 << 30, 1 << 30};
  std::int32_t shifts[3] = {0, 0, 0};
  std::int8_t y[6] = {77, 77, 77, 77, 77, 77};

  q::rescale_layer<q::per_channel_arrays_output<std::int8_t, tosa::scale32>> layer{5, {mantissas, shifts}};
  q::matrix_view<const std::int16_t> in{x, 2, 3};
  q::matrix_view<std::int8_t> out{y, 2, 3};
};

struct sound_tensor {
  std::int16_t x[6] = {1, 2, 3, 4, 5, 6};
  std::int32_t mantissas[3] = {1 << 30, 1 << 30, 1 << 30};
  std::int8_t shifts[3] = {31, 31, 31};
  std::int8_t y[6] = {77, 77, 77, 77, 77, 77};

  tosa::rescale_tensor<std::int32_t, std::int8_t> op{{element::i16, element::i8}, mantissas, shifts, true};
  q::matrix_view<const std::int16_t> in{x, 2, 3};
  q::matrix_view<std::int8_t> out{y, 2, 3};
};

/// Returns the status of `check` after `spoil` has changed sound arguments. Checks that nothing was written.
template <class Spoil>
status status_after(Spoil spoil) {
  sound a;
  REQUIRE(check(a.layer, a.in, a.out) == status::ok);
  spoil(a);
  const status found = check(a.layer, a.in, a.out);
  for (const std::int8_t y : a.y) CHECK(y == 77);
  return found;
}

/// Returns the status of TOSA's strict mode after `spoil` has changed sound arguments.
template <class Spoil>
status strict_status_after(Spoil spoil) {
  sound_tensor a;
  REQUIRE(check(a.op, a.in, a.out) == status::ok);
  REQUIRE(verify(a.op, a.in) == status::ok);
  spoil(a);
  const status found = rescale(a.op, a.in, a.out);
  if (found != status::ok)
    for (const std::int8_t y : a.y) CHECK(y == 77);
  return found;
}

/// Returns the status for one element of type X with this zero point.
template <class X, class Output>
status status_of(std::int32_t zero_point, Output output) {
  const X x[1] = {};
  typename Output::value_type y[1] = {};
  return check(q::rescale_layer<Output>{zero_point, output}, q::matrix_view<const X>(x, 1, 1),
               q::matrix_view<typename Output::value_type>(y, 1, 1));
}

}  // namespace

TEST_CASE("a rescale of int48 and a TOSA rescale of unsigned bytes are what the compiler says") {
  CHECK(from_int48_holds(from_int48()));
  CHECK(from_unsigned() == std::array<std::int8_t, 3>{63, -65, -1});
}

TEST_CASE("random arrays of each pair of types equal the definition, row range by row range") {
  std::mt19937_64 random(support::sample_seed(11));
  const int rounds = support::samples(600);
  for (int i = 0; i < rounds; ++i) {
    check_random_arrays<std::int8_t>(random);
    check_random_arrays<std::uint8_t>(random);
    check_random_arrays<std::int16_t>(random);
    check_random_arrays<std::uint16_t>(random);
    check_random_arrays<std::int32_t>(random);
    check_random_arrays<packed_int48>(random);
    check_random_arrays<std::int64_t>(random);
  }
  std::printf("rescale: %d random arrays of each pair of types, seed 11\n", rounds);
}

TEST_CASE("random TOSA tensors equal the definition, and the strict mode writes all or nothing") {
  std::mt19937_64 random(support::sample_seed(12));
  tally seen;
  const int rounds = support::samples(600);
  for (int i = 0; i < rounds; ++i) {
    check_random_tensors<std::int8_t>(random, seen);
    check_random_tensors<std::uint8_t>(random, seen);
    check_random_tensors<std::int16_t>(random, seen);
    check_random_tensors<std::uint16_t>(random, seen);
    check_random_tensors<std::int32_t>(random, seen);
    check_random_tensors<packed_int48>(random, seen);
    check_random_tensors<std::int64_t>(random, seen);
  }
  std::printf("RESCALE: %d tensors computed, %d illegal, %d unpredictable, seed 12\n", seen.ok, seen.illegal, seen.unpredictable);
  CHECK(seen.ok > rounds);
  CHECK(seen.illegal > rounds);
  CHECK(seen.unpredictable > 0);
}

TEST_CASE("check knows whether the values of a type less the zero point fit the accumulator") {
  const q::per_tensor_output<std::int8_t, tosa::scale32> in32{{1 << 30, 31}};
  const q::per_tensor_output<std::int8_t, tosa::scale16> in48{{1 << 14, 15}};
  const q::per_tensor_output<std::int8_t, q::exact::half_even> in64{{1 << 30, 31}};
  CHECK(status_of<std::uint16_t>(65535, in32) == status::ok);
  CHECK(status_of<std::int32_t>(0, in32) == status::ok);
  CHECK(status_of<std::int32_t>(1, in32) == status::accumulator_overflow);
  CHECK(status_of<std::int32_t>(-1, in32) == status::accumulator_overflow);
  CHECK(status_of<std::int32_t>(std::numeric_limits<std::int32_t>::min(), in48) == status::ok);
  CHECK(status_of<packed_int48>(0, in32) == status::accumulator_overflow);
  CHECK(status_of<packed_int48>(0, in48) == status::ok);
  CHECK(status_of<packed_int48>(1, in48) == status::accumulator_overflow);
  CHECK(status_of<packed_int48>(-1, in48) == status::accumulator_overflow);
  CHECK(status_of<packed_int48>(1, in64) == status::ok);
  CHECK(status_of<std::int64_t>(0, in48) == status::accumulator_overflow);
  CHECK(status_of<std::int64_t>(0, in64) == status::ok);
  CHECK(status_of<std::int64_t>(1, in64) == status::accumulator_overflow);
  CHECK(status_of<std::int64_t>(-1, in64) == status::accumulator_overflow);
  CHECK(status_of<std::int32_t>(-1, q::raw_output<packed_int48>{}) == status::ok);
}

TEST_CASE("a rescale that check refuses for its accumulator wraps by definition") {
  const std::int64_t x[] = {(std::int64_t{1} << 32) + 6, std::numeric_limits<std::int64_t>::min()};
  std::int32_t y[2] = {};
  const q::rescale_layer layer{2, q::per_tensor_output<std::int32_t, tosa::scale32>{{1 << 30, 30}}};
  REQUIRE(check(layer, q::matrix_view(x, 1, 2), q::matrix_view(y, 1, 2)) == status::accumulator_overflow);
  run(layer, q::matrix_view(x, 1, 2), q::matrix_view(y, 1, 2));
  CHECK(y[0] == 4);
  CHECK(y[1] == -2);
}

TEST_CASE("each error of a rescale has its status, and nothing is written") {
  using s = status;
  const q::index_t huge = std::numeric_limits<q::index_t>::max();
  const auto spoiled = [](auto change) { return status_after(change); };
  CHECK(spoiled([](sound& a) { a.in = {nullptr, 2, 3}; }) == s::null_data);
  CHECK(spoiled([](sound& a) { a.out = {nullptr, 2, 3}; }) == s::null_data);
  CHECK(spoiled([](sound& a) { a.layer.output.shifts = {nullptr, 3}; }) == s::null_data);
  CHECK(spoiled([](sound& a) { a.in = {a.x, -2, 3}; }) == s::negative_size);
  CHECK(spoiled([&](sound& a) { a.in = {a.x, huge, 3}; }) == s::size_overflow);
  CHECK(spoiled([](sound& a) { a.out = {a.y, 2, 3, 2}; }) == s::stride_too_small);
  CHECK(spoiled([](sound& a) { a.in = {a.x, 1, 3}; }) == s::shape_mismatch);
  CHECK(spoiled([](sound& a) { a.out = {a.y, 2, 2}; }) == s::shape_mismatch);
  CHECK(spoiled([](sound& a) { a.layer.x_zero_point = 32768; }) == s::zero_point_out_of_range);
  CHECK(spoiled([](sound& a) { a.layer.output.range.zero_point = 128; }) == s::zero_point_out_of_range);
  CHECK(spoiled([](sound& a) { a.layer.output.range.max = 128; }) == s::range_out_of_type);
  CHECK(spoiled([](sound& a) { a.layer.output.range = {0, 2, 1}; }) == s::empty_range);
  CHECK(spoiled([](sound& a) { a.layer.output.mantissas = {a.mantissas, 2}; }) == s::shape_mismatch);
  CHECK(spoiled([](sound& a) {
          a.layer.output.mantissas = {a.mantissas, 2}, a.layer.output.shifts = {a.shifts, 2};
        }) == s::multiplier_count_mismatch);
  CHECK(spoiled([](sound& a) { a.mantissas[2] = -1; }) == s::multiplier_out_of_range);
  CHECK(spoiled([](sound& a) { a.shifts[1] = 30; }) == s::multiplier_out_of_range);
  CHECK(spoiled([](sound& a) { a.out = {reinterpret_cast<std::int8_t*>(a.x), 2, 3}; }) == s::overlap);
  CHECK(spoiled([](sound& a) { a.out = {reinterpret_cast<std::int8_t*>(a.shifts) + 11, 2, 3}; }) == s::overlap);
  CHECK(spoiled([](sound& a) { a.in = {nullptr, 0, 3}, a.out = {nullptr, 0, 3}; }) == s::ok);
}

TEST_CASE("each operator that TOSA forbids has its status, and nothing is written") {
  using s = status;
  const q::index_t huge = std::numeric_limits<q::index_t>::max();
  const auto spoiled = [](auto change) { return strict_status_after(change); };
  CHECK(spoiled([](sound_tensor& a) { a.in = {nullptr, 2, 3}; }) == s::null_data);
  CHECK(spoiled([](sound_tensor& a) { a.op.multipliers = {nullptr, 3}; }) == s::null_data);
  CHECK(spoiled([](sound_tensor& a) { a.op.shifts = {a.shifts, -3}; }) == s::negative_size);
  CHECK(spoiled([&](sound_tensor& a) { a.out = {a.y, 2, 3, huge}; }) == s::size_overflow);
  CHECK(spoiled([](sound_tensor& a) { a.out = {a.y, 2, 3, 1}; }) == s::stride_too_small);
  CHECK(spoiled([](sound_tensor& a) { a.out = {a.y, 3, 2}; }) == s::shape_mismatch);
  CHECK(spoiled([](sound_tensor& a) { a.out = {reinterpret_cast<std::int8_t*>(a.x) + 11, 2, 3}; }) == s::overlap);
  CHECK(spoiled([](sound_tensor& a) { a.out = {a.shifts, 2, 3}; }) == s::overlap);
  // ERROR_IF: attributes, types, rank, lengths.
  CHECK(spoiled([](sound_tensor& a) { a.op.attributes.input_zero_point = 1; }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.attributes.input_unsigned = a.op.attributes.output_unsigned = true; }) ==
        s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.attributes.rounding = static_cast<rounding_mode>(9); }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.attributes.input = element::i32; }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.attributes.input = element::i8; }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.attributes.output = element::i16; }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.multipliers = {a.mantissas, 2}; }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.shifts = {a.shifts, 1}; }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.per_channel = false; }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.rank = 1; }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.rank = -1; }) == s::illegal_operator);
  const auto one_element = [](sound_tensor& a, q::index_t rank, bool per_channel) {
    a.in = {a.x, 1, 1}, a.out = {a.y, 1, 1};
    a.op.multipliers = {a.mantissas, 1}, a.op.shifts = {a.shifts, 1};
    a.op.rank = rank, a.op.per_channel = per_channel;
  };
  CHECK(spoiled([&](sound_tensor& a) { one_element(a, 0, false); }) == s::ok);
  CHECK(spoiled([&](sound_tensor& a) { one_element(a, 1, true); }) == s::ok);
  CHECK(spoiled([&](sound_tensor& a) { one_element(a, 0, true); }) == s::illegal_operator);
  CHECK(spoiled([](sound_tensor& a) { a.op.rank = 1, a.in = {a.x, 1, 3}, a.out = {a.y, 1, 3}; }) == s::ok);
  // REQUIRE: the multiplier, the shift, and a value too large for the shift, in the last channel or element.
  CHECK(spoiled([](sound_tensor& a) { a.mantissas[2] = -1; }) == s::unpredictable);
  CHECK(spoiled([](sound_tensor& a) { a.shifts[2] = 63; }) == s::unpredictable);
  CHECK(spoiled([](sound_tensor& a) { a.shifts[2] = 1; }) == s::unpredictable);
  CHECK(spoiled([](sound_tensor& a) { a.shifts[2] = 10, a.x[5] = 512; }) == s::unpredictable);
  CHECK(spoiled([](sound_tensor& a) { a.shifts[2] = 10, a.x[5] = 511; }) == s::ok);
}

TEST_CASE("a RESCALE with INEXACT_ROUND gives the value of the reference model") {
  const std::int32_t x[] = {1, 3, 5, -1, -3, 1 << 20};
  std::int8_t y[6] = {};
  const std::int64_t multipliers[] = {1 << 30};
  const std::int64_t shifts[] = {31};
  const tosa::rescale_tensor<std::int64_t, std::int64_t> op{
      {element::i32, element::i8, false, false, true, rounding_mode::inexact_round, 0, 10}, multipliers, shifts};
  CHECK(rescale(op, q::matrix_view(x, 1, 6), q::matrix_view(y, 1, 6)) == status::ok);
  const std::int8_t halved_to_even[] = {10, 12, 12, 10, 8, 127};
  CHECK(std::equal(y, y + 6, halved_to_even));
}

TEST_CASE("elements of multiplier arrays that do not fit int32 are unpredictable") {
  const std::int32_t x[] = {1};
  std::int8_t y[1] = {77};
  for (const std::int64_t bad : {std::int64_t{1} << 32, -(std::int64_t{1} << 33), std::numeric_limits<std::int64_t>::min()})
    for (const bool of_shift : {false, true}) {
      const std::int64_t multipliers[] = {of_shift ? 1 : bad + 1};
      const std::int64_t shifts[] = {of_shift ? bad + 31 : 31};
      const tosa::rescale_tensor<std::int64_t, std::int64_t> op{{element::i32, element::i8}, multipliers, shifts};
      CHECK(rescale(op, q::matrix_view(x, 1, 1), q::matrix_view(y, 1, 1)) == status::unpredictable);
      CHECK(y[0] == 77);
      run(op, q::matrix_view(x, 1, 1), q::matrix_view(y, 1, 1));
      CHECK(y[0] == 0);
      y[0] = 77;
    }
}

TEST_CASE("the check of a rescale layer comes in two halves") {
  std::int32_t x[4] = {};
  std::int8_t y[8] = {};
  using output = q::per_tensor_output<std::int8_t, q::tflite::double_rounding>;
  const auto statuses = [](const q::rescale_layer<output>& layer, q::matrix_view<const std::int32_t> from,
                           q::matrix_view<std::int8_t> to) {
    const q::status shapes = check_shapes(layer, from, to);
    const q::status memory = check_memory(layer, from, to);
    const bool both = shapes == q::status::ok && memory == q::status::ok;
    CHECK(both == (check(layer, from, to) == q::status::ok));
    return std::pair{shapes, memory};
  };
  constexpr auto ok = q::status::ok;
  const output out{q::tflite::double_rounding::derive(0.1).value, q::range_of<std::int8_t>()};
  const q::matrix_view from(x, 2, 2);
  const q::matrix_view to(y, 2, 2);
  CHECK(statuses({0, out}, from, to) == std::pair{ok, ok});
  CHECK(statuses({0, out}, {nullptr, 2, 2}, to) == std::pair{ok, q::status::null_data});
  CHECK(statuses({0, out}, from, {nullptr, 2, 2}) == std::pair{ok, q::status::null_data});
  CHECK(statuses({0, out}, from, {reinterpret_cast<std::int8_t*>(x), 2, 2}) == std::pair{ok, q::status::overlap});
  CHECK(statuses({0, out}, from, {y, 2, 3}) == std::pair{q::status::shape_mismatch, ok});
  CHECK(statuses({0, out}, from, {y, 2, 2, 1}) == std::pair{q::status::stride_too_small, q::status::stride_too_small});
  CHECK(statuses({5, out}, from, to) == std::pair{q::status::accumulator_overflow, ok});
  CHECK(statuses({0, {{1, 99}, out.range}}, from, to) == std::pair{q::status::multiplier_out_of_range, ok});
}
