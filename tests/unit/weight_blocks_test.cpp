// SPDX-License-Identifier: Apache-2.0
// Weights in blocks, read back byte by byte: detail/weight_blocks.hpp.
#include <dyadic/conv2d.hpp>
#include <dyadic/cpu.hpp>
#include <dyadic/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;

namespace {

/// Returns whether a sum of two products leaves int16 for these two bytes.
bool leaves_int16(int a, int b, int x0, int x1) {
  const int sum = x0 * a + x1 * b;
  return sum < -32768 || sum > 32767;
}
/// Returns whether the sum leaves int16 for some bytes. A sum is extreme if each byte is 0 or 255.
bool may_leave_int16(int a, int b) {
  for (const int x0 : {0, 255})
    for (const int x1 : {0, 255})
      if (leaves_int16(a, b, x0, x1)) return true;
  return false;
}

int number_at(const std::int8_t* bytes, int count) {
  int n = 0;
  for (int i = 0; i < count; ++i) n |= (bytes[i] & 255) << (8 * i);
  return n;
}

struct matrix {
  q::index_t rows, cols;
  std::vector<std::int8_t> w;

  matrix(q::index_t of_rows, q::index_t of_cols) : rows{of_rows}, cols{of_cols}, w(static_cast<std::size_t>(of_rows * of_cols)) {}
  std::int8_t& at(q::index_t r, q::index_t k) { return w[static_cast<std::size_t>(r * cols + k)]; }
  q::matrix_view<const std::int8_t> view() const { return {w.data(), rows, cols}; }
  template <class Draw>
  matrix& fill(Draw draw) {
    for (auto& one : w) one = static_cast<std::int8_t>(draw());
    return *this;
  }
};

/// Returns a weight of a normal distribution, which is the sum of 12 uniform numbers.
int normal(support::random_bits& random, double sigma) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.below(1 << 16)) / (1 << 16);
  return static_cast<int>(std::lround(std::max(-128.0, std::min(127.0, sum * sigma))));
}

constexpr q::index_t header = 64;  // bytes before the first block

/// Reads panels of Nr columns that are packed in blocks, and compares them with the matrix.
template <q::index_t Nr>
class panels_of {
 public:
  static constexpr q::detail::block_layout layout{Nr};
  static constexpr q::index_t block_bytes = 32 + 16 * Nr;

  /// Packs the channels from `first` on. Returns false if `pack` does.
  bool pack(const matrix& m, q::index_t first, q::index_t lines) {
    const q::index_t size = layout.panel_size(m.cols);
    bytes_.assign(static_cast<std::size_t>(size) + 1, 99);
    q::detail::block_packer<Nr> packer{bytes_.data(), m.cols, lines};
    const bool fits = packer.pack(m.view(), first);
    CHECK(bytes_.back() == 99);
    return fits;
  }
  int count() const { return number_at(bytes_.data(), 4); }

  /// Checks all bytes of the panel.
  void equals(matrix& m, q::index_t first, q::index_t lines) {
    const q::index_t blocks = (m.cols + 15) / 16;
    const q::index_t stored = count();
    REQUIRE(stored >= blocks);
    REQUIRE(stored <= blocks + (blocks + 7) / 8);
    for (q::index_t i = 4; i < header; ++i) REQUIRE(bytes_[static_cast<std::size_t>(i)] == 0);
    std::vector<int> sums(static_cast<std::size_t>(16 * blocks * Nr));
    std::vector<int> parts(static_cast<std::size_t>(blocks));
    for (q::index_t b = 0; b < stored; ++b) {
      const std::int8_t* const block = bytes_.data() + header + b * block_bytes;
      std::uint32_t depths = 0;
      for (int i = 0; i < 16; ++i) depths |= std::uint32_t{1} << (block[i] & 31);
      REQUIRE(depths == 0xFFFF);
      for (int i = 20; i < 32; ++i) REQUIRE(block[i] == 0);
      const q::index_t place = number_at(block + 16, 2);
      const q::index_t line = number_at(block + 18, 2);
      REQUIRE(place < blocks / lines);
      REQUIRE(line < lines);
      const q::index_t at = line * (blocks / lines) + place;
      if (b < blocks) REQUIRE(at == b);
      ++parts[static_cast<std::size_t>(at)];
      for (int i = 0; i < 16; ++i)
        for (q::index_t c = 0; c < Nr; ++c) {
          const std::int8_t* const w = block + 32 + (i / 4 * Nr + c) * 4 + i % 4;
          sums[static_cast<std::size_t>((16 * at + block[i]) * Nr + c)] += *w;
          if (i % 2 == 0 && may_leave_int16(w[0], w[1])) ++saturated;
        }
    }
    for (const int n : parts) {
      REQUIRE((n == 1 || n == 2));
      halved += n == 2;
    }
    for (q::index_t c = 0; c < Nr; ++c) {
      std::int64_t total = 0;
      for (q::index_t k = 0; k < 16 * blocks; ++k) {
        const int expected = first + c < m.rows && k < m.cols ? m.at(first + c, k) : 0;
        total += expected;
        different += sums[static_cast<std::size_t>(k * Nr + c)] != expected;
        if (k < m.cols) different += q::detail::weight_in_blocks(bytes_.data(), layout, m.cols, c, k) != expected;
      }
      const q::index_t end = layout.panel_size(m.cols);
      different += number_at(bytes_.data() + end - 8 * (Nr - c), 4) != static_cast<int>(total);
      for (q::index_t i = 4; i < 8; ++i)
        different += bytes_[static_cast<std::size_t>(end - 8 * (Nr - c) + i)] != (total < 0 ? -1 : 0);
    }
  }
  /// Packs all panels of the matrix. If they fit, checks them. Returns whether they fit.
  bool take(matrix& m, q::index_t lines) {
    for (q::index_t first = 0; first < m.rows; first += Nr) {
      if (!pack(m, first, lines)) return false;
      equals(m, first, lines);
    }
    return true;
  }

