// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Lists every scheme with its name, once. Chooses rules by name when a program runs. For tools, opt-in. Roof.
///
///   const auto scheme = q::scheme_by_name("tflite::double_rounding");
///   const auto rule = scheme.value.derive(0.0235);  // if scheme.status is ok
///   rule.value(2441);                               // if rule.status is ok; `compare_rules` takes the value as a rule, too

#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/fbgemm.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/onnx.hpp>
#include <dyadic/scheme/ruy.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/xnnpack.hpp>

namespace dyadic {

/// A scheme and its name.
template <class Scheme>
struct named_scheme {
  using scheme = Scheme;  ///< the rule
  const char* name;       ///< the name as C++ code writes it, without `dyadic::`
};

/// Schemes and their names.
template <class... Schemes>
struct scheme_list {
  const char* names[sizeof...(Schemes)];  ///< names in the order of the schemes
  DYADIC_API constexpr explicit scheme_list(named_scheme<Schemes>... all) noexcept : names{all.name...} {}  ///< keeps the order
  /// Calls use(named_scheme) for each scheme, in their order.
  template <class Use>
  DYADIC_API constexpr void each(const Use& use) const {
    index_t i = 0;
    (use(named_scheme<Schemes>{names[i++]}), ...);
  }
};

/// Every scheme of the library, but for `fbgemm::floating_with_bias`, whose multiplier has a bias. Among schemes with the same
/// formula, the scheme that accepts most multipliers stands first.
inline constexpr scheme_list all_schemes{
    named_scheme<tflite::double_rounding>{"tflite::double_rounding"},
    named_scheme<tflite::single_rounding>{"tflite::single_rounding"},
    named_scheme<tflite::neon_double_rounding>{"tflite::neon_double_rounding"},
    named_scheme<tflite::neon_single_rounding>{"tflite::neon_single_rounding"},
    named_scheme<tflite::avx2>{"tflite::avx2"},
    named_scheme<tflite::reduced_int64>{"tflite::reduced_int64"},
    named_scheme<tflite::double_scale<std::int32_t>>{"tflite::double_scale<int32>"},
    named_scheme<tflite::double_scale<std::int64_t>>{"tflite::double_scale<int64>"},
    named_scheme<cmsis_nn::double_rounding>{"cmsis_nn::double_rounding"},
    named_scheme<cmsis_nn::single_rounding>{"cmsis_nn::single_rounding"},
    named_scheme<cmsis_nn::mve_double_rounding>{"cmsis_nn::mve_double_rounding"},
    named_scheme<cmsis_nn::mve_single_rounding>{"cmsis_nn::mve_single_rounding"},
    named_scheme<cmsis_nn::mve_predicated_single_rounding>{"cmsis_nn::mve_predicated_single_rounding"},
    named_scheme<cmsis_nn::requantize_s64>{"cmsis_nn::requantize_s64"},
    named_scheme<fbgemm::fixed>{"fbgemm::fixed"},
    named_scheme<fbgemm::floating>{"fbgemm::floating"},
    named_scheme<tosa::scale32>{"tosa::scale32"},
    named_scheme<tosa::scale32_double_round>{"tosa::scale32_double_round"},
    named_scheme<tosa::scale16>{"tosa::scale16"},
    named_scheme<ruy::reference>{"ruy::reference"},
    named_scheme<ruy::x86_simd>{"ruy::x86_simd"},
    named_scheme<xnnpack::fp32>{"xnnpack::fp32"},
    named_scheme<xnnpack::rndnu>{"xnnpack::rndnu"},
    named_scheme<xnnpack::rndnu_neon>{"xnnpack::rndnu_neon"},
    named_scheme<xnnpack::rndnu16>{"xnnpack::rndnu16"},
    named_scheme<xnnpack::rndna>{"xnnpack::rndna"},
    named_scheme<xnnpack::gemmlowp>{"xnnpack::gemmlowp"},
    named_scheme<onednn::f32>{"onednn::f32"},
    named_scheme<onnx::mlas>{"onnx::mlas"},
    named_scheme<exact::half_up>{"exact::half_up"},
    named_scheme<exact::half_away>{"exact::half_away"},
    named_scheme<exact::half_even>{"exact::half_even"},
};

/// The multiplier of any scheme: an integer and a shift, or a real scale. Schemes of binary32 take the binary32 nearest to the
/// scale. For `onednn::f32` it is the scale of the source. The scales of weight and destination are 1.
struct any_multiplier {
  std::int64_t mantissa = 0;     ///< 0 where the scheme has a scale
  std::int32_t right_shift = 0;  ///< 0 where the scheme has a scale
  binary64 scale{};              ///< 0 where the scheme has a mantissa
};

namespace detail {

/// Converts the multiplier of a scheme to any_multiplier, and back.
/// @{
template <class Mantissa>
DYADIC_API constexpr any_multiplier to_any(multiplier<Mantissa> m) noexcept {
  return {m.mantissa, m.right_shift, {}};
}
DYADIC_API constexpr any_multiplier to_any(binary32 m) noexcept { return {0, 0, m}; }
DYADIC_API constexpr any_multiplier to_any(binary64 m) noexcept { return {0, 0, m}; }
DYADIC_API constexpr any_multiplier to_any(onednn::scales m) noexcept { return {0, 0, m.source}; }

template <class M>
DYADIC_API constexpr M from_any(any_multiplier m) noexcept {
  if constexpr (std::is_same_v<M, binary64>)
    return m.scale;
  else if constexpr (std::is_same_v<M, binary32>)
    return narrow(m.scale);
  else if constexpr (std::is_same_v<M, onednn::scales>)
    return {narrow(m.scale), 1.0f, 1.0f};
  else
    return {static_cast<typename M::mantissa_type>(m.mantissa), m.right_shift};
}
/// @}

/// The value bits of a mantissa; 0 if the multiplier is a scale.
template <class M>
inline constexpr int mantissa_bits = 0;
template <class Mantissa>
inline constexpr int mantissa_bits<multiplier<Mantissa>> = limits<Mantissa>::digits;

template <class Scheme>
struct erased {
  using accumulator = typename Scheme::accumulator;
  using multiplier_type = typename Scheme::multiplier_type;

