// From accumulator to output integer, scheme by scheme: one multiplier for all elements.

#include "groups.hpp"

#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace bench {
namespace {

using namespace dyadic;

/// Elements, and channels with a multiplier of their own; one for all, if 1.
struct layout {
  const char* name;
  index_t elements;
  index_t channels;
};
/// Long enough that no branch predictor learns the signs by heart.
constexpr layout million{"1M", 1 << 20, 1};
constexpr layout others[] = {{"4K", 1 << 12, 1}, {"4K, 256 channels", 1 << 12, 256}, {"1M, 256 channels", 1 << 20, 256}};

/// A conversion with a typical scale: most outputs are within their range, some are clamped.
template <class Accumulator, class Output>
struct conversion {
  std::string from, to;
  double scale;
  std::shared_ptr<std::vector<Accumulator>> accumulators = std::make_shared<std::vector<Accumulator>>(million.elements);
  std::shared_ptr<std::vector<Output>> y = std::make_shared<std::vector<Output>>(million.elements);
  std::shared_ptr<contest> in;

  conversion(std::string from_name, std::string to_name, double real_scale, bool smoke)
      : from(std::move(from_name)), to(std::move(to_name)), scale(real_scale), in(std::make_shared<contest>(smoke)) {
    const auto limit = static_cast<std::int64_t>(1.1 * std::numeric_limits<Output>::max() / scale);
    std::mt19937_64 random{20240229};
    for (Accumulator& acc : *accumulators)
      acc = static_cast<Accumulator>(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * limit)) - limit);
  }

  /// Halved from the first channel to the last one.
  double scale_of(index_t channel, index_t channels) const {
    return scale * (1 - 0.5 * static_cast<double>(channel) / static_cast<double>(channels));
  }
};

template <class Scheme, class = void>
struct has_derive : std::false_type {};
template <class Scheme>
struct has_derive<Scheme, std::void_t<decltype(&Scheme::derive)>> : std::true_type {};

/// The multiplier of a real scale, as the scheme's publisher makes it.
template <class Scheme>
typename Scheme::multiplier_type multiplier_of(double scale) {
  result<typename Scheme::multiplier_type> r{};
  const binary32 narrowed = narrow(binary64{scale});
  if constexpr (!has_derive<Scheme>::value)
    r.value = narrowed;
  else if constexpr (std::is_invocable_v<decltype(&Scheme::derive), binary64>)
    r = Scheme::derive(scale);
  else if constexpr (std::is_invocable_v<decltype(&Scheme::derive), binary32>)
    r = Scheme::derive(narrowed);
  else
    r = Scheme::derive(narrowed, 1.0f, 1.0f);
  if (r.status != status::ok) fail(to_string(r.status));
  return r.value;
}

/// A row for scalar code, and one for each backend of this machine where the scheme is written over lanes.
template <class Scheme, class Accumulator, class Y>
void add_scheme(table& t, const conversion<Accumulator, Y>& c, const std::string& scheme, const layout& l = million) {
  const auto multipliers = std::make_shared<std::vector<typename Scheme::multiplier_type>>();
  for (index_t i = 0; i < l.channels; ++i) multipliers->push_back(multiplier_of<Scheme>(c.scale_of(i, l.channels)));
  const index_t columns = l.channels > 1 ? l.channels : l.elements;
  const matrix_view<const Accumulator> from{c.accumulators->data(), l.elements / columns, columns};
  const matrix_view<Y> to{c.y->data(), l.elements / columns, columns};

  const auto add_layer = [&](auto backend, const auto& layer) {
    using chosen = decltype(backend);
    if (const status s = check(layer.output, l.channels); s != status::ok) fail(scheme + ": " + to_string(s));
    run<chosen>(layer, from, to);
    // No scheme is far from the real result: 15 bits of scale leave an int16 at most 2 away.
    for (index_t i = 0; i < l.elements; ++i) {
      const auto acc = static_cast<double>(from.data()[i]);
      const double real = acc * c.scale_of(i % l.channels, l.channels) + layer.output.range.zero_point;
      const double nearest = std::min<double>(std::max<double>(real, layer.output.range.min), layer.output.range.max);
      if (std::abs(to.data()[i] - nearest) > 2) fail(scheme + " is far from the real result");
    }
    add(t, std::string("rescale<") + chosen::name + ">/" + c.from + "_to_" + c.to + "/" + scheme + "/" + l.name,
        {c.from, c.to, scheme, l.name, chosen::name}, c.in, repeated([c, multipliers, layer, from, to] {
          run<chosen>(layer, from, to);
          return to.data();
        }),
        {static_cast<double>(l.elements), find_limit(chosen::name, 32)});
  };
  for_each_backend([&](auto backend, bool runs_here) {
    if constexpr (has_formula<Scheme> || std::is_same_v<decltype(backend), backend::scalar>) {
      if (!runs_here) return;
      if (l.channels > 1)
        add_layer(backend, rescale_layer{0, per_channel_output<Y, Scheme>{*multipliers, range_of<Y>(3)}});
      else
        add_layer(backend, rescale_layer{0, per_tensor_output<Y, Scheme>{multipliers->front(), range_of<Y>(3)}});
    }
  });
}

