#pragma once
// Answers rows of conversions, resizes, pools and tables.

#include <dyadic/elementwise/activation.hpp>
#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/pool.hpp>
#include <dyadic/elementwise/quantize.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/resize.hpp>
#include <dyadic/elementwise/table_functions.hpp>
#include <dyadic/rescale.hpp>

#include <utility>

#include "../driver.hpp"

namespace golden {

namespace convert {

namespace q = dyadic;
using std::int32_t;

inline q::binary32 bits_of(const row& r, const std::string& column) {
  return q::binary32::from_bits(r.integer<std::uint32_t>(column));
}
/// Returns the numbered columns of a row, up to the first empty cell, at most `most`.
template <class T>
std::vector<T> numbers(const row& r, const std::string& name, std::size_t most) {
  std::vector<T> all;
  while (all.size() < most && !r.text(name + std::to_string(all.size())).empty())
    all.push_back(r.integer<T>(name + std::to_string(all.size())));
  return all;
}
inline std::vector<std::string> columns(std::vector<std::string> first, const std::string& name, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) first.push_back(name + std::to_string(i));
  return first;
}
/// Returns the outputs of a layer for one row of elements, or the name of a status.
template <class Layer, class X, class Y>
values run_one(const Layer& layer, const q::nhwc_view<X>& x, const q::nhwc_view<Y>& y) {
  if (const q::status s = check(layer, x, y); s != q::status::ok) return {q::to_string(s)};
  run(layer, x, y);
  return {text(*y.data())};
}

template <class Y>
answer quantize(const std::string& file) {
  return {file, {"value_bits", "scale_bits", "zero_point"}, {"expected"}, [](const row& r) -> values {
            const auto rule =
                q::tflite::quantize<Y>::derive(bits_of(r, "scale_bits"), q::range_of<Y>(r.integer<int32_t>("zero_point")));
            if (rule.status != q::status::ok) return {q::to_string(rule.status)};
            return {text(rule.value(bits_of(r, "value_bits")))};
          }};
}

template <class X>
answer dequantize(const std::string& file) {
  return {file, {"input", "scale_bits", "zero_point"}, {"expected_bits"}, [](const row& r) -> values {
            const auto rule = q::tflite::dequantize<X>::derive(bits_of(r, "scale_bits"), r.integer<int32_t>("zero_point"));
            if (rule.status != q::status::ok) return {q::to_string(rule.status)};
            return {text(rule.value.nearest(r.integer<X>("input")).bits)};
          }};
}

/// Answers by the rule and by the layer that rescales: both must agree.
template <class X, class Y, class Scheme>
answer requantize(const std::string& file) {
  return {file,
          {"input", "input_scale_bits", "input_zero_point", "output_scale_bits", "output_zero_point"},
          {"expected_multiplier", "expected_shift", "expected"},
          [](const row& r) -> values {
            const auto derived = q::tflite::requantize<X, Y, Scheme>::derive(
                bits_of(r, "input_scale_bits"), r.integer<int32_t>("input_zero_point"), bits_of(r, "output_scale_bits"),
                r.integer<int32_t>("output_zero_point"));
            if (!q::may_run(derived.status)) return {q::to_string(derived.status)};
            const auto& rule = derived.value;
            const q::tflite::pair pair = q::tflite::to_pair(rule.multiplier);
            const X x[] = {r.integer<X>("input")};
            Y y[1] = {};
            const q::rescale_layer layer{rule.x_zero_point, q::per_tensor_output<Y, Scheme>{rule.multiplier, rule.range}};
            run(layer, q::matrix_view<const X>(x, 1, 1), q::matrix_view<Y>(y, 1, 1));
            if (y[0] != rule(x[0])) return {text(pair.multiplier), text(pair.shift), "the layer gives " + text(y[0])};
            return {text(pair.multiplier), text(pair.shift), text(rule(x[0]))};
          }};
}
template <class X, class Y>
void add_requantize(std::vector<answer>& all, const std::string& types) {
  all.push_back(requantize<X, Y, q::tflite::double_rounding>("tflite_requantize_" + types + ".csv"));
  all.push_back(requantize<X, Y, q::tflite::single_rounding>("tflite_requantize_" + types + "_single.csv"));
}

inline q::tflite::resize_alignment alignment_of(const row& r) {
  return {r.integer("align_corners") != 0, r.integer("half_pixel_centers") != 0};
}

template <class X, class Ties>
answer resize_bilinear(const std::string& file) {
  return {
      file,
      columns({"input_height", "input_width", "output_height", "output_width", "align_corners", "half_pixel_centers"}, "x", 16),
      columns({}, "expected", 36), [](const row& r) -> values {
        const auto x = numbers<X>(r, "x", 16);
        std::vector<X> y(static_cast<std::size_t>(r.integer("output_height") * r.integer("output_width")));
        const q::nhwc_view<const X> in(x.data(), 1, r.integer<q::index_t>("input_height"), r.integer<q::index_t>("input_width"),
                                       1);
        const q::nhwc_view<X> out(y.data(), 1, r.integer<q::index_t>("output_height"), r.integer<q::index_t>("output_width"), 1);
        const q::resize_layer layer{q::tflite::resize_bilinear<X, Ties>{alignment_of(r)}};
        values all(36);
        const q::status s = check(layer, in, out);
        if (s != q::status::ok) all[0] = q::to_string(s);
        if (s != q::status::ok) return all;
        run(layer, in, out);
        for (std::size_t i = 0; i < y.size(); ++i) all[i] = text(y[i]);
        return all;
      }};
}

/// The column of codes 32 i - 16000 in `input_size` rows.
template <class Ties>
answer resize_bilinear_axis(const std::string& file) {
  return {file,
          {"input_size", "output_size", "align_corners", "half_pixel_centers", "index"},
          {"expected"},
          [](const row& r) -> values {
            const auto in = r.integer<q::index_t>("input_size"), out = r.integer<q::index_t>("output_size");
            std::vector<std::int16_t> x(static_cast<std::size_t>(in)), y(static_cast<std::size_t>(out));
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int16_t>(32 * static_cast<int>(i) - 16000);
            const q::resize_layer layer{q::tflite::resize_bilinear<std::int16_t, Ties>{alignment_of(r)}};
            const q::nhwc_view<const std::int16_t> from(x.data(), 1, in, 1, 1);
            const q::nhwc_view<std::int16_t> to(y.data(), 1, out, 1, 1);
            if (const q::status s = check(layer, from, to); s != q::status::ok) return {q::to_string(s)};
            run(layer, from, to);
            return {text(y[static_cast<std::size_t>(r.integer("index"))])};
          }};
}

inline values resize_nearest_row(const row& r) {
  const auto in = r.integer<q::index_t>("input_size"), out = r.integer<q::index_t>("output_size");
  const q::tflite::resize_nearest<std::int8_t> rule{alignment_of(r)};
  if (const q::status s = check(rule, 0, in, out); s != q::status::ok) return {q::to_string(s)};
  return {text(rule.along(0, in, out)(r.integer<q::index_t>("index")).low)};
}

template <class X>
answer max_pool(const std::string& file) {
  return {file, columns({"count", "min", "max"}, "x", 9), {"expected"}, [](const row& r) -> values {
            const auto x = numbers<X>(r, "x", 9);
            const auto count = static_cast<q::index_t>(x.size());
            X y[1] = {};
            const q::output_range range{0, r.integer<int32_t>("min"), r.integer<int32_t>("max")};
            const q::pool_layer layer{q::window2d{{1}, {count}}, q::maximum<X>{}, range};
            return run_one(layer, q::nhwc_view<const X>(x.data(), 1, 1, count, 1), q::nhwc_view<X>(y, 1, 1, 1, 1));
          }};
}

inline values arg_row(const row& r) {
  const auto x = numbers<std::int8_t>(r, "x", 8);
  const q::nhwc_view<const std::int8_t> in(x.data(), 1, 1, 1, static_cast<q::index_t>(x.size()));
  int32_t y[1] = {};
  const q::nhwc_view<int32_t> out(y, 1, 1, 1, 1);
  const values greatest = run_one(q::arg_layer{q::maximum<std::int8_t>{}}, in, out);
  return {greatest[0], run_one(q::arg_layer{q::minimum<std::int8_t>{}}, in, out)[0]};
}

inline values concatenate_row(const row& r) {
  const auto rule = q::litert::concatenate::derive(bits_of(r, "input_scale_bits"), r.integer<int32_t>("input_zero_point"),
                                                   bits_of(r, "output_scale_bits"), r.integer<int32_t>("output_zero_point"));
  if (rule.status != q::status::ok) return {q::to_string(rule.status)};
  return {text(rule.value(r.integer<std::uint8_t>("input")))};
}

inline values elu_row(const row& r) {
  std::int8_t entries[256] = {};
  const q::status s = q::tflite::table<std::int8_t>::populate(
      q::tflite::elu<>{}, bits_of(r, "input_scale_bits"), r.integer<int32_t>("input_zero_point"), bits_of(r, "output_scale_bits"),
      r.integer<int32_t>("output_zero_point"), q::view(entries));
  if (s != q::status::ok) return {q::to_string(s)};
  return {text(q::tflite::table<std::int8_t>{entries}(r.integer<std::int8_t>("input")))};
}

inline std::vector<answer> convert_answers() {
  using s8 = std::int8_t;
  using u8 = std::uint8_t;
  using s16 = std::int16_t;
  std::vector<answer> all{
      quantize<s8>("tflite_quantize_s8.csv"),
      quantize<u8>("tflite_quantize_u8.csv"),
      quantize<s16>("tflite_quantize_s16.csv"),
      dequantize<s8>("tflite_dequantize_s8.csv"),
      dequantize<u8>("tflite_dequantize_u8.csv"),
      dequantize<s16>("tflite_dequantize_s16.csv"),
      resize_bilinear<s8, q::half_away>("tflite_resize_bilinear_s8.csv"),
      resize_bilinear<s8, q::half_up>("tflite_resize_bilinear_s8_single.csv"),
      resize_bilinear<s16, q::half_away>("tflite_resize_bilinear_s16.csv"),
      resize_bilinear<s16, q::half_up>("tflite_resize_bilinear_s16_single.csv"),
      resize_bilinear_axis<q::half_away>("tflite_resize_bilinear_axis.csv"),
      resize_bilinear_axis<q::half_up>("tflite_resize_bilinear_axis_single.csv"),
      {"tflite_resize_nearest_axis.csv",
       {"input_size", "output_size", "align_corners", "half_pixel_centers", "index"},
       {"expected"},
       resize_nearest_row},
      max_pool<s8>("tflite_max_pool_s8.csv"),
      max_pool<s16>("tflite_max_pool_s16.csv"),
      max_pool<s8>("cmsis_max_pool_s8.csv"),
      max_pool<s16>("cmsis_max_pool_s16.csv"),
      {"tflite_arg_s8.csv", columns({"count"}, "x", 8), {"expected_arg_max", "expected_arg_min"}, arg_row},
      {"tflite_concat_u8.csv",
       {"input", "input_scale_bits", "input_zero_point", "output_scale_bits", "output_zero_point"},
       {"expected"},
       concatenate_row},
      {"tflite_elu_s8.csv",
       {"input", "input_scale_bits", "input_zero_point", "output_scale_bits", "output_zero_point"},
       {"expected"},
       elu_row},
  };
  add_requantize<s8, s8>(all, "s8_s8");
  add_requantize<s8, u8>(all, "s8_u8");
  add_requantize<s8, s16>(all, "s8_s16");
  add_requantize<s8, int32_t>(all, "s8_s32");
  add_requantize<u8, s8>(all, "u8_s8");
  add_requantize<s16, s8>(all, "s16_s8");
  add_requantize<s16, s16>(all, "s16_s16");
  add_requantize<s16, int32_t>(all, "s16_s32");
  add_requantize<int32_t, s8>(all, "s32_s8");
  add_requantize<int32_t, s16>(all, "s32_s16");
  return all;
}

}  // namespace convert

using convert::convert_answers;

}  // namespace golden
