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

/// Long enough that no branch predictor learns the signs by heart.
constexpr index_t element_count = index_t{1} << 20;

/// A conversion with a typical scale: most outputs are within their range, some are clamped.
template <class Accumulator, class Output>
struct conversion {
  std::string from, to;
  double scale;
  std::vector<Accumulator> accumulators;

  conversion(std::string from_name, std::string to_name, double real_scale)
      : from(std::move(from_name)), to(std::move(to_name)), scale(real_scale), accumulators(element_count) {
    const auto limit = static_cast<std::int64_t>(1.1 * std::numeric_limits<Output>::max() / scale);
    std::mt19937_64 random{20240229};
    for (Accumulator& acc : accumulators)
      acc = static_cast<Accumulator>(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * limit)) - limit);
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
void add_scheme(table& t, const conversion<Accumulator, Y>& c, const std::string& scheme, const std::shared_ptr<contest>& in) {
  const auto accumulators = std::make_shared<const std::vector<Accumulator>>(c.accumulators);
  const auto y = std::make_shared<std::vector<Y>>(element_count);
  const rescale_layer<tensor_output<Y, Scheme>> layer{0, {multiplier_of<Scheme>(c.scale), range_of<Y>(3)}};
  const matrix_view<const Accumulator> from{accumulators->data(), 1, element_count};
  const matrix_view<Y> to{y->data(), 1, element_count};
  if (const status s = check(layer.output, 1); s != status::ok) fail(scheme + ": " + to_string(s));

  for_each_backend([&](auto backend, bool runs_here) {
    using chosen = decltype(backend);
    if constexpr (has_formula<Scheme> || std::is_same_v<chosen, backend::scalar>) {
      if (!runs_here) return;
      // No scheme is far from the real result: 15 bits of scale leave an int16 at most 2 away.
      run<chosen>(layer, from, to);
      for (std::size_t i = 0; i < y->size(); ++i) {
        const double real = static_cast<double>((*accumulators)[i]) * c.scale + 3;
        const double nearest = std::min<double>(std::max<double>(real, layer.output.range.min), layer.output.range.max);
        if (std::abs((*y)[i] - nearest) > 2) fail(scheme + " is far from the real result");
      }
      const std::string name = std::string("rescale<") + chosen::name + ">/" + c.from + "_to_" + c.to + "/" + scheme;
      add(t, name, {c.from, c.to, scheme, chosen::name}, in, repeated([accumulators, y, layer, from, to] {
            run<chosen>(layer, from, to);
            return to.data();
          }),
          {element_count, find_limit(chosen::name, 32)});
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
  table t{"Rescale: accumulators to outputs, one multiplier for all",
          {"from", "to", "scheme", "backend", "million/s", "x scalar", "relative", "% of limit"},
          4,
          "million/s: elements, zero point and clamp included, of a million with random signs.\n"
          "relative: speed over that of exact::half_up in scalar code, which rounds the real product once.\n"
          "% of limit: of the backend's 64-bit products and additions that stay in registers, one for each element.",
          [](const table& all, const row& r) {
            const double exact = exact_row(all, r).items_per_second;
            return std::vector{rounded(r.items_per_second / 1e6), times_scalar(all, r, 3),
                               exact > 0 ? fixed(r.items_per_second / exact, 2) : "-", percent_of_limit(r)};
          }};

  const auto narrow_accumulators = std::make_shared<contest>(smoke);
  const conversion<std::int32_t, std::int8_t> i8{"int32", "int8", 0.000371};
  add_scheme<exact::half_up>(t, i8, "exact::half_up", narrow_accumulators);
  add_scheme<exact::half_away>(t, i8, "exact::half_away", narrow_accumulators);
  add_scheme<exact::half_even>(t, i8, "exact::half_even", narrow_accumulators);
  add_scheme<tflite::double_rounding>(t, i8, "tflite::double_rounding", narrow_accumulators);
  add_scheme<tflite::single_rounding>(t, i8, "tflite::single_rounding", narrow_accumulators);
  add_scheme<tflite::neon_double_rounding>(t, i8, "tflite::neon_double_rounding", narrow_accumulators);
  add_scheme<tflite::neon_single_rounding>(t, i8, "tflite::neon_single_rounding", narrow_accumulators);
  add_scheme<tflite::avx2>(t, i8, "tflite::avx2", narrow_accumulators);
  add_scheme<tflite::double_scale<std::int32_t>>(t, i8, "tflite::double_scale", narrow_accumulators);
  add_scheme<cmsis_nn::double_rounding>(t, i8, "cmsis_nn::double_rounding", narrow_accumulators);
  add_scheme<cmsis_nn::single_rounding>(t, i8, "cmsis_nn::single_rounding", narrow_accumulators);
  add_scheme<cmsis_nn::mve_double_rounding>(t, i8, "cmsis_nn::mve_double_rounding", narrow_accumulators);
  add_scheme<cmsis_nn::mve_single_rounding>(t, i8, "cmsis_nn::mve_single_rounding", narrow_accumulators);
  add_scheme<cmsis_nn::mve_predicated_single_rounding>(t, i8, "cmsis_nn::mve_predicated_single_rounding", narrow_accumulators);
  add_scheme<tosa::scale32>(t, i8, "tosa::scale32", narrow_accumulators);
  add_scheme<tosa::scale32_double_round>(t, i8, "tosa::scale32_double_round", narrow_accumulators);
  add_scheme<ruy::reference>(t, i8, "ruy::reference", narrow_accumulators);
  add_scheme<ruy::x86_simd>(t, i8, "ruy::x86_simd", narrow_accumulators);
  add_scheme<fbgemm::fixed>(t, i8, "fbgemm::fixed", narrow_accumulators);
  add_scheme<fbgemm::floating>(t, i8, "fbgemm::floating", narrow_accumulators);
  add_scheme<xnnpack::fp32>(t, i8, "xnnpack::fp32", narrow_accumulators);
  add_scheme<xnnpack::rndnu>(t, i8, "xnnpack::rndnu", narrow_accumulators);
  add_scheme<xnnpack::rndnu_neon>(t, i8, "xnnpack::rndnu_neon", narrow_accumulators);
  add_scheme<xnnpack::rndnu16>(t, i8, "xnnpack::rndnu16", narrow_accumulators);
  add_scheme<xnnpack::rndna>(t, i8, "xnnpack::rndna", narrow_accumulators);
  add_scheme<xnnpack::gemmlowp>(t, i8, "xnnpack::gemmlowp", narrow_accumulators);
  add_scheme<onednn::f32>(t, i8, "onednn::f32", narrow_accumulators);
  add_scheme<onnx::mlas>(t, i8, "onnx::mlas", narrow_accumulators);

  const auto wide_accumulators = std::make_shared<contest>(smoke);
  const conversion<std::int64_t, std::int16_t> i16{"int64", "int16", 0.000000371};
  add_scheme<exact::half_up>(t, i16, "exact::half_up", wide_accumulators);
  add_scheme<exact::half_away>(t, i16, "exact::half_away", wide_accumulators);
  add_scheme<exact::half_even>(t, i16, "exact::half_even", wide_accumulators);
  add_scheme<tosa::scale16>(t, i16, "tosa::scale16", wide_accumulators);
  add_scheme<tflite::reduced_int64>(t, i16, "tflite::reduced_int64", wide_accumulators);
  add_scheme<tflite::double_scale<std::int64_t>>(t, i16, "tflite::double_scale", wide_accumulators);
  add_scheme<cmsis_nn::requantize_s64>(t, i16, "cmsis_nn::requantize_s64", wide_accumulators);
  return t;
}

}  // namespace bench