  DYADIC_API static constexpr bool accepts(any_multiplier m) noexcept {
    if constexpr (mantissa_bits < multiplier_type >> 0)
      if (!fits<typename multiplier_type::mantissa_type>(m.mantissa)) return false;
    return Scheme::valid(from_any<multiplier_type>(m));
  }
  DYADIC_API static constexpr bool defines(std::int64_t acc, any_multiplier m) noexcept {
    return fits<accumulator>(acc) && in_domain_of<Scheme>(static_cast<accumulator>(acc), from_any<multiplier_type>(m), 0);
  }
  DYADIC_API static constexpr std::int64_t apply(std::int64_t acc, any_multiplier m) noexcept {
    return Scheme::apply(static_cast<accumulator>(acc), from_any<multiplier_type>(m));
  }
  DYADIC_API static constexpr std::int64_t finish(std::int64_t acc, any_multiplier m, output_range range) noexcept {
    return requantize<Scheme>(static_cast<accumulator>(acc), from_any<multiplier_type>(m), range);
  }
  DYADIC_API static constexpr result<any_multiplier> derive(binary64 scale) noexcept {
    if constexpr (std::is_same_v<multiplier_type, onednn::scales>) {
      const auto made = Scheme::derive(narrow(scale), 1.0f, 1.0f);
      return {to_any(made.value), made.status};
    } else if constexpr (std::is_invocable_v<decltype(Scheme::derive), binary64>) {
      const auto made = Scheme::derive(scale);
      return {to_any(made.value), made.status};
    } else {
      const auto made = Scheme::derive(narrow(scale));
      return {to_any(made.value), made.status};
    }
  }
};

}  // namespace detail

/// A scheme with one of its multipliers. `compare_rules` takes it as a rule, and leaves out what the publisher does not define.
class any_rule {
 public:
  /// Returns the rescaled accumulator. Requires: acc is a value of the scheme's accumulator, as it is if valid(acc) is true.
  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept { return apply_(acc, multiplier_); }
  /// Returns the output with its zero point and its clamp. Requires: acc is a value of the scheme's accumulator.
  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc, output_range range) const noexcept {
    return finish_(acc, multiplier_, range);
  }
  /// Returns true if the publisher defines the result.
  DYADIC_API constexpr bool valid(std::int64_t acc) const noexcept { return defines_(acc, multiplier_); }
  DYADIC_API constexpr any_multiplier multiplier() const noexcept { return multiplier_; }  ///< the multiplier of the scheme

