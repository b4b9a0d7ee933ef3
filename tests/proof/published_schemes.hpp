#pragma once
/// \file
/// The schemes with a formula of integers, each with its published steps and with lemmas about its products.

#include <dyadic/dyadic.hpp>
#include <dyadic/schemes.hpp>

#include <cstring>
#include <set>

#include "claim.hpp"
#include "published.hpp"

namespace proof {

namespace q = dyadic;

/// The shifts of a claim or a scheme.
struct range {
  int low, high;
};
inline std::string text_of(range r) { return ", t = " + std::to_string(r.low) + " .. " + std::to_string(r.high); }
template <class Scheme>
range shifts_of() {
  const auto takes = [](int t) { return Scheme::valid({1, t}); };
  range r{0, 0};
  while (!takes(r.low)) ++r.low;
  for (r.high = r.low; takes(r.high + 1);) ++r.high;
  for (int t = -200; t <= 200; ++t)
    if (takes(t) != (t >= r.low && t <= r.high)) refuse("the shifts of a scheme have a gap");
  return r;
}
template <class Scheme>
constexpr bool takes_negative_mantissas() {
  return Scheme::valid({-1, 32});
}

/// States the bounds of the product of an int48 and a 15-bit mantissa.
inline void state_product_of_int48(question& ask, const term& v, const term& m) {
  const integer most = integer{1} << 47;
  ask.lemma(at_least(product(v, m), -most * 32767) & at_most(product(v, m), (most - 1) * 32767));
}

using steps = term (*)(const term& v, const term& m, int t);

/// Returns true the first time that it is called for a formula and its published steps.
template <class Formula>
bool is_new(steps published) {
  static std::set<steps> seen;
  return seen.insert(published).second;
}

/// Returns true if the product is multiplied out. Factors then have few bits set, because others take the solver minutes.
inline bool is_multiplied_out(question& ask, const term& v, const term& m) {
  const bool is = m.is_number() && !v.is_number();
  if (is) ask.require(number(1, m.value() <= 3 || (m.value() & (m.value() - 1)) == 0 ? 1 : 0));
  return is;
}
/// States the product of 64 bits and 31 bits from the halves v = 2^32 h + l.
inline void state_product_of_int64(question& ask, const term& v, const term& m) {
  if (is_multiplied_out(ask, v, m)) return;
  const term high = product(extract(v, 63, 32), extract(m, 31, 0));
  const term low = product_unsigned(extract(v, 31, 0), extract(m, 31, 0));
  const integer most = integer{1} << 63, factor = (integer{1} << 31) - 1;
  const term p = product(v, m);
  ask.lemma(equal(p, shift_left(extend(high, 128), 32) + extend_unsigned(low, 128)));
  ask.lemma(at_least(p, -most * factor) & at_most(p, (most - 1) * factor));
}

/// States that v * (2^k * m) is 2^k * (v * m) if 2^k * m fits, and that no bit of the product is lost.
inline void state_scaled_product(question& ask, const term& v, const term& m, int k) {
  const term scaled = product(v, shift_left(m, k));
  ask.lemma(equal(scaled, shift_left(product(v, m), k)) & equal(shift_right(scaled, k), product(v, m)));
}

/// A scheme, and the steps that its publisher writes.
struct row {
  const char* name;
  steps published;
};
inline constexpr row rows[] = {
    {"tflite::double_rounding", published::tflite_double},
    {"tflite::single_rounding", published::tflite_single},
    {"tflite::neon_double_rounding", published::neon_double},
    {"tflite::neon_single_rounding", published::neon_single},
    {"tflite::avx2", published::avx2_helper},
    {"tflite::reduced_int64", published::reduced_int64},
    {"cmsis_nn::double_rounding", published::cmsis_double},
    {"cmsis_nn::single_rounding", published::cmsis_single},
    {"cmsis_nn::mve_double_rounding", published::mve_double},
    {"cmsis_nn::mve_single_rounding", published::neon_single},
    {"cmsis_nn::mve_predicated_single_rounding", published::mve_predicated_single},
    {"cmsis_nn::requantize_s64", published::cmsis_s64},
    {"fbgemm::fixed", published::tosa_single},
    {"tosa::scale32", published::tosa_single},
    {"tosa::scale32_double_round", published::tosa_double},
    {"tosa::scale16", published::tosa_scale16},
    {"ruy::reference", published::tflite_single},
    {"ruy::x86_simd", published::neon_double},
    {"xnnpack::rndnu", published::rndnu},
    {"xnnpack::rndnu_neon", published::tosa_single},
    {"xnnpack::rndnu16", published::rndnu16},
    {"xnnpack::rndna", published::rndna},
    {"xnnpack::gemmlowp", published::tflite_double},
};

/// Returns true if a scheme has a formula for integers with 64-bit products.
template <class Scheme>
constexpr bool takes_integers() {
  using multiplier = typename Scheme::multiplier_type;
  const bool is_int32 = std::is_same_v<multiplier, q::multiplier32> && sizeof(typename Scheme::accumulator) == 4;
  return q::has_formula<Scheme> && (is_int32 || std::is_same_v<multiplier, q::multiplier16>);
}

/// Calls use(scheme, name, steps) for each scheme with 95-bit products.
template <class Use>
void each_rounded_once(const Use& use) {
  use(q::exact::half_up{}, "exact::half_up", published::exact_up);
  use(q::exact::half_away{}, "exact::half_away", published::exact_away);
  use(q::exact::half_even{}, "exact::half_even", published::exact_even);
}

/// Calls use(scheme, name, steps) for each scheme with 64-bit products.
template <class Use>
void each_published(const Use& use) {
  q::all_schemes.each([&](auto named) {
    using scheme = typename decltype(named)::scheme;
    for (const row& r : rows) {
      if (std::strcmp(r.name, named.name) != 0) continue;
      if constexpr (takes_integers<scheme>()) use(scheme{}, named.name, r.published);
    }
  });
}

}  // namespace proof