  int halved = 0;     ///< blocks that were stored as two halves
  int saturated = 0;  ///< lanes that may saturate
  int different = 0;  ///< weights that are not those of the matrix

 private:
  std::vector<std::int8_t> bytes_;
};

}  // namespace

TEST_CASE("a lane of two weights saturates for some bytes as saturates says") {
  int different = 0;
  for (int a = -128; a <= 127; ++a)
    for (int b = -128; b <= 127; ++b) different += q::detail::saturates(a, b) != may_leave_int16(a, b);
  CHECK(different == 0);
  static_assert(!q::detail::saturates(127, 1) && q::detail::saturates(127, 2) && !q::detail::saturates(64, 64));
  static_assert(!q::detail::saturates(-128, 0) && q::detail::saturates(-128, -1) && !q::detail::saturates(-128, 127));
  int beyond = 0;
  for (int a = 1; a <= 127; a += 9)  // all bytes by weights of a sum of 128 and -128, which is the bound
    for (int x0 = 0; x0 < 256; ++x0)
      for (int x1 = 0; x1 < 256; ++x1) beyond += leaves_int16(a, 128 - a, x0, x1) + leaves_int16(-a, a - 128, x0, x1);
  CHECK(beyond == 0);
}

TEST_CASE("random weights in blocks are read back, and no lane saturates") {
  support::random_bits random;
  INFO("seed " << support::seed);
  panels_of<8> narrow;
  panels_of<16> wide;
  int taken = 0;
  int refused = 0;
  for (int round = support::samples(2); round > 0; --round)
    for (const double sigma : {5.0, 20.0, 30.0, 40.0, 60.0})
      for (const q::index_t rows : {1, 5, 8, 16, 19})
        for (const q::index_t cols : {32, 45, 96, 144, 200, 288}) {
          const q::index_t lines = cols % 48 == 0 && rows != 5 ? 3 : 1;
          matrix m{rows, cols};
          m.fill([&] { return normal(random, sigma); });
          for (const bool fits : {narrow.take(m, lines), wide.take(m, lines)}) ++(fits ? taken : refused);
        }
  CHECK(narrow.different + wide.different == 0);
  CHECK(narrow.saturated + wide.saturated == 0);
  CHECK(narrow.halved + wide.halved > 0);
  CHECK(taken > 0);
  CHECK(refused > 0);
}

TEST_CASE("pairs of weights at the bound share a lane, and pairs beyond it do not") {
  struct pair {
    int a, b;
    bool is_exact;
  };
  for (const pair p : {pair{127, 1, true}, pair{127, 2, false}, pair{64, 64, true}, pair{64, 65, false}, pair{-64, -64, true},
                       pair{-64, -65, false}, pair{-128, 0, true}, pair{-128, -1, false}, pair{-128, 127, true}}) {
    INFO(p.a << " and " << p.b);
    panels_of<8> panels;
    matrix m{8, 32};
    for (q::index_t r = 0; r < 8; ++r)
      for (q::index_t k = 0; k < 32; ++k) m.at(r, k) = static_cast<std::int8_t>(k % 2 == 0 ? p.a : p.b);
    // 8 of the depths of a block have the weight b. If no a shares a lane with b, two blocks need halves, and one has room.
    CHECK(panels.take(m, 1) == p.is_exact);
    CHECK(panels.different + panels.saturated + panels.halved == 0);
  }
}

