#pragma once
/// \file
/// Compares the engines' rules of sums, rows, recurrent layers and images, for dyadic_activations.

#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/exact_norm.hpp>
#include <dyadic/elementwise/log_softmax.hpp>
#include <dyadic/elementwise/mean.hpp>
#include <dyadic/elementwise/norm.hpp>
#include <dyadic/elementwise/recurrent.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/resize.hpp>
#include <dyadic/elementwise/softmax_tables.hpp>
#include <dyadic/elementwise/svdf.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>
#include <dyadic/elementwise/xnnpack_resize.hpp>
#include <dyadic/scheme/executorch.hpp>

#include "groups.hpp"

namespace bench {
namespace rows {

using std::int16_t;
using std::int8_t;
using single = q::tflite::single_rounding;

/// The average of `count` elements, as a function of their sum.
template <class Rule>
auto average_of(Rule rule, std::int32_t count) {
  return [=](std::int64_t sum) { return rule.apply(sum, rule.divisor(count)); };
}
/// Compares averages on all sums of a window of `count` int8: with the scale of x, and with another one.
inline void averages(std::int32_t count) {
  const auto compare = [=](const auto& a, const auto& b) {
    return q::compare_rules(a, b, q::interval{-128 * std::int64_t{count}, 127 * std::int64_t{count}});
  };
  const auto mean = [=](const char* name, auto rule, float y) {
    return derived(name, rule, 0.1f, 0, count, y, q::range_of<int8_t>());
  };
  const auto pool = average_of(q::tflite::average{}, count);
  const std::string op = "mean of " + std::to_string(count);
  print_groups(
      op, compare, named{"TFLite pool", pool}, named{"CMSIS-NN pool", average_of(q::cmsis_nn::average{}, count)},
      named{"TOSA pool", average_of(q::tosa::average{}, count)}, named{"oneDNN pool", average_of(q::onednn::average{}, count)},
      mean("TFLite MEAN", q::tflite::mean<int8_t>{}, 0.1f), mean("TFLite MEAN single", q::tflite::mean<int8_t, single>{}, 0.1f));
  const auto requantize = derived("requantize", q::tflite::requantize<int8_t, int8_t>{}, 0.1f, 0, 0.13f, 0).rule;
  const auto in_two = [=](std::int64_t sum) { return std::int64_t{requantize(static_cast<int8_t>(pool(sum)))}; };
  const auto exact = derived("average", q::exact::average<q::half_away>{}, q::binary32{0.1f}, q::binary32{0.13f}).rule;
  print_groups(op + ", .13", compare, mean("TFLite MEAN", q::tflite::mean<int8_t>{}, 0.13f),
               mean("TFLite MEAN single", q::tflite::mean<int8_t, single>{}, 0.13f),
               named{"TFLite pool, then requantize", in_two}, named{"rounded once", average_of(exact, count)});
}

/// The first output of the row a, b, 5, -3, or of the row a, b, 5: a rule of two inputs.
template <class Rule>
struct of_row {
  using argument_type = q::detail::argument_of<Rule>;
  using value_type = typename Rule::value_type;
  Rule rule;
  q::index_t length;

