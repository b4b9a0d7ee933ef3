#include <dyadic/elementwise/activation_range.hpp>
#include <dyadic/elementwise/add_n.hpp>
#include <dyadic/elementwise/comparison.hpp>
#include <dyadic/elementwise/divide.hpp>
#include <dyadic/elementwise/log_softmax.hpp>
#include <dyadic/elementwise/norm.hpp>
#include <dyadic/elementwise/prelu.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/squared_difference.hpp>
#include <dyadic/elementwise/table_functions.hpp>

#include <algorithm>

#include "oracle/elementwise.hpp"
#include "oracle/fixed_point.hpp"
#include "oracle/recurrent.hpp"
#include "running.hpp"
#include "samples.hpp"
#include "support/catch.hpp"
#include "verdict.hpp"

// Operators without weights, and recurrent layers. Loops of this file and the oracle compute them once more, or the library's
// rules of one element, which other tests compare with the engines.

namespace model {
namespace {

namespace tfl = q::tflite;
using std::int8_t;

/// An image of int8 of height h, width w and c channels.
struct image {
  int h, w, c;
  ints at;

  std::int64_t operator()(int i, int j, int k) const { return at[static_cast<std::size_t>((i * w + j) * c + k)]; }
};
/// Makes an image of the values of a function.
template <class Value>
image make_image(int h, int w, int c, const Value& value) {
  image made{h, w, c, {}};
  for (int i = 0; i < h; ++i)
    for (int j = 0; j < w; ++j)
      for (int k = 0; k < c; ++k) made.at.push_back(value(i, j, k));
  return made;
}
std::int64_t within(std::int64_t x, std::int64_t low, std::int64_t high) { return std::min(std::max(x, low), high); }

/// x * scale / y_scale by TFLite's two roundings.
std::int64_t rescaled(std::int64_t x, double ratio) {
  const oracle::pair m = oracle::pair_of(oracle::derive_tflite_double(ratio));
  return oracle::tflite_double(static_cast<std::int32_t>(x), m.multiplier, m.shift);
}

/// The bilinear resize of TFLite with half pixel centers.
image resized(const image& x, int h, int w) {
  struct place {
    int low, high;
    std::int64_t weight;
  };
  const auto along = [](int in, int out, int i) {
    const int step = (1024 * in + out / 2) / out, p = i * step + step / 2 - 512;
    const int low = std::max(p / 1024, 0);
    return place{low, std::min((p + 1023) / 1024, in - 1), p - 1024 * low};
  };
  return make_image(h, w, x.c, [&](int i, int j, int k) {
    const place v = along(x.h, h, i), u = along(x.w, w, j);
    const std::int64_t sum = (x(v.low, u.low, k) * (1024 - u.weight) + x(v.low, u.high, k) * u.weight) * (1024 - v.weight) +
                             (x(v.high, u.low, k) * (1024 - u.weight) + x(v.high, u.high, k) * u.weight) * v.weight;
    return (sum + (sum < 0 ? -1 : 1) * (1 << 19)) / (1 << 20);  // toward zero
  });
}

TEST_CASE("the head of a detector gives what plain loops give, on every backend") {
  head_places at{};
  const auto file = detector_head(at);
  for (const backend_kinds& kinds : backends())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      INFO(kinds.name << ", seed " << seed);
      running r(file, kinds);
      const image x{6, 5, 4, random_elements(120, -128, 127, seed)};
      r.set(at.x, x.at);
      r.run.run();
      // SAME: 3 outputs of stride 2 and kernel 3 need 7 rows and 7 columns. The rest before is 0 and 1.
      const image pool = make_image(3, 3, 4, [&](int i, int j, int k) {
        std::int64_t most = -128;
        for (int a = 2 * i; a < std::min(2 * i + 3, 6); ++a)
          for (int b = std::max(2 * j - 1, 0); b < std::min(2 * j + 2, 5); ++b) most = std::max(most, x(a, b, k));
        return within(most, 3, 123);  // relu6 at a scale of 0.05
      });
      REQUIRE(r.elements(at.pool) == pool.at);
      const image bilinear = resized(pool, 6, 5);
      REQUIRE(r.elements(at.bilinear) == bilinear.at);
      // Aligned corners: 2 / 5 and 2 / 4 inputs for each output, the nearest one, ties up.
      const image nearest = make_image(6, 5, 4, [&](int i, int j, int k) { return pool((4 * i + 5) / 10, (2 * j + 2) / 4, k); });
      REQUIRE(r.elements(at.nearest) == nearest.at);
      const image joined = make_image(6, 5, 12, [&](int i, int j, int k) {
        return (k < 4 ? x : k < 8 ? bilinear : nearest)(i, j, k % 4);
      });
      REQUIRE(r.elements(at.joined) == joined.at);
      const image padded = make_image(8, 6, 12, [&](int i, int j, int k) { return i < 2 || j == 5 ? 3 : joined(i - 2, j, k); });
      REQUIRE(r.elements(at.padded) == padded.at);
      const double ratio = static_cast<double>(0.05f) / static_cast<double>(0.031f);
      const image quantized =
          make_image(8, 6, 12, [&](int i, int j, int k) { return within(rescaled(padded(i, j, k) - 3, ratio) - 9, -128, 127); });
      REQUIRE(r.elements(at.quantized) == quantized.at);
      const image left = make_image(8, 6, 6, [&](int i, int j, int k) { return quantized(i, j, k); });
      const image right = make_image(8, 6, 6, [&](int i, int j, int k) { return quantized(i, j, k + 6); });
      REQUIRE(r.elements(at.left) == left.at);
      REQUIRE(r.elements(at.right) == right.at);
      REQUIRE(r.elements(at.turned) == make_image(6, 8, 6, [&](int i, int j, int k) { return left(j, k, i); }).at);
      ints most(6, -128), wide, slopes = r.elements(at.slopes), prelu;
      for (std::size_t i = 0; i < right.at.size(); ++i) most[i % 6] = std::max(most[i % 6], right.at[i]);
      REQUIRE(r.elements(at.most) == most);
      REQUIRE(r.elements(at.best) == ints{std::max_element(most.begin(), most.end()) - most.begin()});
      const double to_wide = static_cast<double>(0.031f) / static_cast<double>(0.001f);
      const double identity = static_cast<double>(0.031f) / static_cast<double>(0.02f);
      const double slope = static_cast<double>(0.031f) * static_cast<double>(0.01f) / static_cast<double>(0.02f);
      for (std::size_t i = 0; i < 12; ++i) {
        const std::int64_t v = most[i % 6] + 9;
        wide.push_back(within(rescaled(v, to_wide), -32768, 32767));
        prelu.push_back(within((v >= 0 ? rescaled(v, identity) : rescaled(v * (slopes[i % 6] - 5), slope)) + 11, -128, 127));
      }
      CHECK(r.elements(at.wide) == wide);
      CHECK(r.elements(at.prelu) == prelu);
    }
}

template <class Rule>
ints each(const Rule& rule, const ints& a, const ints& b) {
  ints y;
  for (std::size_t i = 0; i < a.size(); ++i) y.push_back(rule(static_cast<int8_t>(a[i]), static_cast<int8_t>(b[i])));
  return y;
}
/// Applies a rule of rows to three rows of seven elements.
template <class Rule>
ints each_row(const Rule& rule, const ints& x) {
  ints y;
  for (std::size_t row = 0; row < 3; ++row) {
    int8_t from[7], to[7] = {};
    for (std::size_t k = 0; k < 7; ++k) from[k] = static_cast<int8_t>(x[7 * row + k]);
    rule(q::view<const int8_t>(from, 7), q::view<int8_t>(to, 7));
    y.insert(y.end(), std::begin(to), std::end(to));
  }
  return y;
}

TEST_CASE("operators on elements and on rows have the scales and zero points of their tensors, on every backend") {
  constexpr float of_a = 0.04f, of_b = 0.07f, of_y = 0.09f;
  const q::output_range range{5, -128, 127}, relu{5, 5, 127};
  using q::operator_id;
  for (const backend_kinds& kinds : backends())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      INFO(kinds.name << ", seed " << seed);
      running r(operators_on_elements(), kinds);
      const ints a = random_elements(21, -128, 127, seed), b = random_elements(21, -128, 127, seed + 100);
      r.set(0, a);
      r.set(1, b);
      r.run.run();
      int t = 2;
      const auto next = [&] { return r.elements(t++); };
      REQUIRE(next() == each(tfl::squared_difference<int8_t>::derive(of_a, -3, of_b, 8, of_y, range).value, a, b));
      REQUIRE(next() == each([](int8_t x, int8_t y) { return x > y ? x : y; }, a, b));
      REQUIRE(next() == each([](int8_t x, int8_t y) { return x < y ? x : y; }, a, b));
      REQUIRE(next() == each(tfl::compare<int8_t, operator_id::equal>::derive(of_a, -3, of_b, 8).value, a, b));
      REQUIRE(next() == each(tfl::compare<int8_t, operator_id::not_equal>::derive(of_a, -3, of_b, 8).value, a, b));
      REQUIRE(next() == each(tfl::compare<int8_t, operator_id::greater>::derive(of_a, -3, of_b, 8).value, a, b));
      REQUIRE(next() == each(tfl::compare<int8_t, operator_id::greater_equal>::derive(of_a, -3, of_b, 8).value, a, b));
      REQUIRE(next() == each(tfl::compare<int8_t, operator_id::less>::derive(of_a, -3, of_b, 8).value, a, b));
      REQUIRE(next() == each(tfl::compare<int8_t, operator_id::less_equal>::derive(of_a, -3, of_b, 8).value, a, b));
      REQUIRE(next() == each(tfl::divide<int8_t>::derive(of_a, -3, of_b, 8, of_y, relu).value, a, b));
      const auto abs = tfl::abs<int8_t>::derive(of_a, -3, of_y, 5).value;
      REQUIRE(next() == each([&](int8_t x, int8_t) { return abs(x); }, a, b));
      const auto rsqrt = tfl::rsqrt<>::derive(of_a, -3, of_y, 5).value;
      REQUIRE(next() == each([&](int8_t x, int8_t) { return rsqrt(x); }, a, b));
      int8_t entries[256];
      REQUIRE(tfl::table<int8_t>::populate(tfl::elu<>{}, of_a, -3, of_y, 5, q::view<int8_t>(entries)) == q::status::ok);
      REQUIRE(next() == each([&](int8_t x, int8_t) { return entries[static_cast<std::uint8_t>(x)]; }, a, b));
      REQUIRE(next() == each_row(tfl::log_softmax<>::derive(of_a).value, a));
      REQUIRE(next() == each_row(tfl::l2_norm<>{-3}, a));
      // Three times the same tensor, with the zero point subtracted four times: TFLite's sum.
      const double third = static_cast<double>(of_a) / static_cast<double>(of_y) / (1 << 19);
      ints sums, before;
      for (std::size_t i = 0, row = 0; i < a.size(); ++i) {
        row = i / 7;
        std::int64_t sum = 0;
        for (std::size_t k = 7 * row; k < i; ++k) sum += a[k] + 3;
        before.push_back(within(rescaled((sum + 3) * (1 << 19), third) + 5, -128, 127));
        sums.push_back(within(rescaled((3 * (a[i] + 3) + 3) * (1 << 19), third) + 5, -128, 127));
      }
      REQUIRE(next() == sums);
      REQUIRE(next() == before);  // exclusive
    }
}