TEST_CASE("a partner is found for each depth if there is one") {
  // Channel r has -128 at depths r + 4 and r + 12, 127 at depths r and r + 8, and -3 elsewhere. Only a depth with 127 fits beside
  // a depth with -128.
  panels_of<8> panels;
  matrix m{4, 32};
  for (q::index_t r = 0; r < 4; ++r)
    for (q::index_t k = 0; k < 32; ++k) m.at(r, k) = static_cast<std::int8_t>(k % 4 != r ? -3 : k % 8 < 4 ? 127 : -128);
  CHECK(panels.take(m, 1));
  CHECK(panels.different + panels.saturated + panels.halved == 0);
  // A single order is possible: depth k beside depth 15 - k.
  matrix only{16, 32};
  for (q::index_t r = 0; r < 16; ++r)
    for (q::index_t k = 0; k < 32; ++k) only.at(r, k) = static_cast<std::int8_t>(k % 16 == r ? 127 : k % 16 == 15 - r ? 1 : 2);
  panels_of<16> one_order;
  CHECK(one_order.take(only, 2));
  CHECK(one_order.different + one_order.saturated + one_order.halved == 0);
}

TEST_CASE("a partner that leaves another depth alone is exchanged") {
  // Two triangles of depths, 0 1 2 and 3 4 5, and the lane 1 3. If depth 0 takes depth 1, depth 2 has no partner. Channel i says
  // which depths fit beside depth i.
  constexpr int lanes[][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 3},   {3, 4},   {3, 5},
                              {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}};
  matrix m{16, 16};
  m.fill([] { return 2; });
  for (q::index_t i = 0; i < 16; ++i) m.at(i, i) = 127;
  for (const auto& lane : lanes) m.at(lane[0], lane[1]) = m.at(lane[1], lane[0]) = 1;
  panels_of<16> panels;
  CHECK(panels.take(m, 1));
  CHECK(panels.different + panels.saturated + panels.halved == 0);
}

TEST_CASE("blocks that no order makes exact are halved while there is room") {
  for (const int weight : {127, -127, -128, 101, -65, 65})
    for (const q::index_t blocks : {2, 8, 9, 16}) {
      INFO(weight << " in " << blocks << " blocks");
      const q::index_t room = (blocks + 7) / 8;
      for (q::index_t n = 0; n <= room + 1; ++n) {
        if (n > blocks) continue;
        panels_of<8> panels;
        matrix m{7, 16 * blocks - 3};
        for (q::index_t b = blocks - n; b < blocks; ++b)
          for (q::index_t k = 16 * b; k < 16 * b + 16 && k < m.cols; ++k)
            m.at(b % 7, k) = static_cast<std::int8_t>(weight - (weight > 100 ? k % 5 : 0));
        CHECK(panels.take(m, 1) == (n <= room));
        CHECK(panels.different + panels.saturated == 0);
        if (n <= room) CHECK(panels.halved == n);
      }
    }
  // All weights of a matrix at an end.
  for (const int weight : {127, -128}) {
    panels_of<16> panels;
    matrix m{16, 64};
    m.fill([&] { return weight; });
    CHECK(!panels.take(m, 1));
  }
}

TEST_CASE("a half-filled panel and its last block have weights of 0") {
  for (const q::index_t rows : {1, 9, 15})
    for (const q::index_t cols : {33, 40, 47, 48}) {
      panels_of<8> panels;
      matrix m{rows, cols};
      m.fill([n = 0]() mutable { return ++n % 101 - 50; });
      CHECK(panels.take(m, 1));
      CHECK(panels.different + panels.saturated + panels.halved == 0);
    }
}