  value_type operator()(argument_type a, argument_type b) const {
    const argument_type x[] = {a, b, 5, -3};
    value_type y[4] = {};
    rule({x, length}, {y, length});
    return y[0];
  }
};
template <class... Rules>
void print_rows_of(q::index_t length, const std::string& op, const named<Rules>&... rules) {
  print_pairs(op, {-256, 255}, named<of_row<Rules>>{rules.name, {rules.rule, length}}...);
}

inline void softmaxes_and_norms() {
  const float scale = 0.1f;
  const auto of = [=](const char* name, auto rule) { return derived(name, rule, scale, 1.0f); };
  const auto tables = value_of(q::tosa::softmax<int8_t>::derive(scale, 1.0f), "softmax");
  print_rows_of(4, "softmax int8", of("TFLite", q::tflite::softmax<int8_t>{}), of("CMSIS-NN", q::cmsis_nn::softmax<int8_t>{}),
                of("TFLite single", q::tflite::softmax<int8_t, int8_t, single>{}),
                named{"TOSA", q::tosa::softmax<int8_t>::of_tables(tables)});
  print_rows_of(4, "softmax to int16", of("TFLite", q::tflite::softmax<int8_t, int16_t>{}),
                of("TFLite single", q::tflite::softmax<int8_t, int16_t, single>{}));
  print_rows_of(4, "log softmax", derived("TFLite", q::tflite::log_softmax<>{}, scale),
                derived("TFLite single", q::tflite::log_softmax<single>{}, scale));
  static constexpr int16_t ones[] = {16384, 16384, 16384, 16384};
  static constexpr std::int32_t zeros[4] = {};
  // x / sqrt(sum of x^2) is half of x / sqrt(mean of x^2) of four elements.
  const auto half = derived("rounded once", q::exact::rms_norm<int8_t>{}, 1.0, 0, 0.0, 0x1p-15, 0x1p-7, q::view(ones),
                            q::view<const std::int32_t>{}, q::range_of<int8_t>());
  print_rows_of(4, "L2 norm", named{"TFLite", q::tflite::l2_norm<>{0}}, named{"TFLite single", q::tflite::l2_norm<single>{0}},
                half);
  for (const q::index_t n : {4, 3}) {
    const auto norm = [&](const char* name, auto rule) {
      return derived(name, rule, 0x1p-14f, q::view(ones, n), q::view(zeros, n));
    };
    const auto exact = derived("rounded once", q::exact::layer_norm<int16_t>{}, 1.0, 0, 0.0, 0x1p-14, 0x1p-12, q::view(ones, n),
                               q::view(zeros, n), q::range_of<int16_t>());
    print_rows_of(n, n == 4 ? "layer norm of 4" : "layer norm of 3", norm("LiteRT", q::litert::layer_norm<>{}),
                  norm("LiteRT single", q::litert::layer_norm<single>{}), exact);
  }
}

/// Compares softmaxes of int16 on rows of 32767 whose last element is another, up to the shortest row that shows a difference.
inline void softmaxes_of_int16() {
  static const q::tflite::softmax_tables tables = q::tflite::make_softmax_tables();
  const float scale = 10.0f / 65535.0f;
  const auto m = value_of(q::tflite::softmax<int16_t>::derive(scale, 1.0f), "softmax");
  const auto n = value_of(q::tosa::softmax<int16_t>::derive(q::binary32{scale}), "softmax");
  const auto compare = [](const auto& a, const auto& b) {
    differences d{};
    for (q::index_t length = 2; length <= 16 && d.differing == 0; ++length) {
      std::vector<int16_t> x(static_cast<std::size_t>(length), int16_t{32767}), y(x.size());
      const auto first_of = [&](const auto& rule) {
        return [&](std::int64_t last) {
          x.back() = static_cast<int16_t>(last);
          rule({x.data(), length}, {y.data(), length});
          return std::int64_t{y[0]};
        };
      };
      d = text_of(q::compare_rules(first_of(a), first_of(b), q::interval{-32768, is_smoke ? -32700 : 32766}));
      d.smallest = std::to_string(length - 1) + " of 32767, one " + d.smallest;
    }
    return d;
  };
  print_groups("softmax int16", compare,
               named{"TFLite", q::tflite::softmax<int16_t>{m, {tables.exponential}, {tables.reciprocal}}},
               named{"CMSIS-NN", q::cmsis_nn::softmax<int16_t>{m, {tables.exponential}, {tables.reciprocal}}},
               named{"TOSA", q::tosa::softmax<int16_t>{n, {tables.exponential}, {tables.reciprocal}}});
}

/// The sum of a gate, a rule of two accumulators in steps of 2048.
template <class Rule>
struct gate_sum_of {
  using argument_type = int8_t;
  using value_type = int16_t;
  Rule rule;
  value_type operator()(int8_t x, int8_t h) const { return rule.gate_sum(x * 2048, h * 2048, 0); }
};
/// The next cell, a rule of the cell and the cell's gate. The other gates are nearly 1.
template <class Rule>
struct cell_of {
  using value_type = int16_t;
  Rule rule;
  value_type operator()(int16_t c, int16_t g) const { return rule.cell(c, 32767, 32767, g); }
};
template <template <class> class Step>
void steps_of_lstm(const std::string& op, float cell_scale) {
  const auto of = [=](const char* name, auto rule) {
    const float w = 0x1p-7f;
    const q::lstm_scales scales{w, w, cell_scale, {w, w, w, w}, {w, w, w, w}};
    return named{name, Step<decltype(rule)>{derived(name, rule, scales, 0).rule}};
  };
  print_pairs(op, of("TFLM", q::tflite::lstm<int8_t>{}), of("CMSIS-NN", q::cmsis_nn::lstm<int8_t>{}),
              of("TFLM single", q::tflite::lstm<int8_t, single>{}));
}
/// Compares functions of the accumulator of an SVDF.
template <class Step>
void steps_of_svdf(const std::string& op, const Step& step) {
  const auto of = [=](const char* name, auto rule) {
    const auto own = derived(name, rule, 0.1f, 0.01f, 0.02f, 0, 0.01f, 0.03f, q::range_of<int8_t>()).rule;
    return named{name, [=](std::int64_t acc) { return std::int64_t{step(own, static_cast<std::int32_t>(acc))}; }};
  };
  const auto compare = [](const auto& a, const auto& b) { return q::compare_rules(a, b, q::interval{-(1 << 17), 1 << 17}); };
  print_groups(op, compare, of("TFLM", q::tflite::svdf<int16_t>{}), of("CMSIS-NN", q::cmsis_nn::svdf<int16_t>{}),
               of("TFLM single", q::tflite::svdf<int16_t, single>{}));
}
inline void recurrences() {
  steps_of_lstm<gate_sum_of>("LSTM gate sum", 0x1p-11f);
  steps_of_lstm<cell_of>("LSTM cell 2^-11", 0x1p-11f);
  steps_of_lstm<cell_of>("LSTM cell 2^-16", 0x1p-16f);
  steps_of_svdf("SVDF state", [](const auto& rule, std::int32_t acc) { return rule.remember(acc); });
  steps_of_svdf("SVDF output", [](const auto& rule, std::int32_t acc) { return rule.output(acc); });
}

/// The attributes of RESIZE along an axis that put an output where TFLite's formula would put it without rounding.
inline q::tosa::resize_attributes attributes_of(q::tflite::resize_alignment alignment, q::index_t inputs, q::index_t outputs) {
  const auto in = static_cast<std::int32_t>(inputs);
  const auto out = static_cast<std::int32_t>(outputs);
  if (alignment.align_corners) return {out - 1, in - 1, 0, 0};
  return {2 * out, 2 * in, in - out, out - in};  // half pixel centers
}

/// Output `at` of a row of two pixels that is resized: a rule of two inputs.
template <class Rule>
struct of_pixels {
  using argument_type = int8_t;
  using value_type = int8_t;
  Rule rule;
  q::index_t outputs, at;
  q::multiplier32 rescale;  // of a sum of TOSA