oracle::recurrent::q31 q31_of(double scale) {
  const oracle::pair m = oracle::pair_of(oracle::derive_tflite_double(scale));
  return {m.multiplier, m.shift};
}
template <class To = int>
std::vector<To> narrowed(const ints& all) {
  return {all.begin(), all.end()};
}

TEST_CASE("an LSTM keeps its state from one run to the next") {
  for (const backend_kinds& kinds : backends())
    for (const auto type : {tflite::TensorType_INT8, tflite::TensorType_INT16})
      for (const bool is_time_major : {false, true}) {
        running r(lstm_of(type, is_time_major), kinds);
        const bool is_byte = type == tflite::TensorType_INT8;
        const int x_zero = is_byte ? 7 : 0, h_zero = is_byte ? -4 : 0;
        // Tensors of a gate: input weights, hidden weights, bias.
        const auto tensor_of = [](int g, int part) { return 4 + 3 * g + part; };
        oracle::recurrent::lstm model{};
        model.sizes = {4, 5, x_zero, h_zero, !is_byte};
        model.of = oracle::recurrent::engine::tflm;
        const float x_scale = r.scale(0), h_scale = r.scale(2);
        for (int g = 0; g < 4; ++g) {
          const tensor& bias = r.at(tensor_of(g, 2));
          model.gates[g].input = narrowed(r.elements(tensor_of(g, 0)));
          model.gates[g].hidden = narrowed(r.elements(tensor_of(g, 1)));
          for (int u = 0; u < 5; ++u)
            model.gates[g].input_bias.push_back(is_byte ? bias.as<std::int32_t>()[u] : bias.as<std::int64_t>()[u]);
          model.gates[g].hidden_bias.assign(5, 0);
          model.from_x[g] = q31_of(static_cast<double>(x_scale * r.scale(tensor_of(g, 0))) * 4096);
          model.from_h[g] = q31_of(static_cast<double>(h_scale * r.scale(tensor_of(g, 1))) * 4096);
        }
        model.forget = q31_of(0x1p-15);
        model.input = q31_of(0x1p-30 / 0x1p-11);
        model.output = q31_of(0x1p-30 / static_cast<double>(h_scale));
        model.clip = 20480;
        model.cell_scale_power = -11;
        std::vector<int> h[2], c[2];
        for (auto& row : h) row.assign(5, h_zero);
        for (auto& row : c) row.assign(5, 0);
        for (std::uint64_t call = 1; call <= 3; ++call) {
          INFO(kinds.name << ", " << tflite::EnumNameTensorType(type) << ", call " << call);
          const ints x = random_elements(24, is_byte ? -128 : -32768, is_byte ? 127 : 32767, call);
          r.set(0, x);
          r.run.run();
          ints expected(30);
          for (std::size_t step = 0; step < 3; ++step)
            for (std::size_t row = 0; row < 2; ++row) {
              const std::size_t at = is_time_major ? step * 2 + row : row * 3 + step;
              model.step({x.begin() + static_cast<int>(4 * at), x.begin() + static_cast<int>(4 * at + 4)}, h[row], c[row]);
              std::copy(h[row].begin(), h[row].end(), expected.begin() + static_cast<int>(5 * at));
            }
          REQUIRE(r.elements(1) == expected);
          REQUIRE(std::count(expected.begin(), expected.end(), expected[0]) < 30);
          ints hidden, cells;
          for (std::size_t row = 0; row < 2; ++row) {
            hidden.insert(hidden.end(), h[row].begin(), h[row].end());
            cells.insert(cells.end(), c[row].begin(), c[row].end());
          }
          REQUIRE(r.elements(2) == hidden);
          REQUIRE(r.elements(3) == cells);
        }
      }
}