#if defined(__x86_64__) || defined(__i386__)
namespace {

template <class Backend>
using packed_for = q::packed_matrix<Backend, std::int8_t, std::int8_t>;

/// Calls use(backend) for the backends that store blocks.
template <class Use>
void each_backend_of_blocks(const Use& use) {
  use(q::backend::sse41{});
  use(q::backend::avx2{});
}

constexpr bool packs_in_the_constant_evaluator() {
  std::int8_t w[17 * 64] = {};
  for (int i = 0; i < 17 * 64; ++i) w[i] = static_cast<std::int8_t>(i % 2 == 0 ? i % 127 : -(i % 128));
  std::int8_t storage[static_cast<std::size_t>(q::packed_size<q::backend::avx2, std::int8_t, std::int8_t>(17, 64))] = {};
  const auto packed = q::pack<q::backend::avx2, std::int8_t>(q::matrix_view(w, 17, 64), storage);
  if (packed.status != q::status::ok || !packed.value.in_blocks()) return false;
  for (int r = 0; r < 17; ++r)
    for (int k = 0; k < 64; ++k)
      if (packed.value.row(r)[k] != w[64 * r + k]) return false;
  return true;
}
static_assert(packs_in_the_constant_evaluator());

constexpr q::index_t size_of(q::index_t rows, q::index_t cols) {
  return q::packed_size<q::backend::avx2, std::int8_t, std::int8_t>(rows, cols);
}
// Each block has 32 + 16 * 16 bytes, and one block in eight may be stored twice. The size is whole lines of the cache.
static_assert(size_of(17, 128) == 2 * 2816 && size_of(32, 128) == 2 * 2816 && size_of(33, 128) == 3 * 2816);

}  // namespace

TEST_CASE("pack stores small weights in blocks and weights of 127 in panels, in equally many bytes") {
  support::random_bits random;
  INFO("seed " << support::seed);
  each_backend_of_blocks([&](auto backend) {
    using tested = decltype(backend);
    INFO(tested::name);
    for (const q::index_t rows : {17, 24, 33})
      for (const q::index_t cols : {64, 80, 127, 144, 2048})
        for (const bool are_small : {true, false}) {
          INFO(rows << " x " << cols << ", small " << are_small);
          matrix m{rows, cols};
          m.fill([&] { return are_small ? normal(random, 18) : 127; });
          const q::index_t size = q::packed_size<tested, std::int8_t, std::int8_t>(rows, cols);
          std::vector<std::int8_t> storage(static_cast<std::size_t>(size) + 1, 99);
          const auto packed = q::pack<tested, std::int8_t>(m.view(), q::view<std::int8_t>(storage.data(), size));
          REQUIRE(packed.status == q::status::ok);
          CHECK(storage.back() == 99);
          CHECK(packed.value.measure() == size);
          CHECK(packed.value.in_blocks() == are_small);
          int different = 0;
          std::vector<std::int8_t> copy(static_cast<std::size_t>(cols) + 1, 99);
          for (q::index_t r = 0; r < rows; ++r) {
            for (q::index_t k = 0; k<cols; k += cols> 200 ? 37 : 1)
              different += packed.value.row(r)[k] != m.at(r, k) || (packed.value.row(r) + 5)[k - 5] != m.at(r, k);
            const q::index_t first = cols > 200 ? cols - 100 : 3;
            copy_weights(packed.value.row(r) + first, cols - first, copy.data());
            for (q::index_t k = first; k < cols; ++k) different += copy[static_cast<std::size_t>(k - first)] != m.at(r, k);
          }
          CHECK(different == 0);
          CHECK(copy.back() == 99);
          const auto too_small = q::pack<tested, std::int8_t>(m.view(), q::view<std::int8_t>(storage.data(), size - 1));
          CHECK(too_small.status == q::status::shape_mismatch);
        }
    // Other shapes have no room for blocks.
    CHECK(packed_for<tested>(nullptr, 16, 64).order().lines == 0);
    CHECK(packed_for<tested>(nullptr, 17, 63).order().lines == 0);
    CHECK(packed_for<tested>(nullptr, 17, 65).order().lines == 0);
    CHECK(packed_for<tested>(nullptr, 17, 16385).order().lines == 0);
    CHECK(packed_for<tested>(nullptr, 17, 127).order().lines == 1);
  });
}

