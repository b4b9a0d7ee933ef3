// An integer scheme keeps the order of accumulators on each piece on which nothing wraps: the pieces of dyadic/monotone.hpp.
// The output never falls if the mantissa is 0 or more, and never rises if the mantissa is below 0.

#include <dyadic/dyadic.hpp>

#include "published.hpp"
#include "symbolic_lane.hpp"

namespace q = dyadic;
using namespace proof;

namespace {

/// Returns how often a number has wrapped in int32. In a mutant it wraps a quarter of a turn earlier.
term turns(question& ask, const term& y) {
  const term wide = extend(y, 128);
  return wrapped(shift_right(wide + ask.constant(128, integer{1} << 31, 1 << 30), 32), 64);
}

/// The number of the piece for an accumulator v, a mantissa m and a shift t. `factor` is v after the pre-shift.
struct piece {
  term number;
  term factor;
};
using pieces = piece (*)(question& ask, const term& v, const term& m, int t);

piece whole(question&, const term& v, const term&, int) { return {number(8, 0), v}; }
piece rounded(question& ask, const term& v, const term& m, int t) { return {turns(ask, published::tosa_single(v, m, t)), v}; }
piece rounded_away(question& ask, const term& v, const term& m, int t) {
  return {turns(ask, published::away(published::wide(product(v, m)), t)), v};
}
piece pre_shifted_by(question& ask, const term& v, int left) {
  return {turns(ask, shift_left(extend(v, 64), left)), shift_left(v, left)};
}
piece pre_shifted(question& ask, const term& v, const term&, int t) { return pre_shifted_by(ask, v, published::left_of(t)); }
piece pre_shifted_longer(question& ask, const term& v, const term&, int t) {
  return pre_shifted_by(ask, v, published::left_of(t, 1));
}
/// A piece of the pre-shift in which the product of the two least numbers also wraps.
piece pre_shifted_wrapped(question& ask, const term& v, const term& m, int t) {
  const piece p = pre_shifted(ask, v, m, t);
  const term lowest = number(32, -(integer{1} << 31));
  return {concat(p.number, equal(p.factor, lowest) & equal(m, lowest)), p.factor};
}
piece halved(question& ask, const term& v, const term& m, int t) {
  return {turns(ask, shift_right(product(v, m), t - 1) + number(128, 1)), v};
}

template <class Scheme>
void prove(prover& all, const std::string& name, pieces piece_of) {
  int low = 0;
  while (!Scheme::valid({1, low})) ++low;
  int high = low;
  while (Scheme::valid({1, high + 1})) ++high;
  constexpr bool is_wide = sizeof(typename Scheme::accumulator) == 8;
  all.prove(name + " keeps the order", low, high, [=](question& ask, int t) {
    const int bits = q::detail::accumulator_bits<Scheme>::value, lane = bits_of<typename Scheme::accumulator>;
    const term a = extend(ask.input("a", bits), lane), b = extend(ask.input("b", bits), lane);
    const term m = extend(ask.factor("m", bits_of<typename Scheme::multiplier_type::mantissa_type>), lane);
    const term falls = is_negative(m);
    using mantissa = typename Scheme::multiplier_type::mantissa_type;
    if (!Scheme::valid({-1, t})) ask.require(!falls);
    if (!Scheme::valid({q::limits<mantissa>::min, t})) ask.require(!equal(m, number(lane, q::limits<mantissa>::min)));
    const piece of_a = piece_of(ask, a, m, t);
    const term x = extend(general_form<Scheme>(ask, a, m, t), 128);
    ask.keep_constants();
    const piece of_b = piece_of(ask, b, m, t);
    const term y = extend(general_form<Scheme>(ask, b, m, t), 128);
    ask.require(!less(b, a) & equal(of_a.number, of_b.number));
    // The products have the order of their factors, or the opposite order.
    const term first = product(of_a.factor, m), second = product(of_b.factor, m);
    ask.lemma(implies(!less(of_b.factor, of_a.factor), select(falls, !less(first, second), !less(second, first))));
    if constexpr (is_wide)
      for (const term& p : {first, second})
        ask.lemma(at_least(p, -(integer{1} << 47) * 32767) & at_most(p, ((integer{1} << 47) - 1) * 32767));
    ask.expect(select(falls, !less(x, y), !less(y, x)));
  });
}

}  // namespace

int main(int count, char** arguments) {
  prover all{count > 1 ? arguments[1] : ""};
  prove<q::tflite::double_rounding>(all, "tflite::double_rounding", pre_shifted);
  prove<q::tflite::single_rounding>(all, "tflite::single_rounding", rounded);
  prove<q::tflite::neon_double_rounding>(all, "tflite::neon_double_rounding", pre_shifted);
  prove<q::tflite::neon_single_rounding>(all, "tflite::neon_single_rounding", pre_shifted_longer);
  prove<q::tflite::avx2>(all, "tflite::avx2", pre_shifted_wrapped);
  prove<q::tflite::reduced_int64>(all, "tflite::reduced_int64", rounded);
  // cmsis_nn::double_rounding equals TFLite's rule for each mantissa that it accepts: equalities_proof.cpp.
  prove<q::cmsis_nn::mve_predicated_single_rounding>(all, "cmsis_nn::mve_predicated_single_rounding", pre_shifted_longer);
  prove<q::cmsis_nn::requantize_s64>(all, "cmsis_nn::requantize_s64", halved);
  prove<q::fbgemm::fixed>(all, "fbgemm::fixed", whole);
  prove<q::tosa::scale32_double_round>(all, "tosa::scale32_double_round", whole);
  prove<q::tosa::scale16>(all, "tosa::scale16", whole);
  prove<q::xnnpack::rndna>(all, "xnnpack::rndna", rounded_away);
  return all.status();
}