template <class State>
void test_svdf() {
  for (const backend_kinds& kinds : backends()) {
    running r(svdf_of<State>(), kinds);
    // Tensors: 0 x, 1 y, 2 state, 3 feature, 4 time, 5 bias.
    constexpr int bits = 8 * sizeof(State);
    const float x_scale = r.scale(0), state_scale = r.scale(2);
    const oracle::recurrent::svdf model{oracle::recurrent::engine::tflm,
                                        false,
                                        4,
                                        3,
                                        2,
                                        4,
                                        7,
                                        0,
                                        -128,
                                        bits,
                                        -(1 << (bits - 1)),
                                        (1 << (bits - 1)) - 1,
                                        narrowed(r.elements(3)),
                                        narrowed(r.elements(4)),
                                        {100, -2000, 777},
                                        q31_of(static_cast<double>(x_scale * r.scale(3) / state_scale)),
                                        q31_of(static_cast<double>(state_scale * r.scale(4) / r.scale(1)))};
    std::vector<int> states[2] = {std::vector<int>(24), std::vector<int>(24)};
    for (std::uint64_t call = 1; call <= 6; ++call) {
      INFO(kinds.name << ", state of " << bits << " bits, call " << call);
      const ints x = random_elements(8, -128, 127, call);
      r.set(0, x);
      r.run.run();
      ints expected;
      for (std::size_t row = 0; row < 2; ++row) {
        const auto begin = x.begin() + static_cast<int>(4 * row);
        for (const int y : model.step({begin, begin + 4}, states[row])) expected.push_back(y);
      }
      REQUIRE(r.elements(1) == expected);
    }
  }
}
TEST_CASE("an SVDF keeps its state from one run to the next") {
  test_svdf<int8_t>();
  test_svdf<std::int16_t>();
}

