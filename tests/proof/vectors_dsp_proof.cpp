// Armv7E-M, by its own code for one lane over the models of dsp/: products with their rounding, and stores. The rest of its
// formulas is that of scalar code, which schemes_proof.cpp has.

#include "dsp/region.hpp"

#include <cstring>

#include "published_schemes.hpp"
#include "store_claim.hpp"

namespace {

namespace code = dyadic::detail::over_dsp;
namespace published = proof::published;
using proof::integer32;
using proof::number;
using proof::question;
using proof::term;

/// Outputs Y over terms.
template <class Y>
using output = std::conditional_t<sizeof(Y) == 4, integer32, proof::output_of<static_cast<int>(8 * sizeof(Y))>>;
template <class Y>
constexpr int bits_of = static_cast<int>(8 * sizeof(Y));
constexpr int wide = 34;

template <class Store, class Y>
void store_says(question& ask, int run) {
  proof::machine::begin(ask);
  const auto value = [&](const char* name) {
    const term t = ask.input(name, bits_of<Y>);
    return std::is_signed_v<Y> ? extend(t, wide) : extend_unsigned(t, wide);
  };
  // Of int32 a sum of symbols is beyond the solver.
  constexpr proof::integer some[] = {1, dyadic::int32_min, dyadic::int32_max};
  const term z = sizeof(Y) == 4 ? number(wide, some[run]) : value("z");
  const term least = value("min"), most = value("max"), x = ask.input("x", 32);
  ask.require(!less(most, least));
  const auto stored = [](const term& t) { return integer32{wrapped(t, 32)}; };
  const Store s{code::output_range{stored(z), stored(least), stored(most)}};
  output<Y> y;
  s.store_one(&y, integer32{x});
  const term sum = extend(x, wide) + z + ask.constant(wide, 0);
  ask.expect(equal(y.get(), wrapped(max(min(sum, most), least), bits_of<Y>)));
}

/// What is stored of v and mantissa * 2^-t in the high-half variant, with a zero point that the rounding takes.
template <class Scheme, class Y>
void scheme_says(question& ask, int t, int zero_point, proof::steps steps) {
  using formula = typename Scheme::formula_type;
  constexpr int bits = bits_of<typename Scheme::accumulator>, extra = bits == 64 ? 16 : 0;
  constexpr int mantissa_bits = bits_of<typename Scheme::multiplier_type::mantissa_type> - 1;
  proof::machine::begin(ask);
  const term v = ask.input("v", 32), m = extend_unsigned(ask.factor("m", mantissa_bits), 32);
  proof::machine::present().asked = sizeof(Y) == 4 ? &ask : nullptr;
  const auto p = code::high_half::parameters<code::lanes, formula, std::int32_t>(integer32{shift_left(m, extra)},
                                                                                 integer32{number(32, t)}, extra, zero_point);
  const integer32 rescaled = code::high_half::apply<formula, Y>(integer32{v}, p, zero_point);
  proof::machine::present().asked = nullptr;
  const code::vector_store<output<Y>> s{code::output_range{0, dyadic::limits<Y>::min, dyadic::limits<Y>::max}};
  output<Y> y;
  s.store_one(&y, rescaled);

  const int later = static_cast<int>(ask.constant(32, 0).value());
  if constexpr (extra != 0) {
    proof::state_scaled_product(ask, v, m, extra);
    ask.lemma(same(product(extend(v, 64), extend(m, 64)), product(v, m)));
  }
  const term sum = extend(steps(extend(v, bits), extend(m, bits), t + later), 128) + number(128, zero_point);
  ask.expect(equal(y.get(), saturated(sum, bits_of<Y>)));
}

class provers {
 public:
  provers(proof::prover& all, proof::depth d) : all_{all}, depth_{d} {}

  template <class Y>
  void prove_stores(const std::string& name) {
    all_.prove_parts("dsp: outputs " + name + " are clamp(value + zero point, min, max)", [&] {
      const int runs = sizeof(Y) == 4 ? 3 : 1;
      all_.prove_part("in few instructions", runs, store_says<code::shifted_store<output<Y>>, Y>);
      all_.prove_part("in few bytes", runs, store_says<code::saturated_store<output<Y>>, Y>);
    });
  }
  template <class Scheme>
  void prove(const std::string& name, proof::steps steps) {
    using formula = typename Scheme::formula_type;
    if constexpr (code::implementation<formula>::has_high_half) {
      if (!proof::is_new<formula>(steps)) return;
      constexpr bool is_wide = sizeof(typename Scheme::accumulator) == 8;
      const int low = is_wide ? 17 : 33, high = is_wide ? 46 : proof::shifts_of<Scheme>().high;
      const std::string shifts = ", t = " + std::to_string(low) + " .. " + std::to_string(high);
      all_.prove_parts("dsp: " + name + ", high half" + (is_wide ? " of int32 accumulators" : "") + shifts, [&] {
        prove_part<Scheme, std::int32_t>("int32", low, high, steps);
        prove_part<Scheme, std::int8_t>("int8, zero point in the rounding", low, is_wide ? 37 : 53, steps);
        prove_part<Scheme, std::int16_t>("int16, zero point in the rounding", low, is_wide ? 29 : 45, steps);
      });
    }
  }

 private:
  template <class Scheme, class Y>
  void prove_part(const std::string& what, int low, int high, proof::steps steps) {
    const int stride = depth_ == proof::depth::every ? 1 : 7;
    const int runs = (high - low + stride - 1) / stride + 1;
    all_.prove_part(what, runs, [=](question& ask, int run) {
      constexpr int least = dyadic::limits<Y>::min, most = dyadic::limits<Y>::max;
      constexpr int some[] = {most, least, 1, -1, least + 1, 0, most / 3};
      scheme_says<Scheme, Y>(ask, std::min(low + run * stride, high), sizeof(Y) == 4 ? 0 : some[run % 7], steps);
    });
  }
  proof::prover& all_;
  proof::depth depth_;
};

}  // namespace

int main(int count, char** arguments) {
  std::string only;
  proof::depth d = proof::depth::sample;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--every") == 0)
      d = proof::depth::every;
    else
      only = arguments[i];
  }
  proof::prover all{only};
  provers some{all, d};
  some.prove_stores<std::int8_t>("int8");
  some.prove_stores<std::uint8_t>("uint8");
  some.prove_stores<std::int16_t>("int16");
  some.prove_stores<std::uint16_t>("uint16");
  some.prove_stores<std::int32_t>("int32");
  proof::each_published([&](auto scheme, const char* name, proof::steps steps) { some.prove<decltype(scheme)>(name, steps); });
  return all.status();
}
