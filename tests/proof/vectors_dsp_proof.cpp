// The proof of Armv7E-M: its own code for one lane over the models of dsp/.

#include "dsp/region.hpp"

#include "finish_claim.hpp"
#include "prove_vectors.hpp"

DYADIC_PROOF_REGION(dsp)

namespace {

namespace code = dyadic::detail::over_dsp;
using proof::integer32;
using proof::number;
using proof::question;
using proof::term;

/// A region whose accumulators and outputs are integers over terms.
struct one_lane_region : dsp_region {
  template <class Accumulator>
  using integer = std::conditional_t<sizeof(Accumulator) == 8, proof::integer64, integer32>;
  template <class Accumulator>
  using tile = dsp_region::tile<integer<Accumulator>>;
  template <class Y>
  static term stored(const Y* y, int i) {
    return proof::stored_output(y, i);
  }
  template <class Output>
  static constexpr bool has_compact_variant() {
    return code::has_compact_variant<Output>();
  }
  template <class Output>
  static void finish_in_variant(const Output* output, const typename Output::accumulator* sums, int channels, void* y) {
    code::finish_in_variant<Output>(output, sums, 0, channels, y);
  }
};

template <class Store, class Y>
void store_says(question& ask, int run) {
  constexpr int bits = static_cast<int>(8 * sizeof(Y)), wide = 34;
  proof::machine::begin(ask);
  const auto value = [&](const char* name) {
    const term t = ask.input(name, bits);
    return std::is_signed_v<Y> ? extend(t, wide) : extend_unsigned(t, wide);
  };
  // For int32 outputs the zero point is a number, because the solver does not decide a sum of symbols.
  constexpr proof::integer some[] = {1, dyadic::int32_min, dyadic::int32_max};
  const term z = sizeof(Y) == 4 ? number(wide, some[run]) : value("z");
  const term least = value("min"), most = value("max"), x = ask.input("x", 32);
  ask.require(!less(most, least));
  const auto stored = [](const term& t) { return integer32{wrapped(t, 32)}; };
  const Store s{code::text_of_lanes::output_range{stored(z), stored(least), stored(most)}};
  Y y{};
  s.store_one(&y, integer32{x});
  const term sum = extend(x, wide) + z + ask.constant(wide, 0);
  ask.expect(equal(proof::stored_output(&y, 0), wrapped(max(min(sum, most), least), bits)));
}
template <class Y>
void prove_stores(proof::prover& all, const std::string& name) {
  all.prove_parts("dsp: outputs " + name + " are clamp(value + zero point, min, max)", [&] {
    const int runs = sizeof(Y) == 4 ? 3 : 1;
    all.prove_part("in few instructions", runs, store_says<code::shifted_store<Y>, Y>);
    all.prove_part("in few bytes", runs, store_says<code::saturated_store<Y>, Y>);
  });
}

}  // namespace

int main(int count, char** arguments) {
  return proof::prove_claims(count, arguments, [](proof::prover& all, proof::depth d) {
    prove_stores<std::int8_t>(all, "int8");
    prove_stores<std::uint8_t>(all, "uint8");
    prove_stores<std::int16_t>(all, "int16");
    prove_stores<std::uint16_t>(all, "uint16");
    prove_stores<std::int32_t>(all, "int32");
    proof::prove_epilogues<one_lane_region>(all, d);
    proof::finish_prover<one_lane_region> sums{all, d};
    proof::each_published([&](auto scheme, const char* name, proof::steps steps) { sums.prove<decltype(scheme)>(name, steps); });
  });
}
