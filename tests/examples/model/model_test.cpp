#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "oracle/elementwise.hpp"
#include "oracle/fixed_point.hpp"
#include "oracle/softmax.hpp"
#include "report.hpp"
#include "running.hpp"
#include "samples.hpp"
#include "support/catch.hpp"
#include "tensor_file.hpp"
#include "verdict.hpp"

// The tests write their own models. Loops of this file and the oracle, which share no code with the library, compute them once
// more.

namespace model {
namespace {

std::int64_t rescaled(std::int64_t acc, double scale) {
  const oracle::pair m = oracle::pair_of(oracle::derive_tflite_double(scale));
  return oracle::tflite_double(static_cast<std::int32_t>(acc), m.multiplier, m.shift);
}
std::int64_t rescaled_in_int64(std::int64_t acc, double scale) {
  const oracle::pair m = oracle::pair_of(oracle::derive_tflite_double(scale));
  return oracle::tflite_reduced_i64(acc, m.multiplier, m.shift);
}
std::int64_t within(std::int64_t x, std::int64_t low, std::int64_t high) { return x < low ? low : x > high ? high : x; }

/// A convolution as five loops. Weights are OHWI, or 1HWO if it is depthwise.
struct plain_conv {
  int h, w, c, kernel_h, kernel_w, out, stride, pad_y, pad_x, y_h, y_w;
  bool depthwise;
  std::int64_t zero;