  int8_t operator()(int8_t a, int8_t b) const {
    using y_type = typename Rule::value_type;
    const int8_t x[] = {a, b};
    y_type y[8] = {};
    run(q::resize_layer<Rule>{rule}, q::nhwc_view<const int8_t>(x, 1, 1, 2, 1), q::nhwc_view<y_type>(y, 1, 1, outputs, 1));
    if constexpr (sizeof(y_type) == 1)
      return y[at];
    else
      return static_cast<int8_t>(q::requantize<q::tosa::scale32>(y[at], rescale, q::range_of<int8_t>()));
  }
};
inline void bilinear(const std::string& op, q::tflite::resize_alignment alignment, q::index_t outputs) {
  const q::tosa::resize_attributes along_row = attributes_of(alignment, 2, outputs);
  const auto rescale = value_of(q::executorch::arm::scale32::derive(1.0 / along_row.scale_n), "rescale");
  const auto of = [=](const char* name, auto rule) {
    require(check(rule, 1, 2, outputs), name);
    return named{name, of_pixels<decltype(rule)>{rule, outputs, (outputs - 1) / 2, rescale}};
  };
  print_pairs(op, of("TFLite", q::tflite::resize_bilinear<int8_t>{alignment}),
              of("TFLite single", q::tflite::resize_bilinear<int8_t, q::half_up>{alignment}),
              of("TOSA", q::tosa::resize_bilinear<int8_t>{{{}, along_row}}),
              of("XNNPACK", q::xnnpack::resize_bilinear<int8_t>{alignment}));
}

/// Compares which input each output reads, for rows of 2 to 60 inputs and 4 to 120 outputs.
inline void nearest(const std::string& op, q::tflite::resize_alignment alignment) {
  const auto tflite = [=](q::index_t in, q::index_t out) {
    return q::tflite::resize_nearest<int8_t>{alignment}.along(1, in, out);
  };
  const auto tosa = [=](q::index_t in, q::index_t out) {
    return q::tosa::resize_nearest<int8_t>{{{{}, attributes_of(alignment, in, out)}}}.along(1, in, out);
  };
  const auto compare = [](const auto& a, const auto& b) {
    differences d{};
    for (q::index_t in = 2; in <= (is_smoke ? 3 : 60); ++in)
      for (q::index_t out = 4; out <= 120; ++out) {
        const auto read_by = [&](const auto& rule) {
          return [at = rule(in, out)](std::int64_t i) { return std::int64_t{at(static_cast<q::index_t>(i)).low}; };
        };
        const differences one = text_of(q::compare_rules(read_by(a), read_by(b), q::interval{0, out - 1}));
        if (d.differing == 0) d.smallest = std::to_string(in) + " to " + std::to_string(out) + ": output " + one.smallest;
        d.worst = one.worst > d.worst ? one.worst : d.worst;
        d.compared += one.compared;
        d.differing += one.differing;
      }
    return d;
  };
  print_groups(op, compare, named{"TFLite", tflite}, named{"TOSA", tosa});
}

inline void resizes() {
  bilinear("bilinear 2 -> 4", {false, true}, 4);
  bilinear("bilinear 2 -> 7", {false, true}, 7);
  bilinear("corners 2 -> 5", {true, false}, 5);
  nearest("nearest", {false, true});
  nearest("nearest, corners", {true, false});
}

}  // namespace rows

inline void print_rows() {
  using namespace rows;
  print_head("sums of int8 at a scale of .1; the scale of y is .1, or .13");
  for (const std::int32_t count : {4, 9, 49}) averages(count);
  print_head("rows of a, b, 5, and of 4 also -3: the first output");
  softmaxes_and_norms();
  print_head("rows of 32767, one element another: the first output");
  softmaxes_of_int16();
  print_head("recurrent layers; accumulators of a gate in steps of 2048");
  recurrences();
  print_head("images");
  resizes();
}

}  // namespace bench