 private:
  friend class any_scheme;
  any_multiplier multiplier_{};
  std::int64_t (*apply_)(std::int64_t, any_multiplier) noexcept = detail::erased<exact::half_up>::apply;
  std::int64_t (*finish_)(std::int64_t, any_multiplier, output_range) noexcept = detail::erased<exact::half_up>::finish;
  bool (*defines_)(std::int64_t, any_multiplier) noexcept = detail::erased<exact::half_up>::defines;
};

/// A scheme that is known only when the program runs. The default is exact::half_up.
class any_scheme {
 public:
  DYADIC_API constexpr any_scheme() noexcept : any_scheme{named_scheme<exact::half_up>{"exact::half_up"}} {}
  template <class Scheme>
  DYADIC_API constexpr explicit any_scheme(named_scheme<Scheme> s) noexcept
      : name_{s.name},
        accumulator_bits_{detail::accumulator_bits<Scheme>::value},
        mantissa_bits_{detail::mantissa_bits<typename Scheme::multiplier_type>},
        derive_{detail::erased<Scheme>::derive},
        accepts_{detail::erased<Scheme>::accepts} {
    rule_.apply_ = detail::erased<Scheme>::apply;
    rule_.finish_ = detail::erased<Scheme>::finish;
    rule_.defines_ = detail::erased<Scheme>::defines;
  }  ///< a scheme that the compiler knows, also a user's

  DYADIC_API constexpr const char* name() const noexcept { return name_; }                  ///< its name in the list
  DYADIC_API constexpr int accumulator_bits() const noexcept { return accumulator_bits_; }  ///< 32, 48 or 64
  DYADIC_API constexpr int mantissa_bits() const noexcept { return mantissa_bits_; }        ///< 15 or 31; 0 for a real scale
  /// Returns the rule for a multiplier, or `multiplier_out_of_range`.
  DYADIC_API constexpr result<any_rule> with(any_multiplier m) const noexcept {
    result<any_rule> made{rule_, accepts_(m) ? status::ok : status::multiplier_out_of_range};
    made.value.multiplier_ = m;
    return made;
  }
  /// Returns the rule for a real scale, with the multiplier that the publisher derives, and the first error of the derivation.
  DYADIC_API constexpr result<any_rule> derive(binary64 scale) const noexcept {
    const result<any_multiplier> m = derive_(scale);
    result<any_rule> made = with(m.value);
    if (m.status != status::ok) made.status = m.status;
    return made;
  }

 private:
  any_rule rule_;
  const char* name_;
  int accumulator_bits_;
  int mantissa_bits_;
  result<any_multiplier> (*derive_)(binary64) noexcept;
  bool (*accepts_)(any_multiplier) noexcept;
};

/// Returns the scheme of `all_schemes` that has this name, or `unknown_scheme`. Requires: the name ends with a 0.
DYADIC_API constexpr result<any_scheme> scheme_by_name(const char* name) noexcept {
  result<any_scheme> found{{}, status::unknown_scheme};
  all_schemes.each([&](auto s) {
    index_t i = 0;
    while (name[i] != '\0' && name[i] == s.name[i]) ++i;
    if (name[i] == s.name[i]) found = {any_scheme{s}, status::ok};
  });
  return found;
}

}  // namespace dyadic
