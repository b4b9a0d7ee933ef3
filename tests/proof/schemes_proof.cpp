// Each integer scheme's formula equals its published steps. Its high-half form equals the general form where code uses it.

#include "published_schemes.hpp"
#include "symbolic_lane.hpp"

namespace q = dyadic;
using namespace proof;

namespace {

/// Returns any accumulator of the scheme, in the bits of its type.
template <class Scheme>
term accumulator(question& ask) {
  return extend(ask.input("v", q::detail::accumulator_bits<Scheme>::value), bits_of<typename Scheme::accumulator>);
}
/// Returns any mantissa of 0 or more, and any negative mantissa if the scheme accepts negative ones.
template <class Scheme>
term mantissa(question& ask) {
  const term m = ask.factor("m", bits_of<typename Scheme::multiplier_type::mantissa_type>);
  if (!takes_negative_mantissas<Scheme>()) ask.require(!is_negative(m));
  return extend(m, bits_of<typename Scheme::accumulator>);
}
/// Proves the high-half form of a scheme with 32-bit accumulators.
template <class Scheme>
void prove_high_half(prover& all, const std::string& name, steps published) {
  const int last = shifts_of<Scheme>().high;
  all.prove(name + ": the high half is that", 33, last, [=](question& ask, int t) {
    const term v = accumulator<Scheme>(ask), m = ask.factor("m", 32);
    ask.require(!is_negative(m));
    ask.expect(same(high_half_form<Scheme>(ask, v, m, t, number(32, 0)), published(v, m, t)));
  });
  // The zero point is signed or unsigned. A claim that holds for 16 bits also holds for 8 bits.
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

/// Proves a scheme with 64-bit accumulators and 15-bit mantissas over int32 accumulators.
/// The mantissa, R and 2^t are multiplied by 2^16.
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
  if (!is_new<formula>(published)) return;  // another engine has the same steps
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

}  // namespace

int main(int count, char** arguments) {
  prover all{count > 1 ? arguments[1] : ""};
  each_published([&](auto scheme, const char* name, steps published) { prove<decltype(scheme)>(all, name, published); });
  return all.status();
}
