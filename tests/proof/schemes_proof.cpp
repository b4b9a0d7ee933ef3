// Each integer scheme's formula is its published steps; its high-half form is the general one where the code takes it.

#include <dyadic/dyadic.hpp>
#include <dyadic/schemes.hpp>

#include <cstring>
#include <set>

#include "published.hpp"
#include "symbolic_lane.hpp"

namespace q = dyadic;
using namespace proof;

namespace {

/// Shifts for which the scheme has a rule.
struct range {
  int low, high;
};
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

/// Any accumulator of the scheme, in the bits of its type.
template <class Scheme>
term accumulator(question& ask) {
  return extend(ask.input("v", q::detail::accumulator_bits<Scheme>::value), bits_of<typename Scheme::accumulator>);
}
/// Any mantissa that it takes, and all from 0 on.
template <class Scheme>
term mantissa(question& ask) {
  const term m = ask.factor("m", bits_of<typename Scheme::multiplier_type::mantissa_type>);
  if (!takes_negative_mantissas<Scheme>()) ask.require(!is_negative(m));
  return extend(m, bits_of<typename Scheme::accumulator>);
}
/// For an int48 and 15 bits.
void state_product_of_int48(question& ask, const term& v, const term& m) {
  const integer most = integer{1} << 47;
  ask.lemma(at_least(product(v, m), -most * 32767) & at_most(product(v, m), (most - 1) * 32767));
}

using steps = term (*)(const term& v, const term& m, int t);

/// Whether something is seen for the first time.
template <class Formula>
bool is_new(steps published) {
  static std::set<steps> seen;
  return seen.insert(published).second;
}

/// Where 2^k * m fits, v times that is 2^k times the product, and no bit of it is lost.
void state_scaled_product(question& ask, const term& v, const term& m, int k) {
  const term scaled = product(v, shift_left(m, k));
  ask.lemma(equal(scaled, shift_left(product(v, m), k)) & equal(shift_right(scaled, k), product(v, m)));
}

/// What is proved of a scheme with 32-bit accumulators in its high-half form.
template <class Scheme>
void prove_high_half(prover& all, const std::string& name, steps published) {
  const int last = shifts_of<Scheme>().high;
  all.prove(name + ": the high half is that", 33, last, [=](question& ask, int t) {
    const term v = accumulator<Scheme>(ask), m = ask.factor("m", 32);
    ask.require(!is_negative(m));
    ask.expect(same(high_half_form<Scheme>(ask, v, m, t, number(32, 0)), published(v, m, t)));
  });
  // With a sign or without; what is true of 16 bits is of 8.
  for (const int bits : {8, 16})
    all.prove(name + ": so with a folded zero point of " + std::to_string(bits) + " bits", bits == 8 ? 46 : 33,
              std::min(last, 61 - bits), [=](question& ask, int t) {
                const term v = accumulator<Scheme>(ask), m = ask.factor("m", 32),
                           zero_point = extend(ask.input("z", bits + 1), 32);
                ask.require(!is_negative(m) & at_least(zero_point, -(1 << (bits - 1))));
                ask.expect(same(high_half_form<Scheme>(ask, v, m, t, zero_point),
                                extend(published(v, m, t), 128) + extend(zero_point, 128)));
              });
}

/// What is proved of a scheme with 64-bit accumulators and 15 bits of mantissa where accumulators are int32s: mantissa, R and 2^t
/// are taken 2^16 times.
template <class Scheme>
void prove_pre_scaled(prover& all, const std::string& name, steps published) {
  const range shifts = shifts_of<Scheme>();
  all.prove(name + ": so with int32 accumulators", shifts.low, 46, [=](question& ask, int t) {
    const term v = ask.input("v", 32), m = extend(ask.factor("m", 16), 32);
    ask.require(!is_negative(m));
    state_scaled_product(ask, v, m, 16);
    const term one = product(extend(v, 64), extend(m, 64));
    ask.lemma(same(one, product(v, m)));
    ask.expect(same(pre_scaled_form<Scheme>(ask, v, shift_left(m, 16), t), published(extend(v, 64), extend(m, 64), t)));
  });
  all.prove(name + ": the high half of int32 accumulators is that", 17, 46, [](question& ask, int t) {
    const term v = ask.input("v", 32), m = extend(ask.factor("m", 16), 32);
    ask.require(!is_negative(m));
    state_scaled_product(ask, v, m, 16);
    ask.expect(same(high_half_form<Scheme>(ask, v, shift_left(m, 16), t + 16, number(32, 0)),
                    published::up(published::wide(product(v, m)), t)));
  });
}

template <class Scheme>
void prove(prover& all, const std::string& name, steps published) {
  using formula = typename Scheme::formula_type;
  if (!is_new<formula>(published)) return;  // that of another engine
  const range shifts = shifts_of<Scheme>();
  all.prove(name + " is what is published", shifts.low, shifts.high, [=](question& ask, int t) {
    const term v = accumulator<Scheme>(ask), m = mantissa<Scheme>(ask);
    if (v.bits() == 64) state_product_of_int48(ask, v, m);
    ask.expect(same(general_form<Scheme>(ask, v, m, t), published(v, m, t)));
  });
  if constexpr (q::detail::over_one_lane::implementation<formula>::has_high_half) {
    if (!is_new<formula>(nullptr)) return;
    if constexpr (sizeof(typename Scheme::accumulator) == 4)
      prove_high_half<Scheme>(all, name, published);
    else
      prove_pre_scaled<Scheme>(all, name, published);
  }
}

/// A scheme and the steps that its publisher writes.
struct row {
  const char* name;
  steps published;
};
constexpr row rows[] = {
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

}  // namespace

int main(int count, char** arguments) {
  prover all{count > 1 ? arguments[1] : ""};
  q::all_schemes.each([&](auto named) {
    using scheme = typename decltype(named)::scheme;
    for (const row& r : rows) {
      if (std::strcmp(r.name, named.name) != 0) continue;
      if constexpr (q::has_formula<scheme>)
        if constexpr (!std::is_same_v<typename scheme::multiplier_type, q::binary32>) prove<scheme>(all, named.name, r.published);
    }
  });
  return all.status();
}