  template <class Output>
  ints operator()(const ints& x, const ints& weights, const ints& bias, const Output& output) const {
    ints y;
    for (int i = 0; i < y_h; ++i)
      for (int j = 0; j < y_w; ++j)
        for (int o = 0; o < out; ++o) {
          std::int64_t acc = bias.empty() ? 0 : bias[static_cast<std::size_t>(o)];
          for (int k = 0; k < kernel_h; ++k)
            for (int l = 0; l < kernel_w; ++l)
              for (int d = 0; d < (depthwise ? 1 : c); ++d) {
                const int at_y = i * stride - pad_y + k, at_x = j * stride - pad_x + l;
                if (at_y < 0 || at_y >= h || at_x < 0 || at_x >= w) continue;
                const int channel = depthwise ? o * c / out : d;
                const int weight = depthwise ? (k * kernel_w + l) * out + o : ((o * kernel_h + k) * kernel_w + l) * c + d;
                acc += (x[static_cast<std::size_t>((at_y * w + at_x) * c + channel)] - zero) *
                       weights[static_cast<std::size_t>(weight)];
              }
          y.push_back(output(acc, o));
        }
    return y;
  }
};

template <class T>
ints list(const T& all) {
  return ints(std::begin(all), std::end(all));
}

/// A file in the folder of the test, removed at the end.
struct temporary {
  std::string path;
  temporary(const std::string& name, const std::vector<unsigned char>& bytes) : path("model_test_" + name) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  ~temporary() { std::remove(path.c_str()); }
  temporary(const temporary&) = delete;
  temporary& operator=(const temporary&) = delete;
};

TEST_CASE("a convolutional network of int16 recognizes digits, and gives what plain loops give") {
  using namespace digits::convolutional::a16w8;
  int right = 0;
  for (const backend_kinds& kinds : backends()) {
    running r(digits_of_int16(), kinds);
    const int images = std::string(kinds.name) == "scalar" ? 20 : digits::image_count;
    for (int i = 0; i < images; ++i) {
      ints x;
      for (int k = 0; k < 64; ++k)
        x.push_back(std::min<std::int64_t>(32767, std::llround(digits::images[i * 64 + k] / layer1::x_scale)));
      r.set(0, x);
      r.run.run();
      const ints logits = r.elements(9);
      const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
      if (&kinds == &backends()[0]) right += best == digits::labels[i];
      if (i >= 20) continue;
      const auto output = [](const auto& scales, double x_scale, double y_scale, std::int64_t low) {
        return [=, w = std::vector<double>(std::begin(scales), std::end(scales))](std::int64_t acc, int o) {
          const double scale = oracle::tflite_conv_scale_per_channel(
              static_cast<float>(x_scale), static_cast<float>(w[static_cast<std::size_t>(o)]), static_cast<float>(y_scale));
          return within(rescaled_in_int64(acc, scale), low, 32767);
        };
      };
      const ints y1 = plain_conv{8, 8, 1, 3, 3, 8, 1, 1, 1, 8, 8, false, 0}(
          x, list(layer1::weights), list(layer1::bias), output(layer1::w_scale, layer1::x_scale, layer1::y_scale, 0));
      REQUIRE(r.elements(3) == y1);
      const ints y2 = plain_conv{8, 8, 8, 3, 3, 8, 2, 0, 0, 4, 4, true, 0}(
          y1, list(layer2::weights), list(layer2::bias), output(layer2::w_scale, layer2::x_scale, layer2::y_scale, 0));
      REQUIRE(r.elements(6) == y2);
      const ints y3 = plain_conv{1, 1, 128, 1, 1, 10, 1, 0, 0, 1, 1, false, 0}(
          y2, list(layer3::weights), list(layer3::bias), output(layer3::w_scale, layer3::x_scale, layer3::y_scale, -32768));
      REQUIRE(logits == y3);
    }
  }
  CHECK(right > 560);  // of 599
}

TEST_CASE("a fully connected layer with one scale has TFLite's product in binary32") {
  using namespace digits::linear::a8w8;
  running r(digits_of_int8());
  const ints x = random_elements(64, -128, 127);
  r.set(0, x);
  r.run.run();
  const auto channel = [](std::int64_t acc, int o) {
    const double scale = oracle::tflite_conv_scale_per_channel(
        static_cast<float>(layer1::x_scale), static_cast<float>(layer1::w_scale[o]), static_cast<float>(layer1::y_scale));
    return within(rescaled(acc, scale) + layer1::y_zero_point, layer1::y_zero_point, 127);
  };
  const ints hidden = plain_conv{1, 1, 64, 1, 1, 32, 1, 0, 0, 1, 1, false, layer1::x_zero_point}(x, list(layer1::weights),
                                                                                                 list(layer1::bias), channel);
  REQUIRE(r.elements(3) == hidden);
  const double scale = oracle::tflite_conv_scale_per_tensor(
      static_cast<float>(layer2::x_scale), static_cast<float>(layer2::w_scale[0]), static_cast<float>(layer2::y_scale));
  const auto tensor_wide = [&](std::int64_t acc, int) { return within(rescaled(acc, scale) + layer2::y_zero_point, -128, 127); };
  CHECK(r.elements(6) == plain_conv{1, 1, 32, 1, 1, 10, 1, 0, 0, 1, 1, false, layer2::x_zero_point}(
                             hidden, list(layer2::weights), list(layer2::bias), tensor_wide));
}

TEST_CASE("every operator of int8 gives what plain loops give, on every backend") {
  places at{};
  const std::vector<unsigned char> file = one_of_each(at);
  for (const backend_kinds& kinds : backends())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      INFO(kinds.name << ", seed " << seed);
      running r(file, kinds);
      r.set(at.x, random_elements(84, -128, 127, seed));
      r.run.run();
      const auto scale_of = [&](int x, int w, int y, int o) {
        const auto& all = r.net.tensors[static_cast<std::size_t>(w)].scales;
        return oracle::tflite_conv_scale_per_channel(r.scale(x), all[all.size() == 1 ? 0 : static_cast<std::size_t>(o)],
                                                     r.scale(y));
      };
      // relu6 with the scale 0.051 and the zero point -20: 0 is -20, 6 is 98.
      const auto conv = [&](std::int64_t acc, int o) {
        return within(rescaled(acc, scale_of(at.x, at.w1, at.conv, o)) - 20, -20, 98);
      };
      const ints y1 =
          plain_conv{7, 6, 2, 3, 3, 4, 2, 1, 0, 4, 3, false, 3}(r.elements(at.x), r.elements(at.w1), {100, -2000, 0, 777}, conv);
      REQUIRE(r.elements(at.conv) == y1);
      const auto depthwise = [&](std::int64_t acc, int o) {
        return within(rescaled(acc, scale_of(at.conv, at.w2, at.depthwise, o)) + 5, -128, 127);
      };
      const ints y2 = plain_conv{4, 3, 4, 3, 2, 8, 1, 1, 0, 4, 3, true, -20}(y1, r.elements(at.w2), {}, depthwise);
      REQUIRE(r.elements(at.depthwise) == y2);
      // A transposed convolution scatters: input (i, j) adds to outputs 2 * i + k, 2 * j + l. There is no padding: 2 * 4, 2 * 3.
      const ints w3 = r.elements(at.w3);
      ints sums(8 * 6 * 8);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 2; ++k)
            for (int l = 0; l < 2; ++l)
              for (int o = 0; o < 8; ++o)
                for (int d = 0; d < 4; ++d)
                  sums[static_cast<std::size_t>(((2 * i + k) * 6 + 2 * j + l) * 8 + o)] +=
                      (y1[static_cast<std::size_t>((i * 3 + j) * 4 + d)] + 20) *
                      w3[static_cast<std::size_t>(((o * 2 + k) * 2 + l) * 4 + d)];
      ints y3;
      for (const std::int64_t sum : sums)
        y3.push_back(within(rescaled(sum, scale_of(at.conv, at.w3, at.transposed, 0)) - 7, -128, 127));
      REQUIRE(r.elements(at.transposed) == y3);
      ints pool, sum, mean(8), product;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j)
          for (int c = 0; c < 8; ++c) {
            const auto y = [&](int a, int b) { return y3[static_cast<std::size_t>(((2 * i + a) * 6 + 2 * j + b) * 8 + c)]; };
            pool.push_back(oracle::average(y(0, 0) + y(0, 1) + y(1, 0) + y(1, 1), 4, oracle::tie::away));
          }
      REQUIRE(r.elements(at.pool) == pool);
      const auto reals = oracle::scales_of_sum(static_cast<double>(r.scale(at.depthwise)), static_cast<double>(r.scale(at.pool)),
                                               static_cast<double>(r.scale(at.sum)), 20, false);
      const auto derived = [](double s) { return oracle::pair_of(oracle::derive_tflite_double(s)); };
      const oracle::sum_pairs pairs{derived(reals.a), derived(reals.b), derived(reals.sum)};
      for (std::size_t i = 0; i < pool.size(); ++i)
        sum.push_back(within(oracle::rescaled_sum(static_cast<std::int32_t>(y2[i] - 5), static_cast<std::int32_t>(pool[i] + 7),
                                                  20, pairs, false, oracle::tflite_double) +
                                 1,
                             1, 127));
      REQUIRE(r.elements(at.sum) == sum);
      const oracle::pair of_mean =
          oracle::mean_pair(derived(static_cast<double>(r.scale(at.sum)) / static_cast<double>(r.scale(at.mean))), 12);
      for (std::size_t c = 0; c < 8; ++c) {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < 12; ++i) total += sum[i * 8 + c] - 1;
        mean[c] =
            within(oracle::tflite_double(static_cast<std::int32_t>(total), of_mean.multiplier, of_mean.shift) - 11, -128, 127);
      }
      REQUIRE(r.elements(at.mean) == mean);
      const double of_product =
          static_cast<double>(r.scale(at.sum)) * static_cast<double>(r.scale(at.mean)) / static_cast<double>(r.scale(at.product));
      for (std::size_t i = 0; i < sum.size(); ++i)
        product.push_back(within(rescaled((sum[i] - 1) * (mean[i % 8] + 11), of_product) + 9, -128, 127));
      REQUIRE(r.elements(at.product) == product);
      REQUIRE(r.elements(at.squeezed) == product);
      ints nibbles;
      const tensor& w4 = r.net.tensors[static_cast<std::size_t>(at.w4)];
      for (const unsigned char byte : w4.data)
        for (const int nibble : {byte & 15, byte >> 4}) nibbles.push_back(nibble < 8 ? nibble : nibble - 16);
      const double of_logits = oracle::tflite_conv_scale_per_tensor(r.scale(at.squeezed), w4.scales[0], r.scale(at.logits));
      const ints logits = plain_conv{1, 1, 96, 1, 1, 10, 1, 0, 0, 1, 1, false, 9}(
          product, nibbles, {1, -2, 300, -400, 5, 6, 7, 8, 9, 10},
          [&](std::int64_t acc, int) { return within(rescaled(acc, of_logits) + 13, -128, 127); });
      REQUIRE(r.elements(at.logits) == logits);
      CHECK(std::set<std::int64_t>(logits.begin(), logits.end()).size() > 3);
      ints leaky, relu;
      const float alpha = 0.1f;
      for (const std::int64_t x : logits) {
        const double identity = static_cast<double>(r.scale(at.logits) / r.scale(at.leaky));
        const double slope = static_cast<double>(r.scale(at.logits) * alpha / r.scale(at.leaky));
        leaky.push_back(within(rescaled(x - 13, x >= 13 ? identity : slope) + 2, -128, 127));
      }
      REQUIRE(r.elements(at.leaky) == leaky);
      // relu6 with the scale 0.031: 6 is 194 steps above the zero point, which is beyond int8.
      for (const std::int64_t x : leaky)
        relu.push_back(within(rescaled(x - 2, static_cast<double>(r.scale(at.leaky) / r.scale(at.relu))) - 5, -5, 127));
      REQUIRE(r.elements(at.relu) == relu);
      // A softmax scales differences by beta * scale * 2^26.
      const oracle::pair of_softmax = derived(std::min(static_cast<double>(r.scale(at.leaky)) * 0x1p26, 2147483647.0));
      const std::vector<int> row(leaky.begin(), leaky.end());
      const auto shares = oracle::tflite_softmax_s8(
          row, -248, 8, [&](int d) { return oracle::tflite_double(d, of_softmax.multiplier, of_softmax.shift); });
      CHECK(r.elements(at.softmax) == ints(shares.begin(), shares.end()));
    }
}