TEST_CASE("verify notices each damaged byte of weights in blocks and reads no other memory") {
  each_backend_of_blocks([&](auto backend) {
    using tested = decltype(backend);
    INFO(tested::name);
    constexpr q::index_t rows = 20, cols = 128, blocks = cols / 16;
    constexpr q::index_t nr = packed_for<tested>::layout.nr;
    matrix m{rows, cols};
    m.fill([n = 0]() mutable { return ++n % 97 - 48; });
    for (q::index_t k = 32; k < 48; ++k) m.at(1, k) = 127;  // one block of the first panel has halves
    std::vector<std::int8_t> storage(static_cast<std::size_t>(q::packed_size<tested, std::int8_t, std::int8_t>(rows, cols)));
    const auto packed = q::pack<tested, std::int8_t>(m.view(), q::view<std::int8_t>(storage)).value;
    REQUIRE(packed.in_blocks());
    REQUIRE(number_at(storage.data(), 4) == blocks + 1);
    std::int32_t constants[rows];
    const auto folded = q::fold<std::int8_t>(m.view(), q::no_bias{}, {3, 0}, constants);
    const q::linear_layer layer{packed, folded.value, q::raw_output<std::int32_t>{}};
    REQUIRE(verify(layer) == q::status::ok);
    const q::index_t size = q::detail::block_layout{nr}.panel_size(cols);
    int wrong = 0;
    for (q::index_t at = 0; at < static_cast<q::index_t>(storage.size()); ++at) {
      const q::index_t in_panel = at % size;
      const q::index_t in_block = (in_panel - header) % (32 + 16 * nr);
      const q::index_t end = header + (at < size ? blocks + 1 : blocks) * (32 + 16 * nr);
      const bool is_unused = in_panel < header ? in_panel >= 8
                             : in_panel < end  ? in_block >= 20 && in_block < 32
                                               : in_panel < size - 8 * nr;
      std::int8_t& byte = storage[static_cast<std::size_t>(at)];
      const std::int8_t sound = byte;
      for (const int change : {1, 2, 127, 128, 255}) {
        byte = static_cast<std::int8_t>(sound ^ change);
        wrong += verify(layer) != (is_unused ? q::status::ok : q::status::fold_of_other_weights);
      }
      byte = sound;
    }
    CHECK(wrong == 0);
    // Equal sums of halves are not enough: no lane may saturate.
    std::int8_t* const first_half = storage.data() + header + 2 * (32 + 16 * nr) + 32;
    std::int8_t* const second_half = storage.data() + header + blocks * (32 + 16 * nr) + 32;
    for (int i = 0; i < 2; ++i) first_half[4 + i] += 2, second_half[4 + i] -= 2;
    CHECK(verify(layer) == q::status::fold_of_other_weights);
    // Weights that are not in blocks have a count of 0 in each panel.
    m.fill([n = 0]() mutable { return 127 - ++n % 3; });
    const auto pairs = q::pack<tested, std::int8_t>(m.view(), q::view<std::int8_t>(storage)).value;
    REQUIRE(!pairs.in_blocks());
    const auto other = q::fold<std::int8_t>(m.view(), q::no_bias{}, {3, 0}, constants);
    const q::linear_layer in_pairs{pairs, other.value, q::raw_output<std::int32_t>{}};
    CHECK(verify(in_pairs) == q::status::ok);
    storage[static_cast<std::size_t>(size)] = 1;
    CHECK(verify(in_pairs) == q::status::fold_of_other_weights);
  });
}

TEST_CASE("a slice of channels of weights in blocks has their weights, and verify reads them") {
  each_backend_of_blocks([&](auto backend) {
    using tested = decltype(backend);
    INFO(tested::name);
    for (const int greatest : {60, 127}) {
      matrix m{40, 64};
      m.fill([&, n = 0]() mutable { return greatest - ++n % (greatest == 127 ? 3 : 121); });
      std::vector<std::int8_t> storage(static_cast<std::size_t>(q::packed_size<tested, std::int8_t, std::int8_t>(40, 64)));
      const auto packed = q::pack<tested, std::int8_t>(m.view(), q::view<std::int8_t>(storage)).value;
      CHECK(packed.in_blocks() == (greatest == 60));
      std::int32_t constants[40];
      const auto folded = q::fold<std::int8_t>(m.view(), q::no_bias{}, {3, 0}, constants);
      REQUIRE(folded.status == q::status::ok);
      const q::linear_layer layer{packed, folded.value, q::raw_output<std::int32_t>{}};
      CHECK(verify(layer) == q::status::ok);
      CHECK(verify(q::linear_layer{m.view(), folded.value, q::raw_output<std::int32_t>{}}) == q::status::ok);
      for (const q::channel_range c : {q::channel_range{0, 40}, {16, 40}, {16, 32}, {32, 33}, {32, 32}}) {
        const auto part = q::channels_of(layer, c).weights;
        CHECK(part.rows() == c.end - c.begin);
        CHECK(part.measure() >= 0);
        int different = 0;
        for (q::index_t r = 0; r < part.rows(); ++r)
          for (q::index_t k = 0; k < 64; ++k) different += part.row(r)[k] != m.at(c.begin + r, k);
        CHECK(different == 0);
      }
      storage[greatest == 60 ? 64 + 32 + 3 : 64 + 3] ^= 1;  // a weight
      CHECK(verify(layer) == q::status::fold_of_other_weights);
    }
  });
}