TEST_CASE("an LSTM is compared with CMSIS-NN's, which saturates fewer sums") {
  const auto differing = [](float weights_scale, std::size_t engine) {
    const network net = read_network(lstm_of(tflite::TensorType_INT8, false, weights_scale));
    const std::vector<step> steps = describe(net);
    CHECK(decide(steps[0])[engine].found == finding::sampled);
    CHECK(decide(steps[0])[5].found == finding::no_rule);
    std::vector<unsigned char> x;
    for (const std::int64_t e : random_elements(24, 0, 255)) x.push_back(static_cast<unsigned char>(e));
    return compare_runs(net, steps, {x})[engine][0].differing;
  };
  CHECK(differing(1, 3) == 0);
  CHECK(differing(100, 3) > 0);  // sums of both products leave int16 with opposite signs
  CHECK(differing(100, 3) == differing(100, 4));
}

/// A file with one operator, whose input is int8 of the shape 2x3, scale 0.5 and zero point 1.
struct one_operator {
  builder b;
  quantization one{{0.5f}, {1}};
  int x = b.activation(tflite::TensorType_INT8, {2, 3}, one);

  int int8(const std::vector<int>& shape) { return b.activation(tflite::TensorType_INT8, shape, one); }
  int numbers(const std::vector<std::int32_t>& all) {
    return b.constant<std::int32_t>(tflite::TensorType_INT32, {static_cast<int>(all.size())}, {}, all);
  }
  std::vector<unsigned char> finish(int y) { return b.finish({x}, {y}); }
};
template <class Make>
std::vector<unsigned char> file_of(const Make& make) {
  one_operator o;
  const int y = make(o);
  return o.finish(y);
}