TEST_CASE("a residual of int16 has the accumulators that its bias asks for") {
  for (const backend_kinds& kinds : backends()) {
    running r(residual_of_int16(), kinds);
    const ints x = random_elements(6, -32768, 32767);
    r.set(0, x);
    r.run.run();
    const ints w = {127, -3, 5, 8, 100, -128, 7, 64, 1}, bias = {1000, -70000, 3};
    const float scales[] = {0.01f, 0.02f, 0.015f};
    ints first, second, y;
    const auto layer = [&](const ints& from, bool has_bias, float x_scale, float y_scale) {
      ints to;
      for (std::size_t row = 0; row < 2; ++row)
        for (std::size_t o = 0; o < 3; ++o) {
          std::int64_t acc = has_bias ? bias[o] : 0;
          for (std::size_t k = 0; k < 3; ++k) acc += from[row * 3 + k] * w[o * 3 + k];
          const double scale = oracle::tflite_conv_scale_per_channel(x_scale, scales[o], y_scale);
          to.push_back(within(has_bias ? rescaled(acc, scale) : rescaled_in_int64(acc, scale), has_bias ? 0 : -32768, 32767));
        }
      return to;
    };
    first = layer(x, true, 0.001f, 0.0009f);
    REQUIRE(r.elements(3) == first);
    second = layer(first, false, 0.0009f, 0.0011f);
    REQUIRE(r.elements(4) == second);
    const auto reals =
        oracle::scales_of_sum(static_cast<double>(0.001f), static_cast<double>(0.0011f), static_cast<double>(0.0017f), 15, false);
    const auto derived = [](double s) { return oracle::pair_of(oracle::derive_tflite_double(s)); };
    const oracle::sum_pairs pairs{derived(reals.a), derived(reals.b), derived(reals.sum)};
    for (std::size_t i = 0; i < 6; ++i)
      y.push_back(within(oracle::rescaled_sum(static_cast<std::int32_t>(x[i]), static_cast<std::int32_t>(second[i]), 15, pairs,
                                              false, oracle::tflite_double),
                         -32768, 32767));
    CHECK(r.elements(5) == y);
  }
}

