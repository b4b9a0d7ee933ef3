#pragma once
/// \file
/// Every scheme of the library with its name, once: the lists of tests and benchmarks are selections of this one.

#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/fbgemm.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/onnx.hpp>
#include <dyadic/scheme/ruy.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace support {

template <class Scheme>
struct named_scheme {
  using scheme = Scheme;
  const char* name;
};

/// Of those with one formula, the one that accepts most multipliers stands first.
inline constexpr std::tuple all_schemes{
    named_scheme<dyadic::tflite::double_rounding>{"tflite::double_rounding"},
    named_scheme<dyadic::tflite::single_rounding>{"tflite::single_rounding"},
    named_scheme<dyadic::tflite::neon_double_rounding>{"tflite::neon_double_rounding"},
    named_scheme<dyadic::tflite::neon_single_rounding>{"tflite::neon_single_rounding"},
    named_scheme<dyadic::tflite::avx2>{"tflite::avx2"},
    named_scheme<dyadic::tflite::reduced_int64>{"tflite::reduced_int64"},
    named_scheme<dyadic::tflite::double_scale<std::int32_t>>{"tflite::double_scale<int32>"},
    named_scheme<dyadic::tflite::double_scale<std::int64_t>>{"tflite::double_scale<int64>"},
    named_scheme<dyadic::cmsis_nn::double_rounding>{"cmsis_nn::double_rounding"},
    named_scheme<dyadic::cmsis_nn::single_rounding>{"cmsis_nn::single_rounding"},
    named_scheme<dyadic::cmsis_nn::mve_double_rounding>{"cmsis_nn::mve_double_rounding"},
    named_scheme<dyadic::cmsis_nn::mve_single_rounding>{"cmsis_nn::mve_single_rounding"},
    named_scheme<dyadic::cmsis_nn::mve_predicated_single_rounding>{"cmsis_nn::mve_predicated_single_rounding"},
    named_scheme<dyadic::cmsis_nn::requantize_s64>{"cmsis_nn::requantize_s64"},
    named_scheme<dyadic::fbgemm::fixed>{"fbgemm::fixed"},
    named_scheme<dyadic::fbgemm::floating>{"fbgemm::floating"},
    named_scheme<dyadic::tosa::scale32>{"tosa::scale32"},
    named_scheme<dyadic::tosa::scale32_double_round>{"tosa::scale32_double_round"},
    named_scheme<dyadic::tosa::scale16>{"tosa::scale16"},
    named_scheme<dyadic::ruy::reference>{"ruy::reference"},
    named_scheme<dyadic::ruy::x86_simd>{"ruy::x86_simd"},
    named_scheme<dyadic::xnnpack::fp32>{"xnnpack::fp32"},
    named_scheme<dyadic::xnnpack::rndnu>{"xnnpack::rndnu"},
    named_scheme<dyadic::xnnpack::rndnu_neon>{"xnnpack::rndnu_neon"},
    named_scheme<dyadic::xnnpack::rndnu16>{"xnnpack::rndnu16"},
    named_scheme<dyadic::xnnpack::rndna>{"xnnpack::rndna"},
    named_scheme<dyadic::xnnpack::gemmlowp>{"xnnpack::gemmlowp"},
    named_scheme<dyadic::onednn::f32>{"onednn::f32"},
    named_scheme<dyadic::onnx::mlas>{"onnx::mlas"},
    named_scheme<dyadic::exact::half_up>{"exact::half_up"},
    named_scheme<dyadic::exact::half_away>{"exact::half_away"},
    named_scheme<dyadic::exact::half_even>{"exact::half_even"},
};

namespace detail {

template <class Scheme, class Other>
constexpr bool have_one_formula() {
  if constexpr (dyadic::has_formula<Scheme> && dyadic::has_formula<Other>)
    return std::is_same_v<typename Scheme::formula_type, typename Other::formula_type>;
  else
    return false;
}

template <class Scheme>
struct found {
  using type = Scheme;
};

/// The first of all schemes that has the formula of Scheme; void without a formula.
template <class Scheme, class Schemes = std::remove_const_t<decltype(all_schemes)>>
struct first_alike;
template <class Scheme>
struct first_alike<Scheme, std::tuple<>> {
  using type = void;
};
template <class Scheme, class First, class... Others>
struct first_alike<Scheme, std::tuple<named_scheme<First>, Others...>>
    : std::conditional_t<have_one_formula<Scheme, First>(), found<First>, first_alike<Scheme, std::tuple<Others...>>> {};

}  // namespace detail

/// Which schemes: each is a type with a `value`.
/// @{
template <class Scheme>
struct any_scheme : std::true_type {};

template <class Scheme>
struct with_int32_accumulator : std::bool_constant<sizeof(typename Scheme::accumulator) == 4> {};
template <class Scheme>
struct with_wide_accumulator : std::bool_constant<sizeof(typename Scheme::accumulator) == 8> {};

/// The multiplier is an integer and a shift.
template <class Scheme, class = void>
struct with_mantissa : std::false_type {};
template <class Scheme>
struct with_mantissa<Scheme, std::void_t<decltype(std::declval<typename Scheme::multiplier_type>().right_shift)>>
    : std::true_type {};

template <class Scheme>
struct with_formula : std::bool_constant<dyadic::has_formula<Scheme>> {};

/// The first one with its formula. Vectors run the others by the same text.
template <class Scheme>
struct with_new_formula : std::bool_constant<std::is_same_v<Scheme, typename detail::first_alike<Scheme>::type>> {};

template <class Scheme>
struct with_new_int32_formula
    : std::conjunction<with_new_formula<Scheme>, with_mantissa<Scheme>, with_int32_accumulator<Scheme>> {};
template <class Scheme>
struct with_new_wide_formula : std::conjunction<with_new_formula<Scheme>, with_mantissa<Scheme>, with_wide_accumulator<Scheme>> {
};
/// @}

/// The first one with the formula of Scheme.
template <class Scheme>
using first_with_formula = typename detail::first_alike<Scheme>::type;

/// use(named scheme) for each that is selected.
template <template <class...> class Selection = any_scheme, class Use>
void each_scheme(const Use& use) {
  const auto use_selected = [&](auto s) {
    if constexpr (Selection<typename decltype(s)::scheme>::value) use(s);
  };
  std::apply([&](auto... all) { (use_selected(all), ...); }, all_schemes);
}

}  // namespace support