TEST_CASE("conversions between all types are those of the rule") {
  using namespace tflite;
  const auto convert = [](TensorType from, TensorType into, int into_zero, const ints& x) {
    builder b;
    const int a = b.activation(from, {4}, {{0.5f}, {0}}), y = b.activation(into, {4}, {{0.25f}, {into_zero}});
    b.add(BuiltinOperator_QUANTIZE, {a}, {y});
    running r(b.finish({a}, {y}));
    r.set(a, x);
    r.run.run();
    return r.elements(y);
  };
  CHECK(convert(TensorType_INT8, TensorType_UINT8, 128, {-128, -1, 1, 127}) == ints{0, 126, 130, 255});
  CHECK(convert(TensorType_INT8, TensorType_INT16, 0, {-128, -1, 1, 127}) == ints{-256, -2, 2, 254});
  CHECK(convert(TensorType_INT8, TensorType_INT32, -3, {-128, -1, 1, 127}) == ints{-259, -5, -1, 251});
  CHECK(convert(TensorType_UINT8, TensorType_INT8, -128, {0, 1, 200, 255}) == ints{-128, -126, 127, 127});
  CHECK(convert(TensorType_UINT8, TensorType_UINT8, 0, {0, 1, 127, 255}) == ints{0, 2, 254, 255});
  CHECK(convert(TensorType_INT16, TensorType_INT8, 1, {-32768, -3, 3, 32767}) == ints{-128, -5, 7, 127});
  CHECK(convert(TensorType_INT16, TensorType_INT32, 0, {-32768, -3, 3, 32767}) == ints{-65536, -6, 6, 65534});
  CHECK(convert(TensorType_INT32, TensorType_INT8, 0, {-70000, -3, 3, 64}) == ints{-128, -6, 6, 127});
  CHECK(convert(TensorType_INT32, TensorType_INT16, 0, {-70000, -3, 3, 64}) == ints{-32768, -6, 6, 128});
}

TEST_CASE("a softmax of int8 has outputs of int16, too") {
  using namespace tflite;
  builder b;
  const int x = b.activation(TensorType_INT8, {1, 3}, {{0.25f}, {0}}),
            y = b.activation(TensorType_INT16, {1, 3}, {{0x1p-16f}, {-32768}});
  b.add(BuiltinOperator_SOFTMAX, {x}, {y}, CreateSoftmaxOptions(b.file(), 1));
  running r(b.finish({x}, {y}));
  r.set(x, {8, 8, -128});
  r.run.run();
  CHECK(r.elements(y) == ints{0, 0, -32768});  // two halves
}

TEST_CASE("a concatenation of uint8 is rescaled by LiteRT's rule, and one of int8 is refused") {
  using namespace tflite;
  const auto join = [](TensorType type, int zero) {
    builder b;
    const int a = b.activation(type, {2, 2}, {{0.5f}, {zero}}), other = b.activation(type, {2, 1}, {{0.25f}, {zero}});
    const int y = b.activation(type, {2, 3}, {{0.5f}, {zero}});
    b.add(BuiltinOperator_CONCATENATION, {a, other}, {y}, CreateConcatenationOptions(b.file(), 1));
    return b.finish({a, other}, {y});
  };
  running r(join(TensorType_UINT8, 100));
  r.set(0, {0, 1, 254, 255});
  r.set(1, {100, 103});
  r.run.run();
  CHECK(r.elements(2) == ints{0, 1, 100, 254, 255, 102});  // 1.5 steps, away from zero
  const auto all = decide(r.steps[0]);
  CHECK(all[0].found == finding::equal);
  CHECK(all[3].found == finding::no_rule);
  CHECK(refusal(join(TensorType_INT8, 0)) == "0 CONCATENATION: int8 of two scales, which TFLite refuses");
}