/// A fully connected layer of one channel: 2 weights, no bias, a sum scaled by 1 / (2 * y_scale).
std::vector<unsigned char> one_channel(std::vector<std::int8_t> weights, float y_scale) {
  builder b;
  const int x = b.activation(tflite::TensorType_INT8, {1, 2}, {{0.5f}, {0}});
  const int w = b.constant(tflite::TensorType_INT8, {1, 2}, {{1.0f}, {0}}, weights);
  const int y = b.activation(tflite::TensorType_INT8, {1, 1}, {{y_scale}, {0}});
  b.add(tflite::BuiltinOperator_FULLY_CONNECTED, {x, w}, {y}, tflite::CreateFullyConnectedOptions(b.file()));
  return b.finish({x}, {y});
}

const verdict& of_engine(const std::vector<verdict>& all, const std::string& name) {
  return all[static_cast<std::size_t>(std::find(engines().begin(), engines().end(), name) - engines().begin())];
}

TEST_CASE("a verdict names the engines that differ, and an input that shows it") {
  // The output is a quarter of the sum. TFLite rounds a sum of 1 to a half, then to 1.
  const network net = read_network(one_channel({1, 2}, 2.0f));
  const std::vector<step> steps = describe(net);
  const auto all = decide(steps[0]);
  CHECK(of_engine(all, "TFLite").found == finding::equal);
  CHECK(of_engine(all, "CMSIS-NN").found == finding::equal);
  CHECK(of_engine(all, "Helium").found == finding::equal);
  for (const char* const name : {"TOSA", "single", "XNNPACK", "exact"}) {
    INFO(name);
    CHECK(of_engine(all, name).found == finding::differs);
    CHECK(of_engine(all, name).differing == 1);
    CHECK(of_engine(all, name).compared == 1);
  }
  INFO(of_engine(all, "TOSA").witness);
  CHECK(of_engine(all, "TOSA").witness.find("channel 0, accumulator 1 by x[0] = 1, others 0: 1 by TFLite, 0 here") == 0);
  CHECK(of_engine(all, "TOSA")
            .steps.find(
                "TFLite: times 1073741824: 1073741824; rounding at bit 31: tie, up to 1; rounding at bit 1: tie, up to 1") == 0);
  // This input does show it: the network gives 1, and TOSA's rule 0.
  const std::vector<std::vector<unsigned char>> inputs{{1, 0}};
  const auto grown = compare_runs(net, steps, inputs);
  const auto place = [](const std::string& name) {
    return static_cast<std::size_t>(std::find(engines().begin(), engines().end(), name) - engines().begin());
  };
  CHECK(grown[place("TOSA")][0].differing == 1);
  CHECK(grown[place("TOSA")][0].worst == 1);
  CHECK(grown[place("CMSIS-NN")][0].differing == 0);
}