/// The row of exact::half_up for the same conversion.
const row& exact_row(const table& t, const row& r) {
  for (const row& other : t.rows)
    if (other.cells[0] == r.cells[0] && other.cells[2] == "exact::half_up") return other;
  fail("no exact::half_up for " + r.benchmark);
}

}  // namespace

table rescale(bool smoke) {
  table t{
      "Rescale: accumulators to outputs",
      {"from", "to", "scheme", "elements", "backend", "million/s", "x scalar", "relative", "% of limit"},
      5,
      "million/s: elements, zero point and clamp included, with random signs, of which 4K are few enough for a branch predictor\n"
      "to learn them. One multiplier for all, or one for each channel.\n"
      "relative: speed over that of exact::half_up in scalar code, which rounds the real product once.\n"
      "% of limit: of the backend's 64-bit products and additions that stay in registers, one for each element.",
      [](const table& all, const row& r) {
        const double exact = exact_row(all, r).items_per_second;
        return std::vector{rounded(r.items_per_second / 1e6), times_scalar(all, r, 4),
                           exact > 0 ? fixed(r.items_per_second / exact, 2) : "-", percent_of_limit(r)};
      }};

  const conversion<std::int32_t, std::int8_t> i8{"int32", "int8", 0.000371, smoke};
  add_scheme<exact::half_up>(t, i8, "exact::half_up");
  add_scheme<exact::half_away>(t, i8, "exact::half_away");
  add_scheme<exact::half_even>(t, i8, "exact::half_even");
  add_scheme<tflite::double_rounding>(t, i8, "tflite::double_rounding");
  add_scheme<tflite::single_rounding>(t, i8, "tflite::single_rounding");
  add_scheme<tflite::neon_double_rounding>(t, i8, "tflite::neon_double_rounding");
  add_scheme<tflite::neon_single_rounding>(t, i8, "tflite::neon_single_rounding");
  add_scheme<tflite::avx2>(t, i8, "tflite::avx2");
  add_scheme<tflite::double_scale<std::int32_t>>(t, i8, "tflite::double_scale");
  add_scheme<cmsis_nn::double_rounding>(t, i8, "cmsis_nn::double_rounding");
  add_scheme<cmsis_nn::single_rounding>(t, i8, "cmsis_nn::single_rounding");
  add_scheme<cmsis_nn::mve_double_rounding>(t, i8, "cmsis_nn::mve_double_rounding");
  add_scheme<cmsis_nn::mve_single_rounding>(t, i8, "cmsis_nn::mve_single_rounding");
  add_scheme<cmsis_nn::mve_predicated_single_rounding>(t, i8, "cmsis_nn::mve_predicated_single_rounding");
  add_scheme<tosa::scale32>(t, i8, "tosa::scale32");
  add_scheme<tosa::scale32_double_round>(t, i8, "tosa::scale32_double_round");
  add_scheme<ruy::reference>(t, i8, "ruy::reference");
  add_scheme<ruy::x86_simd>(t, i8, "ruy::x86_simd");
  add_scheme<fbgemm::fixed>(t, i8, "fbgemm::fixed");
  add_scheme<fbgemm::floating>(t, i8, "fbgemm::floating");
  add_scheme<xnnpack::fp32>(t, i8, "xnnpack::fp32");
  add_scheme<xnnpack::rndnu>(t, i8, "xnnpack::rndnu");
  add_scheme<xnnpack::rndnu_neon>(t, i8, "xnnpack::rndnu_neon");
  add_scheme<xnnpack::rndnu16>(t, i8, "xnnpack::rndnu16");
  add_scheme<xnnpack::rndna>(t, i8, "xnnpack::rndna");
  add_scheme<xnnpack::gemmlowp>(t, i8, "xnnpack::gemmlowp");
  add_scheme<onednn::f32>(t, i8, "onednn::f32");
  add_scheme<onnx::mlas>(t, i8, "onnx::mlas");

  for (const layout& l : others) {
    add_scheme<tflite::double_rounding>(t, i8, "tflite::double_rounding", l);
    add_scheme<tosa::scale32>(t, i8, "tosa::scale32", l);
  }

  const conversion<std::int64_t, std::int16_t> i16{"int64", "int16", 0.000000371, smoke};
  add_scheme<exact::half_up>(t, i16, "exact::half_up");
  add_scheme<exact::half_away>(t, i16, "exact::half_away");
  add_scheme<exact::half_even>(t, i16, "exact::half_even");
  add_scheme<tosa::scale16>(t, i16, "tosa::scale16");
  add_scheme<tflite::reduced_int64>(t, i16, "tflite::reduced_int64");
  add_scheme<tflite::double_scale<std::int64_t>>(t, i16, "tflite::double_scale");
  add_scheme<cmsis_nn::requantize_s64>(t, i16, "cmsis_nn::requantize_s64");
  for (const layout& l : others) add_scheme<tosa::scale16>(t, i16, "tosa::scale16", l);
  return t;
}

}  // namespace bench