TEST_CASE("operators that round nothing are equal in all engines, others are decided on all inputs") {
  head_places at{};
  running r(detector_head(at));
  const auto of = [&](int t) {
    for (const step& s : r.steps)
      if (s.output == t) return decide(s);
    return std::vector<verdict>{};
  };
  for (const int t : {at.pool, at.joined, at.padded, at.left, at.right, at.turned, at.most, at.best, at.packed}) {
    INFO("tensor " << t);
    const auto all = of(t);
    REQUIRE(all.size() == engines().size());
    for (const verdict& v : all) CHECK(v.found == finding::equal);
  }
  CHECK(of(at.nearest)[1].found == finding::equal);
  CHECK(of(at.nearest)[5].found == finding::no_rule);
  CHECK(of(at.bilinear)[1].found == finding::sampled);
  // A rounding against two, counted here.
  const oracle::pair m = oracle::pair_of(oracle::derive_tflite_double(static_cast<double>(0.05f) / static_cast<double>(0.031f)));
  q::index_t differing = 0;
  for (std::int32_t x = -128; x < 128; ++x) {
    const auto one = within(oracle::tflite_single(x - 3, m.multiplier, m.shift) - 9, -128, 127);
    const auto two = within(oracle::tflite_double(x - 3, m.multiplier, m.shift) - 9, -128, 127);
    differing += one != two;
  }
  CHECK(of(at.quantized)[1].differing == differing);
  CHECK(of(at.quantized)[1].compared == 256);
  CHECK(of(at.quantized)[6].found == finding::differs);  // XNNPACK: 8 bits of the ratio
  CHECK(of(at.prelu)[1].compared == 65536);
  CHECK(of(at.prelu)[1].found == finding::differs);
  running elements(operators_on_elements());
  for (const step& s : elements.steps) {
    INFO(s.from->name);
    const verdict v = decide(s)[1];
    const bool is_row = s.output == 15 || s.output == 16, has_none = s.output == 14 || s.output > 16;
    if (is_row || has_none)
      CHECK(v.found == (is_row ? finding::sampled : finding::no_rule));
    else
      CHECK((v.found == finding::equal || v.found == finding::differs));
  }
  // Builds with one rounding run their own rules.
  const auto grown = compare_runs(r.net, r.steps, {std::vector<unsigned char>(120, 77)});
  for (const growth& g : grown[0]) CHECK(g.differing == 0);
}

/// A strided slice of a 4x5 matrix whose elements are 10 * row + column.
struct slice {
  std::vector<std::int32_t> begin, end, step;
  int begin_mask = 0, end_mask = 0, shrink_mask = 0;

  std::vector<unsigned char> file(const std::vector<int>& shape) const {
    one_operator o;
    o.x = o.int8({4, 5});
    const int y = o.int8(shape);
    o.b.add(tflite::BuiltinOperator_STRIDED_SLICE, {o.x, o.numbers(begin), o.numbers(end), o.numbers(step)}, {y},
            tflite::CreateStridedSliceOptions(o.b.file(), begin_mask, end_mask, 0, 0, shrink_mask));
    return o.finish(y);
  }
  ints of(const std::vector<int>& shape) const {
    running r(file(shape));
    ints x;
    for (int i = 0; i < 20; ++i) x.push_back(10 * (i / 5) + i % 5);
    r.set(r.net.inputs[0], x);
    r.run.run();
    return r.elements(r.net.outputs[0]);
  }
};

TEST_CASE("a strided slice has the elements from its begin to its end") {
  CHECK(slice{{1, 1}, {3, 4}, {1, 2}}.of({2, 2}) == ints{11, 13, 21, 23});
  CHECK(slice{{-1, 3}, {-5, 0}, {-2, -1}}.of({2, 3}) == ints{33, 32, 31, 13, 12, 11});
  CHECK(slice{{3, 9}, {1, 9}, {-1, 3}, 2, 2}.of({2, 2}) == ints{30, 33, 20, 23});  // masks of the second axis
  CHECK(slice{{0, 4}, {0, 0}, {-1, -4}, 3, 3}.of({4, 2}) == ints{34, 30, 24, 20, 14, 10, 4, 0});
  CHECK(slice{{2, 1}, {0, 100}, {1, 1}, 0, 0, 1}.of({4}) == ints{21, 22, 23, 24});  // a single row, whatever its end
  CHECK(slice{{0, 0}, {0, 0}, {1, 1}, 0, 0, 3}.of({}) == ints{0});
  CHECK(slice{{2, 2}, {2, 4}, {1, 1}}.of({0, 2}).empty());
  const std::string name = "0 STRIDED_SLICE: ";
  CHECK(refusal(slice{{0, 0}, {4, 5}, {1, 0}}.file({4, 5})) == name + "a step of 0");
  CHECK(refusal(slice{{0, 0}, {4, 5}, {1, 1}}.file({4, 4})) == name + "another number of outputs than its places give");
  CHECK(refusal(slice{{4, 0}, {5, 5}, {1, 1}, 0, 0, 1}.file({5})) == name + "an index that does not exist");
  CHECK(refusal(slice{{0}, {4}, {1}}.file({4, 5})) == name + "not a begin, an end and a step for each axis");
}