TEST_CASE("a verdict tells where no input can differ although the rules do") {
  // All sums are multiples of 4, so that nothing is rounded. The bound cannot show that, and the search for inputs finds none.
  const network fours = read_network(one_channel({4, 8}, 2.0f));
  const verdict v = of_engine(decide(describe(fours)[0]), "TOSA");
  CHECK(v.found == finding::differs);
  CHECK(v.witness == "no input is known that gives one of these accumulators");
  // Sums that keep their scale are not rounded by any engine.
  const network whole = read_network(one_channel({1, 2}, 0.5f));
  for (const verdict& one : decide(describe(whole)[0])) CHECK(one.found == finding::equal);
}

TEST_CASE("additions of two engines are compared on all pairs") {
  builder b;
  const auto int8 = [&](float scale) { return b.activation(tflite::TensorType_INT8, {4}, {{scale}, {0}}); };
  const int x = int8(0.25f), other = int8(0.25f), y = int8(0.5f);
  b.add(tflite::BuiltinOperator_ADD, {x, other}, {y}, tflite::CreateAddOptions(b.file()));
  const network net = read_network(b.finish({x, other}, {y}));
  const auto all = decide(describe(net)[0]);
  CHECK(of_engine(all, "CMSIS-NN").found == finding::equal);
  CHECK(of_engine(all, "TOSA").differing == 16512);  // the negative ties
  CHECK(of_engine(all, "TOSA").compared == 65536);
  CHECK(of_engine(all, "NEON,x86").found == finding::no_rule);
}