namespace {

constexpr std::int8_t weights_of_other[1] = {};  // is not read

}  // namespace

TEST_CASE("measure refuses orders in blocks that no pack gives") {
  each_backend_of_blocks([](auto backend) {
    using tested = decltype(backend);
    INFO(tested::name);
    std::vector<std::int8_t> storage(100'000);
    const auto measured = [&](q::index_t cols, q::packed_order order) {
      return packed_for<tested>(storage.data(), 32, cols, 32, order).measure();
    };
    const auto refused = -static_cast<q::index_t>(q::status::shape_mismatch);
    const auto lines = [](q::index_t n) { return q::packed_order{1, 1, false, static_cast<std::uint16_t>(n)}; };
    CHECK(measured(144, lines(1)) > 0);
    CHECK(measured(144, lines(3)) == measured(144, lines(1)));
    CHECK(measured(144, lines(9)) > 0);
    CHECK(measured(144, lines(2)) == refused);    // a line has half a block
    CHECK(measured(144, lines(5)) == refused);    // lines differ in length
    CHECK(measured(144, lines(18)) == refused);   // a line has 8 weights
    CHECK(measured(140, lines(7)) == refused);    // several lines are not padded
    CHECK(measured(65, lines(1)) == refused);     // padding of more than an eighth
    CHECK(measured(16, lines(1)) == refused);     // too few weights
    CHECK(measured(20000, lines(1)) == refused);  // too many weights
    CHECK(measured(144, {3, 1, false, 3}) == refused);
    CHECK(measured(144, {1, 2, false, 3}) == refused);
    CHECK(measured(144, {1, 1, true, 3}) == refused);
    CHECK(measured(144, lines(-1)) == refused);
    CHECK(measured(144, {3, 1, false, 65535}) == refused);
  });
  // A backend without blocks has no lines.
  const q::packed_matrix<q::backend::avx512vnni, std::int8_t, std::int8_t> other(weights_of_other, 16, 144, 16, {1, 1, false, 3});
  CHECK(other.measure() == -static_cast<q::index_t>(q::status::shape_mismatch));
}

TEST_CASE("pack_conv2d stores each line of a window as whole blocks") {
  each_backend_of_blocks([](auto backend) {
    using tested = decltype(backend);
    INFO(tested::name);
    support::random_bits random;
    const auto window = [](q::index_t y, q::index_t x) { return q::window2d{{y, 1, 1}, {x, 1, 1}}; };
    for (const q::window2d& w : {window(3, 3), window(1, 3), window(3, 1), window(1, 1)})
      for (const q::index_t c : {64, 80}) {
        matrix m{19, w.y.kernel * w.x.kernel * c};
        m.fill([&] { return normal(random, 15); });
        std::vector<std::int8_t> storage(
            static_cast<std::size_t>(q::packed_conv2d_size<tested, std::int8_t, std::int8_t>(19, m.cols, w, 1)));
        const auto packed = q::pack_conv2d<tested, std::int8_t>(m.view(), w, 1, q::view<std::int8_t>(storage));
        REQUIRE(packed.status == q::status::ok);
        CHECK(packed.value.order().lines == w.y.kernel);
        REQUIRE(packed.value.in_blocks());
        int different = 0;
        for (q::index_t r = 0; r < 19; ++r)
          for (q::index_t k = 0; k < m.cols; ++k) different += packed.value.row(r)[k] != m.at(r, k);
        CHECK(different == 0);
        const q::index_t blocks = m.cols / 16;
        for (q::index_t b = 0; b < blocks; ++b) {
          const std::int8_t* const block = storage.data() + header + b * (32 + 16 * packed_for<tested>::layout.nr);
          CHECK(number_at(block + 16, 2) == b % (blocks / w.y.kernel));
          CHECK(number_at(block + 18, 2) == b / (blocks / w.y.kernel));
        }
      }
  });
}
#endif