TEST_CASE("operators that cannot be computed are refused with the reason") {
  using namespace tflite;
  const auto with = [](BuiltinOperator code, const std::vector<std::int32_t>& numbers, const std::vector<int>& shape) {
    return refusal(file_of([&](one_operator& o) {
      const int y = o.int8(shape);
      o.b.add(code, {o.x, o.numbers(numbers)}, {y});
      return y;
    }));
  };
  CHECK(with(BuiltinOperator_PAD, {0, 0, -1, 2}, {2, 4}) == "0 PAD: the output has another size than its paddings give");
  CHECK(with(BuiltinOperator_PAD, {0, 0, 1, 1}, {2, 4}) == "0 PAD: the output has another size than its paddings give");
  CHECK(with(BuiltinOperator_PAD, {0, 0}, {2, 3}) == "0 PAD: not a padding before and behind each axis");
  CHECK(with(BuiltinOperator_PAD, {0, 0, 2147483647, -2147483647}, {2, 3}).find("0 PAD: ") == 0);
  CHECK(with(BuiltinOperator_TRANSPOSE, {1, 1}, {3, 3}) == "0 TRANSPOSE: axes of x that do not give y");
  CHECK(with(BuiltinOperator_TRANSPOSE, {1, 2}, {3, 2}) == "0 TRANSPOSE: axis 2 does not exist");
  CHECK(with(BuiltinOperator_TRANSPOSE, {1, 0}, {2, 3}) == "0 TRANSPOSE: axes of x that do not give y");
  CHECK(with(BuiltinOperator_REDUCE_MAX, {2}, {2, 1}) == "0 REDUCE_MAX: axis 2 does not exist");
  CHECK(with(BuiltinOperator_REDUCE_MIN, {1}, {2, 3}) == "0 REDUCE_MIN: another number of outputs than its axes give");
  CHECK(with(BuiltinOperator_ARG_MAX, {1}, {2}) == "0 ARG_MAX: not one axis, or an output that is not INT32");
  CHECK(with(BuiltinOperator_ARG_MIN, {0, 1}, {1}) == "0 ARG_MIN: not one axis, or an output that is not INT32");
  CHECK(with(BuiltinOperator_MAXIMUM, {1, 2, 3, 4, 5, 6}, {2, 3}) == "0 MAXIMUM: activations of INT32, not INT8 or INT16");
  CHECK(with(BuiltinOperator_RESIZE_BILINEAR, {2, 2}, {2, 2}) == "0 RESIZE_BILINEAR: without its options");
  const auto one_input = [](BuiltinOperator code, TensorType type, const quantization& q) {
    return refusal(file_of([&](one_operator& o) {
      const int y = o.b.activation(type, {2, 3}, q);
      o.b.add(code, {o.x}, {y});
      return y;
    }));
  };
  CHECK(one_input(BuiltinOperator_LOG_SOFTMAX, TensorType_INT8, {{0.5f}, {127}}) ==
        "0 LOG_SOFTMAX: a scale of y that TFLite refuses");
  CHECK(one_input(BuiltinOperator_ELU, TensorType_INT16, {{0.5f}, {0}}) == "0 ELU: outputs of INT16");
  CHECK(one_input(BuiltinOperator_QUANTIZE, TensorType_INT64, {{0.5f}, {0}}) ==
        std::string("0 QUANTIZE: ") + q::to_string(q::status::unknown_kind));
  CHECK(one_input(BuiltinOperator_ADD_N, TensorType_INT8, {{1e-7f}, {0}}).find("0 ADD_N: ") == 0);  // a ratio above 1
  CHECK(refusal(file_of([](one_operator& o) {
          const int y = o.int8({2, 3});
          o.b.add(BuiltinOperator_EQUAL, {o.x, o.x}, {y});
          return y;
        })) == "0 EQUAL: a comparison whose output is not BOOL");
  CHECK(refusal(file_of([](one_operator& o) {
          const int y = o.int8({2, 5});
          o.b.add(BuiltinOperator_CONCATENATION, {o.x, o.x}, {y}, CreateConcatenationOptions(o.b.file(), 1));
          return y;
        })) == "0 CONCATENATION: inputs that do not fit the output");
  CHECK(refusal(file_of([](one_operator& o) {
          const int y = o.int8({2, 6});
          o.b.add(BuiltinOperator_CONCATENATION, {o.x, o.x}, {y}, CreateConcatenationOptions(o.b.file(), -3));
          return y;
        })) == "0 CONCATENATION: axis -3 does not exist");
  CHECK(refusal(file_of([](one_operator& o) {
          const int y = o.int8({2, 1}), z = o.int8({2, 1});
          o.b.add(BuiltinOperator_SPLIT, {o.numbers({1}), o.x}, {y, z});
          return y;
        })) == "0 SPLIT: outputs that do not have equal parts of x");
  CHECK(refusal(file_of([](one_operator& o) {
          const int y = o.int8({1, 1, 1, 1, 1, 1, 1, 2, 3});
          o.b.add(BuiltinOperator_PACK, {o.x}, {y}, CreatePackOptions(o.b.file(), 0));
          return y;
        })) == "0 PACK: another type of y than of x, or more than 8 axes");
}