TEST_CASE("the rules of the reference, applied to the accumulators, give the outputs of the prepared network") {
  places at{};
  for (const std::vector<unsigned char>& file : {one_of_each(at), digits_of_int16(), residual_of_int16()}) {
    const network net = read_network(file);
    const std::vector<step> steps = describe(net);
    std::vector<unsigned char> input(static_cast<std::size_t>(net.tensors[static_cast<std::size_t>(net.inputs[0])].bytes));
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<unsigned char>(i * 89);
    const auto grown = compare_runs(net, steps, {input});
    for (const growth& g : grown[0]) CHECK(g.differing == 0);
    // CMSIS-NN's rules are TFLite's here; its layers are computed from their accumulators.
    for (const growth& g : grown[3]) CHECK(g.differing == 0);
    for (const growth& g : grown[3]) CHECK(g.of > 0);
  }
}

TEST_CASE("the bound of accumulators is that of the weights") {
  running r(one_channel({1, -2}, 1.0f));
  CHECK(r.run.steps()[0].bound.lowest == -128 - 2 * 127);
  CHECK(r.run.steps()[0].bound.highest == 127 + 2 * 128);
  CHECK(r.run.steps()[0].status == q::status::ok);
}

TEST_CASE("tensors that live at the same time do not overlap") {
  places at{};
  const network net = read_network(one_of_each(at));
  const std::vector<step> steps = describe(net);
  program kept_all(net, steps, backends()[0], kept::all), reused(net, steps, backends()[0]);
  CHECK(reused.activation_bytes() < kept_all.activation_bytes());
  std::vector<unsigned char> outputs[2];
  int i = 0;
  for (program* p : {&kept_all, &reused}) {
    for (int k = 0; k < 84; ++k) p->data(at.x)[k] = static_cast<unsigned char>(k * 73);
    p->run();
    for (const int t : net.outputs) outputs[i].insert(outputs[i].end(), p->data(t), p->data(t) + 10);
    ++i;
  }
  CHECK(outputs[0] == outputs[1]);
}

