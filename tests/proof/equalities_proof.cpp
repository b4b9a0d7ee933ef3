// Equalities of published rules: each row of the table of equalities, on the whole domain on which it holds, and not one step
// beyond. Both sides are the library's forms.

#include <dyadic/dyadic.hpp>

#include "published.hpp"
#include "symbolic_lane.hpp"

namespace q = dyadic;
using namespace proof;

namespace {

constexpr integer int32_least = -(integer{1} << 31);
constexpr integer int32_most = (integer{1} << 31) - 1;

term accumulator(question& ask) { return ask.input("v", 32); }
term any_mantissa(question& ask) { return ask.factor("m", 32); }
term mantissa(question& ask) {
  const term m = any_mantissa(ask);
  ask.require(!is_negative(m));
  return m;
}
/// An int48 accumulator and a 15-bit mantissa.
struct operands48 {
  term v, m;
};
operands48 of_48_bits(question& ask) {
  const operands48 o{extend(ask.input("v", 48), 64), extend(ask.factor("m", 16), 64)};
  const integer most = integer{1} << 47;
  ask.require(!is_negative(o.m));
  ask.lemma(at_least(product(o.v, o.m), -most * 32767) & at_most(product(o.v, o.m), (most - 1) * 32767));
  return o;
}
/// Requires least <= a <= most; a mutant allows one more at either end.
void require_within(question& ask, const term& a, integer least, integer most) {
  const term wide = extend(a, 128);
  ask.require(!(less(wide, ask.constant(128, least, -1)) | less(ask.constant(128, most), wide)));
}
/// Returns v * 2^left in 32 bits. States that the product is 2^left times the product of v if v * 2^left is an int32.
term pre_shifted(question& ask, const term& v, const term& m, int left) {
  const term shifted = shift_left(v, left);
  ask.lemma(implies(equal(shift_right(shifted, left), v),
                    equal(extend(product(shifted, m), 128), shift_left(extend(product(v, m), 128), left))));
  return shifted;
}

/// Expects that two schemes are equal for one v and one multiplier.
template <class A, class B>
void expect_same(question& ask, const term& v, const term& m, int t) {
  ask.keep_constants();
  ask.expect(same(general_form<A>(ask, v, m, t), general_form<B>(ask, v, m, t)));
}
term lowest32(question& ask) { return ask.constant(32, int32_least); }

void prove_pre_shifts(prover& all) {
  using tflite_double = q::tflite::double_rounding;
  all.prove("TFLite double = TOSA DOUBLE_ROUND exactly where v * 2^left fits int32", 2, 31, [](question& ask, int t) {
    const term v = accumulator(ask), m = mantissa(ask);
    require_within(ask, v, -(integer{1} << t), (integer{1} << t) - 1);
    pre_shifted(ask, v, m, published::left_of(t));
    expect_same<tflite_double, q::tosa::scale32_double_round>(ask, v, m, t);
  });
  all.prove("TFLite double = TOSA DOUBLE_ROUND for any v and mantissa but -2^31", 31, 62, [](question& ask, int t) {
    const term v = accumulator(ask), m = any_mantissa(ask);
    ask.require(!equal(m, lowest32(ask)));
    expect_same<tflite_double, q::tosa::scale32_double_round>(ask, v, m, t);
  });
  all.prove("NEON single = TFLite single exactly where v * 2^(left + 1) fits int32", 2, 31, [](question& ask, int t) {
    const term v = accumulator(ask), m = mantissa(ask);
    require_within(ask, v, -(integer{1} << (t - 1)), (integer{1} << (t - 1)) - 1);
    pre_shifted(ask, v, m, published::left_of(t, 1));
    expect_same<q::tflite::neon_single_rounding, q::tflite::single_rounding>(ask, v, m, t);
  });
  all.prove("NEON single = TFLite single for any v and mantissa", 32, 62, [](question& ask, int t) {
    const term v = accumulator(ask), m = any_mantissa(ask);
    ask.expect(same(general_form<q::tflite::neon_single_rounding>(ask, v, m, t),
                    general_form<q::tflite::single_rounding>(ask, v, m, t)));
  });
  all.prove("CMSIS-NN double, scalar = MVE = TFLite double but for two lowest numbers after the pre-shift", 1, 62,
            [](question& ask, int t) {
              const term v = accumulator(ask), m = any_mantissa(ask);
              const term shifted = shift_left(v, published::left_of(t));
              ask.require(!(equal(shifted, lowest32(ask)) & equal(m, lowest32(ask))));
              expect_same<q::cmsis_nn::double_rounding, tflite_double>(ask, v, m, t);
            });
  all.prove("AVX2 helper = TFLite single exactly where floor(v m / 2^31) <= 2^31 - 1 - 2^(t-32)", 32, 62,
            [](question& ask, int t) {
              const term v = accumulator(ask), m = mantissa(ask);
              ask.require(!less(ask.constant(64, int32_most - (integer{1} << (t - 32))), shift_right(product(v, m), 31)));
              expect_same<q::tflite::avx2, q::tflite::single_rounding>(ask, v, m, t);
            });
}

void prove_single_roundings(prover& all) {
  all.prove("TFLite single = CMSIS-NN single = ruy = TOSA SINGLE_ROUND exactly where the result fits int32", 2, 62,
            [](question& ask, int t) {
              const term v = accumulator(ask), m = mantissa(ask);
              require_within(ask, published::tosa_single(v, m, t), int32_least, int32_most);
              expect_same<q::tflite::single_rounding, q::tosa::scale32>(ask, v, m, t);
            });
  all.prove("TFLite single = XNNPACK rndnu, mantissa * 2^7 and t + 7, wherever either wraps", 16, 55, [](question& ask, int t) {
    const term v = accumulator(ask), m = extend(extend_unsigned(ask.factor("m", 24), 25), 32);
    const term scaled = m * number(32, 128), p = product(v, m);
    ask.lemma(equal(product(v, scaled), shift_left(p, 7)) & equal(shift_right(product(v, scaled), 7), p));
    const term rndnu = general_form<q::xnnpack::rndnu>(ask, v, m, t);
    ask.keep_constants();  // 2^(t+6) + 1 would give the same results, because the product is a multiple of 2^7
    ask.expect(same(general_form<q::tflite::single_rounding>(ask, v, scaled, t + 7), rndnu));
  });
  all.prove("XNNPACK rndna = Ethos-U SYMMETRIC where the result fits int32: R = 2^(t-1) - [v < 0]", 16, 55,
            [](question& ask, int t) {
              const term v = accumulator(ask), m = mantissa(ask);
              const term r = power(128, t - 1) - extend_unsigned(is_negative(v), 128);
              const term symmetric = shift_right(published::wide(product(v, m)) + r, t);
              require_within(ask, symmetric, int32_least, int32_most);
              ask.keep_constants();
              ask.expect(same(general_form<q::xnnpack::rndna>(ask, v, m, t), symmetric));
            });
  all.prove("TFLite int64 = TOSA scale16 exactly where the result fits int32", 8, 46, [](question& ask, int t) {
    const operands48 o = of_48_bits(ask);
    require_within(ask, published::tosa_scale16(o.v, o.m, t), int32_least, int32_most);
    expect_same<q::tflite::reduced_int64, q::tosa::scale16>(ask, o.v, o.m, t);
  });
  all.prove("CMSIS-NN s64 = TOSA scale16 exactly where floor(v m / 2^(t-1)) is in -2^31 - 1 .. 2^31 - 2", 8, 46,
            [](question& ask, int t) {
              const operands48 o = of_48_bits(ask);
              require_within(ask, shift_right(product(o.v, o.m), t - 1), int32_least - 1, int32_most - 1);
              expect_same<q::cmsis_nn::requantize_s64, q::tosa::scale16>(ask, o.v, o.m, t);
            });
}

// Pairs of schemes with one formula.
template <class A, class B>
constexpr bool have_one_formula = std::is_same_v<typename A::formula_type, typename B::formula_type>;
static_assert(have_one_formula<q::ruy::x86_simd, q::tflite::neon_double_rounding>);
static_assert(have_one_formula<q::ruy::reference, q::tflite::single_rounding>);
static_assert(have_one_formula<q::cmsis_nn::single_rounding, q::tflite::single_rounding>);
static_assert(have_one_formula<q::cmsis_nn::mve_double_rounding, q::tflite::double_rounding>);
static_assert(have_one_formula<q::fbgemm::fixed, q::xnnpack::rndnu_neon>);
static_assert(have_one_formula<q::fbgemm::fixed, q::tosa::scale32>);
static_assert(have_one_formula<q::onnx::mlas, q::fbgemm::floating>);
static_assert(have_one_formula<q::xnnpack::fp32, q::fbgemm::floating>);

}  // namespace

int main(int count, char** arguments) {
  prover all{count > 1 ? arguments[1] : ""};
  prove_pre_shifts(all);
  prove_single_roundings(all);
  return all.status();
}