TEST_CASE("recurrent layers whose tensors do not fit are refused") {
  using namespace tflite;
  const auto lstm = [](auto change) {
    builder b;
    const quantization one{{0.01f}, {0}};
    std::vector<int> inputs(24, -1);
    inputs[0] = b.activation(TensorType_INT8, {1, 1, 2}, one);
    const int y = b.activation(TensorType_INT8, {1, 1, 2}, one);
    for (std::size_t i = 1; i < 9; ++i) inputs[i] = b.constant<std::int8_t>(TensorType_INT8, {2, 2}, one, {1, 2, 3, 4});
    for (std::size_t i = 12; i < 16; ++i) inputs[i] = b.constant<std::int32_t>(TensorType_INT32, {2}, {}, {5, 6});
    inputs[18] = b.state(TensorType_INT8, {1, 2}, one);
    inputs[19] = b.state(TensorType_INT16, {1, 2}, {{0x1p-11f}, {0}});
    auto activation = Activation_TANH;
    change(b, inputs, activation);
    b.add(BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {y},
          CreateUnidirectionalSequenceLSTMOptions(b.file(), activation));
    return refusal(b.finish({inputs[0]}, {y}));
  };
  const std::string name = "0 UNIDIRECTIONAL_SEQUENCE_LSTM: ";
  CHECK(lstm([](auto&...) {}).empty());
  CHECK(lstm([](auto&, auto& in, auto&) { in[9] = in[1]; }) == name + "a peephole, a projection or a layer norm");
  CHECK(lstm([](auto&, auto& in, auto&) { in.resize(19); }) == name + "not 20 inputs and one output");
  CHECK(lstm([](auto&, auto& in, auto&) { in.resize(20); }).empty());
  CHECK(lstm([](auto&, auto& in, auto&) { in[18] = -1; }) == name + "input 18 is absent");
  CHECK(lstm([](auto&, auto&, auto& fused) { fused = Activation_RELU; }) == name + "an activation that is not TANH");
  CHECK(lstm([](auto&, auto& in, auto&) { in[18] = in[0]; }) == name + "input 18 is not a state of the right type and shape");
  CHECK(lstm([](auto& b, auto& in, auto&) {
          in[19] = b.state(TensorType_INT16, {2, 2}, {{0x1p-11f}, {0}});
        }) == name + "input 19 is not a state of the right type and shape");
  CHECK(lstm([](auto& b, auto& in, auto&) {
          in[6] = b.template constant<std::int8_t>(TensorType_INT8, {2, 3}, {{0.01f}, {0}}, {1, 2, 3, 4, 5, 6});
        }) == name + "input 6 is not a constant matrix that fits, without a zero point");
  CHECK(lstm([](auto&, auto& in, auto&) { in[13] = in[2]; }) == name + "input 13 is not a constant bias for each unit");
  CHECK(lstm([](auto& b, auto& in, auto&) {
          in[19] = b.state(TensorType_INT16, {1, 2}, {{64.0f}, {0}});
        }) == name + q::to_string(q::status::scale_too_large));
}

}  // namespace
}  // namespace model