TEST_CASE("files that are damaged, and operators that have no rule, are refused by name") {
  CHECK(refusal({1, 2, 3}) == "not a .tflite file: no identifier TFL3");
  CHECK(refusal(std::vector<unsigned char>(100, 7)) == "not a .tflite file: no identifier TFL3");
  std::vector<unsigned char> cut = one_channel({1, 2}, 1.0f);
  cut.resize(cut.size() / 2);
  CHECK(refusal(cut) == "damaged: an offset leads astray");
  using namespace tflite;
  const auto model_of = [](auto make) {
    builder b;
    const quantization one{{0.5f}, {0}};
    const int x = b.activation(TensorType_INT8, {1, 2}, one);
    return make(b, x, one);
  };
  const auto with_type = [&](TensorType type) {
    return model_of([&](builder& b, int, const quantization& one) {
      const int f = b.activation(type, {1, 2}, one), y = b.activation(type, {1, 2}, one);
      b.add(BuiltinOperator_TANH, {f}, {y});
      return b.finish({f}, {y});
    });
  };
  CHECK(refusal(with_type(TensorType_FLOAT32)) == "0 TANH: activations of FLOAT32, not INT8 or INT16");
  const auto with_code = [&](BuiltinOperator code) {
    return model_of([&](builder& b, int x, const quantization& one) {
      const int y = b.activation(TensorType_INT8, {1, 2}, one);
      b.add(code, {x}, {y});
      return b.finish({x}, {y});
    });
  };
  CHECK(refusal(with_code(BuiltinOperator_FAKE_QUANT)) == "0 FAKE_QUANT: there is no rule for this operator yet");
  CHECK(refusal(with_code(BuiltinOperator_GELU)) == "0 GELU: there is no rule for this operator yet");
  CHECK(refusal(with_code(BuiltinOperator_CUSTOM)) == "0 CUSTOM without a name: there is no rule for this operator yet");
  CHECK(refusal(with_code(static_cast<BuiltinOperator>(1234567))) ==
        "0 operator 1234567: there is no rule for this operator yet");
  CHECK(refusal(with_code(BuiltinOperator_ADD)) == "0 ADD: without its options");
  CHECK(refusal(with_code(BuiltinOperator_MEAN)) == "0 MEAN: 1 inputs and 1 outputs");
  CHECK(refusal(with_code(BuiltinOperator_LOGISTIC)).find("0 LOGISTIC: scale") == 0);
  CHECK(refusal(model_of([&](builder& b, int x, const quantization& one) {
          const int y = b.activation(TensorType_INT8, {1, 2}, one);
          b.add(BuiltinOperator_TANH, {x + 5}, {y});
          return b.finish({x}, {y});
        })) == "0 TANH: tensor 5 does not exist");
  CHECK(refusal(model_of([&](builder& b, int x, const quantization& one) {
          const int y = b.activation(TensorType_INT8, {1, 2}, one);
          b.add(BuiltinOperator_TANH, {y}, {y});
          return b.finish({x}, {y});
        })) == "0 TANH: tensor 1 't1' has no value yet");
  CHECK(refusal(model_of([&](builder& b, int x, const quantization& one) {
          b.add(BuiltinOperator_TANH, {x}, {x});
          static_cast<void>(one);
          return b.finish({x}, {x});
        })) == "0 TANH: tensor 0 't0' has a value already");
  CHECK(refusal(model_of([&](builder& b, int x, const quantization& one) {
          const int w = b.constant<std::int8_t>(TensorType_INT8, {3, 3}, one, {1, 2, 3, 4, 5, 6, 7, 8});
          const int y = b.activation(TensorType_INT8, {1, 3}, one);
          b.add(BuiltinOperator_FULLY_CONNECTED, {x, w}, {y}, CreateFullyConnectedOptions(b.file()));
          return b.finish({x}, {y});
        })) == "tensor 1 't1': its shape does not have the size of its data");
  CHECK(refusal(model_of([&](builder& b, int x, const quantization& one) {
          const int w = b.constant<std::int8_t>(TensorType_INT8, {1, 3}, one, {1, 2, 3});
          const int y = b.activation(TensorType_INT8, {1, 1}, one);
          b.add(BuiltinOperator_FULLY_CONNECTED, {x, w}, {y}, CreateFullyConnectedOptions(b.file()));
          return b.finish({x}, {y});
        })) == "0 FULLY_CONNECTED: weights that do not fit the inputs or the outputs");
  CHECK(refusal(model_of([&](builder& b, int x, const quantization& one) {
          const int huge = b.activation(TensorType_INT8, {65536, 65536}, one);
          b.add(BuiltinOperator_RESHAPE, {x}, {huge});
          return b.finish({x}, {huge});
        })) == "tensor 1 't1': too many elements");
  CHECK(refusal(model_of([&](builder& b, int x, const quantization&) {
          const int y = b.activation(TensorType_INT8, {1, 2}, {{0.5f}, {1000}});
          b.add(BuiltinOperator_LEAKY_RELU, {x}, {y}, CreateLeakyReluOptions(b.file(), 0.1f));
          return b.finish({x}, {y});
        })) == std::string("0 LEAKY_RELU: ") + q::to_string(q::status::zero_point_out_of_range));
}

TEST_CASE("a quantization whose arrays do not fit is refused") {
  using namespace tflite;
  builder b;
  const int x = b.activation(TensorType_INT8, {1, 2}, {{0.5f}, {0}});
  const int w = b.constant<std::int8_t>(TensorType_INT8, {2, 2}, {{0.5f, 0.5f, 0.5f}, {0, 0, 0}}, {1, 2, 3, 4});
  const int y = b.activation(TensorType_INT8, {1, 2}, {{0.5f}, {0}});
  b.add(BuiltinOperator_FULLY_CONNECTED, {x, w}, {y}, CreateFullyConnectedOptions(b.file()));
  CHECK(refusal(b.finish({x}, {y})) == "0 FULLY_CONNECTED: scales that are not those of the channels");
}

