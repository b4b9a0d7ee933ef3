// Dot products of one row and of many rows, on each backend and in portable code, against a sum that is computed term by term.

#include <dyadic/dot.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include "../support/random.hpp"
#include "each_backend.hpp"
#include "guarded.hpp"

namespace {

using namespace dyadic;

/// Values of a pair of operands: the least or the greatest of their types, or random with many of both.
enum class values { least, greatest, least_by_greatest, greatest_by_least, random };
constexpr values all_values[] = {values::least, values::greatest, values::least_by_greatest, values::greatest_by_least,
                                 values::random};

template <class T>
T value(values v, bool is_w, support::random_bits& random) {
  constexpr T low = std::numeric_limits<T>::min();
  constexpr T high = std::numeric_limits<T>::max();
  switch (v) {
    case values::least: return low;
    case values::greatest: return high;
    case values::least_by_greatest: return is_w ? high : low;
    case values::greatest_by_least: return is_w ? low : high;
    case values::random: break;
  }
  const int kind = random.below(6);
  return kind == 0 ? low : kind == 1 ? high : static_cast<T>(random());
}

/// Returns the sum of products, reduced to the accumulator. W is a pointer or an int4_pointer.
template <class Accumulator, class X, class W>
Accumulator expected(const X* x, const W& w, index_t depth) {
  std::uint64_t sum = 0;
  for (index_t k = 0; k < depth; ++k) sum += static_cast<std::uint64_t>(std::int64_t{x[k]} * std::int64_t{w[k]});
  return static_cast<Accumulator>(sum);
}

/// Depths around whole vectors, then around the depths at which the lanes of a backend are full.
std::vector<index_t> depths() {
  std::vector<index_t> all;
  for (index_t n = 0; n <= 130; ++n) all.push_back(n);
  for (const index_t n : {255, 256, 257, 511, 512, 513, 1024, 2031, 2032, 2033, 2047, 2048, 2049}) all.push_back(n);
  for (const index_t n : {4063, 4065, 4081, 8127, 8129, 8160, 8161}) all.push_back(n);
  if (!parity::has_little_memory)
    for (const index_t n : {65535, 65536, 131071, 131072, 132099}) all.push_back(n);
  return all;
}

/// Counts the dot products that are wrong. The operands lie at either end of guarded memory.
template <class Backend, class Accumulator, class X, class W>
int count_wrong_of() {
  support::random_bits random;
  int wrong = 0;
  const std::vector<index_t> all = depths();
  parity::guarded<X> x_memory(static_cast<std::size_t>(all.back()));
  parity::guarded<W> w_memory(static_cast<std::size_t>(all.back()));
  for (const values v : all_values)
    for (const index_t n : all) {
      if (n > 130 && v != values::random && v != values::least && v != values::greatest_by_least) continue;
      if (DYADIC_TEST_DIVISOR > 1 && n > 130 && v != values::least) continue;
      const bool x_end = random.one_in(2);
      const bool w_end = random.one_in(2);
      X* const x = x_memory.at(x_end, static_cast<std::size_t>(n));
      W* const w = w_memory.at(w_end, static_cast<std::size_t>(n));
      for (index_t k = 0; k < n; ++k) {
        x[k] = value<X>(v, false, random);
        w[k] = value<W>(v, true, random);
      }
      wrong += dot<Backend, Accumulator>(x, w, n) != expected<Accumulator>(x, w, n);
    }
  return wrong;
}
template <class Backend, class X, class W>
int count_wrong() {
  return count_wrong_of<Backend, std::int32_t, X, W>() + count_wrong_of<Backend, std::int64_t, X, W>();
}

/// Counts the rows whose dot product is wrong, and the elements of y that were written although they must not be. Rows have a gap
/// between them.
template <class Backend, class Accumulator, class X, class W>
int count_wrong_rows_of() {
  constexpr index_t most_rows = 19;
  support::random_bits random;
  int wrong = 0;
  const auto run_one = [&](index_t rows, index_t depth, index_t gap, values v) {
    const index_t stride = depth + gap;
    const auto size = static_cast<std::size_t>(rows == 0 ? 0 : (rows - 1) * stride + depth);
    parity::guarded<X> x_memory(size);
    parity::guarded<W> w_memory(static_cast<std::size_t>(depth));
    X* const x = x_memory.at(random.one_in(2), size);
    W* const w = w_memory.at(random.one_in(2), static_cast<std::size_t>(depth));
    for (std::size_t i = 0; i < size; ++i) x[i] = value<X>(v, false, random);
    for (index_t k = 0; k < depth; ++k) w[k] = value<W>(v, true, random);
    std::vector<Accumulator> y(static_cast<std::size_t>(rows) + 1, Accumulator{77});
    dot<Backend>(matrix_view<const X>(x, rows, depth, stride), w, view<Accumulator>(y.data(), rows));
    for (index_t r = 0; r < rows; ++r) wrong += y[static_cast<std::size_t>(r)] != expected<Accumulator>(x + r * stride, w, depth);
    wrong += y.back() != 77;
  };
  for (index_t rows = 0; rows <= most_rows; ++rows)
    for (const index_t depth : {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 130})
      if (DYADIC_TEST_DIVISOR == 1 || (rows + depth) % 3 == 0)
        run_one(rows, depth, rows % 3, rows % 4 == 0 ? values::least : values::random);
  for (const index_t depth : {511, 512, 513, 600, 2049, 4081, 8161})
    for (const index_t rows : {5, 12})
      if (rows * depth < 20'000 || !parity::has_little_memory)
        for (const values v : {values::least, values::greatest_by_least, values::random}) run_one(rows, depth, 1, v);
  return wrong;
}
template <class Backend, class X, class W>
int count_wrong_rows() {
  return count_wrong_rows_of<Backend, std::int32_t, X, W>() + count_wrong_rows_of<Backend, std::int64_t, X, W>();
}

/// Counts wrong dot products, of one row and of several, by 4-bit weights that begin at either half of a byte.
template <class Backend, class Accumulator, class X>
int count_wrong_nibbles() {
  support::random_bits random;
  int wrong = 0;
  std::vector<index_t> all;
  for (index_t n = 0; n <= 140; ++n) all.push_back(n);
  for (const index_t n : {511, 512, 513, 1023, 1025, 4096, 8193}) all.push_back(n);
  for (const index_t n : all)
    for (const index_t first : {0, 1, 3}) {
      constexpr index_t rows = 6;
      const auto bytes = static_cast<std::size_t>((first + n + 1) / 2);
      const auto elements = static_cast<std::size_t>(rows * n);
      if (parity::has_little_memory && n > 1025) continue;
      parity::guarded<std::uint8_t> w_memory(bytes);
      parity::guarded<X> x_memory(elements);
      std::uint8_t* const packed = w_memory.at(random.one_in(2), bytes);
      X* const x = x_memory.at(random.one_in(2), elements);
      const bool is_least = random.one_in(3);
      for (std::size_t i = 0; i < bytes; ++i) packed[i] = is_least ? 0x88 : static_cast<std::uint8_t>(random());
      for (std::size_t i = 0; i < elements; ++i) x[i] = value<X>(is_least ? values::least : values::random, false, random);
      std::vector<std::int8_t> w(static_cast<std::size_t>(n));
      for (index_t k = 0; k < n; ++k) {
        const int nibble = packed[(first + k) / 2] >> (first + k) % 2 * 4 & 15;
        w[static_cast<std::size_t>(k)] = static_cast<std::int8_t>(nibble < 8 ? nibble : nibble - 16);
      }
      const int4_pointer pointer(packed, first);
      wrong += dot<Backend, Accumulator>(x, pointer, n) != expected<Accumulator>(x, w.data(), n);
      Accumulator y[rows] = {};
      dot<Backend>(matrix_view<const X>(x, rows, n), pointer, y);
      for (index_t r = 0; r < rows; ++r) wrong += y[r] != expected<Accumulator>(x + r * n, w.data(), n);
    }
  return wrong;
}

/// Calls use(backend, x, w) for each backend and each pair of operand types that vectors multiply, and for one of portable code.
template <class Use>
void each_pair(const Use& use) {
  parity::each_backend_and_scalar([&](auto backend) {
    INFO(decltype(backend)::name << ", seed " << support::seed);
    CHECK(use(backend, std::int8_t{}, std::int8_t{}) == 0);
    CHECK(use(backend, std::uint8_t{}, std::int8_t{}) == 0);
    CHECK(use(backend, std::int8_t{}, std::uint8_t{}) == 0);
    CHECK(use(backend, std::uint8_t{}, std::uint8_t{}) == 0);
    CHECK(use(backend, std::int16_t{}, std::int8_t{}) == 0);
    CHECK(use(backend, std::int16_t{}, std::uint8_t{}) == 0);
    CHECK(use(backend, std::int8_t{}, std::int16_t{}) == 0);
    CHECK(use(backend, std::uint8_t{}, std::int16_t{}) == 0);
    CHECK(use(backend, std::int16_t{}, std::int16_t{}) == 0);
    CHECK(use(backend, std::uint16_t{}, std::int8_t{}) == 0);
  });
}

/// Returns true if the dot product of `repetitions` copies of x and of w is `repetitions` * y.
template <class Backend, class X, class W, std::size_t N>
bool repeated_is(const X (&x)[N], const W (&w)[N], std::int32_t y) {
  for (const int repetitions : {1, 2, 5, 16, 50}) {
    std::vector<X> all_x;
    std::vector<W> all_w;
    for (int i = 0; i < repetitions; ++i) {
      all_x.insert(all_x.end(), x, x + N);
      all_w.insert(all_w.end(), w, w + N);
    }
    const auto depth = static_cast<index_t>(all_x.size());
    std::int64_t rows[2] = {};
    dot<Backend>(matrix_view<const X>(all_x.data(), 2, depth, 0), all_w.data(), rows);
    if (dot<Backend, std::int32_t>(all_x.data(), all_w.data(), depth) != repetitions * y) return false;
    if (rows[0] != repetitions * y || rows[1] != repetitions * y) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("dot: products that saturate vpmaddubsw, psignb or a relaxed dot product of WebAssembly are exact", "[parity]") {
  const std::uint8_t u3[] = {210, 198, 234}, u4[] = {255, 255, 255, 255}, u2[] = {255, 255};
  const std::int8_t s3[] = {-81, -80, 127}, s4[] = {127, 127, 127, 127}, least[] = {-128, -128, -128, -128},
                    next[] = {-127, -127, -127, -127}, one[] = {-128}, minus[] = {-1}, s2[] = {127, 127};
  parity::each_backend_and_scalar([&](auto backend) {
    using tested = decltype(backend);
    INFO(tested::name);
    CHECK(repeated_is<tested>(u3, s3, -3132));       // onnxruntime #16105: -3050 on AVX2
    CHECK(repeated_is<tested>(u4, s4, 129540));      // oneDNN #1354: two sums of 64770, where int16 ends at 32767
    CHECK(repeated_is<tested>(u2, s2, 64770));       // ik_llama.cpp #137
    CHECK(repeated_is<tested>(least, next, 65024));  // relaxed-simd #129: -65536 on x86, or -66048 or 66048
    CHECK(repeated_is<tested>(next, least, 65024));
    CHECK(repeated_is<tested>(one, minus, 128));  // ggml #1393: -128 * -1 by psignb is -128
  });
}

TEST_CASE("dot: each depth, the ends of the types and of memory, sums beyond a lane", "[parity]") {
  each_pair([](auto b, auto x, auto w) { return count_wrong<decltype(b), decltype(x), decltype(w)>(); });
}

TEST_CASE("dot: many rows, with a gap between them", "[parity]") {
  each_pair([](auto b, auto x, auto w) { return count_wrong_rows<decltype(b), decltype(x), decltype(w)>(); });
}

TEST_CASE("dot: weights of 4 bits that begin at either half of a byte", "[parity]") {
  parity::each_backend_and_scalar([](auto backend) {
    using tested = decltype(backend);
    INFO(tested::name << ", seed " << support::seed);
    CHECK((count_wrong_nibbles<tested, std::int32_t, std::int8_t>()) == 0);
    CHECK((count_wrong_nibbles<tested, std::int64_t, std::uint8_t>()) == 0);
    CHECK((count_wrong_nibbles<tested, std::int32_t, std::int16_t>()) == 0);
    CHECK((count_wrong_nibbles<tested, std::int64_t, std::int16_t>()) == 0);
  });
}

TEST_CASE("dot: no rows and no elements read nothing, whatever the stride", "[parity]") {
  parity::each_backend_and_scalar([](auto backend) {
    using tested = decltype(backend);
    const std::int8_t* const nothing = nullptr;
    const std::int16_t x[] = {3};
    const std::int8_t w[] = {-5};
    std::int64_t y[3] = {1, 1, 1};
    CHECK(dot<tested>(nothing, nothing, 0) == 0);
    dot<tested>(matrix_view<const std::int8_t>(nothing, 0, 9), nothing, view<std::int64_t>{});
    dot<tested>(matrix_view<const std::int8_t>(nothing, 3, 0, limits<index_t>::max), nothing, y);
    CHECK((y[0] == 0 && y[1] == 0 && y[2] == 0));
    dot<tested>(matrix_view<const std::int16_t>(x, 1, 1, limits<index_t>::max), w, view<std::int64_t>(y, 1));
    CHECK(y[0] == -15);
  });
}