TEST_CASE("conversions from and to binary32 at the ends of a network are left out") {
  using namespace tflite;
  builder b;
  const int real_x = b.activation(TensorType_FLOAT32, {4}, {});
  const int x = b.activation(TensorType_INT8, {4}, {{0.05f}, {3}});
  const int y = b.activation(TensorType_INT8, {4}, {{0x1p-7f}, {0}});
  const int real_y = b.activation(TensorType_FLOAT32, {4}, {});
  b.add(BuiltinOperator_QUANTIZE, {real_x}, {x});
  b.add(BuiltinOperator_TANH, {x}, {y});
  b.add(BuiltinOperator_DEQUANTIZE, {y}, {real_y});
  running r(b.finish({real_x}, {real_y}));
  CHECK(r.net.inputs == std::vector<int>{x});
  CHECK(r.net.outputs == std::vector<int>{y});
  CHECK(r.net.left_out == std::vector<std::string>{"0 QUANTIZE", "2 DEQUANTIZE"});
  r.set(x, {3, 127, -128, 4});
  r.run.run();
  CHECK(r.elements(y) == ints{0, 127, -128, 6});  // tanh(0), tanh(6.2), tanh(-6.55), tanh(0.05) * 128
  // In the middle of a network they are refused.
  builder c;
  const int from = c.activation(TensorType_INT8, {4}, {{0.05f}, {3}}), middle = c.activation(TensorType_FLOAT32, {4}, {});
  const int to = c.activation(TensorType_INT8, {4}, {{0.05f}, {3}});
  c.add(BuiltinOperator_DEQUANTIZE, {from}, {middle});
  c.add(BuiltinOperator_QUANTIZE, {middle}, {to});
  CHECK(refusal(c.finish({from}, {to})) == "0 DEQUANTIZE: there is no rule for this operator yet");
}

TEST_CASE("inputs are read from .npy files and from raw bytes") {
  running r(residual_of_int16());
  const tensor& to = r.net.tensors[0];
  const std::vector<unsigned char> raw = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 255, 255};
  CHECK(read_input(raw, to) == raw);
  const auto npy = [&](const std::string& type, const std::string& order) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (2, 3), }";
    header.resize(117, ' ');
    header += '\n';
    std::vector<unsigned char> bytes{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<unsigned char>(header.size()), 0};
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.insert(bytes.end(), raw.begin(), raw.end());
    return bytes;
  };
  CHECK(read_input(npy("<i2", "False"), to) == raw);
  const auto error = [&](std::vector<unsigned char> bytes) {
    try {
      return static_cast<void>(read_input(std::move(bytes), to)), std::string("ok");
    } catch (const refused& why) {
      return std::string(why.what());
    }
  };
  CHECK(error(npy("<f4", "False")) == "input: tensor 0 't0' takes elements of type <i2");
  CHECK(error(npy("<i2", "True")) == "input: not in C order");
  CHECK(error({1, 2}) == "input: 2 bytes of elements, but tensor 0 't0' has 12");
  std::vector<unsigned char> cut = npy("<i2", "False");
  cut.resize(40);
  CHECK(error(cut) == "input: the .npy header is cut off");
}

TEST_CASE("the program prints a network, a verdict, and writes its tensors") {
  places at{};
  const temporary file("one_of_each.tflite", one_of_each(at));
  const std::string json = "model_test_figures.json";
  std::ostringstream out;
  REQUIRE(report({file.path, "--verdict", "--runs", "1", "--json", json, "--dump", "."}, out) == 0);
  const std::string text = out.str();
  INFO(text);
  CHECK(text.find("0 CONV_2D") != std::string::npos);
  CHECK(text.find("14 SOFTMAX") != std::string::npos);
  CHECK(text.find("fits") != std::string::npos);
  CHECK(text.find("The whole network on these inputs, beside TFLite:\nsingle: ") != std::string::npos);
  std::ifstream figures(json);
  std::stringstream all;
  all << figures.rdbuf();
  CHECK(all.str().find("\"verdicts\": [\n  {\"operator\": \"0 CONV_2D\"") != std::string::npos);
  // A dumped tensor can be read as an input.
  const tensor x = read_network(one_of_each(at)).tensors[0];
  CHECK(read_input(read_file("0.npy"), x).size() == 84);
  for (int t = 0; t < 40; ++t) std::remove((std::to_string(t) + ".npy").c_str());
  std::remove(json.c_str());
  std::ostringstream help;
  CHECK(report({"--nothing"}, help) == 2);
  CHECK(help.str().find("usage: model FILE.tflite") == 0);
  CHECK_THROWS_AS(report({"no_such_file"}, help), refused);
}

}  // namespace
}  // namespace model
