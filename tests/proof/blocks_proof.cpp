// Claims about the integers of scaled blocks, in the arithmetic of integers, which never wraps. They say how many products of
// codes an int32 or an int64 holds, and that the words of a sum lose nothing. Constants are those of the headers.

#include <dyadic/blocks/engine_dot.hpp>
#include <dyadic/blocks/ggml_dot.hpp>

#include <string>

#include "integer_claim.hpp"

namespace q = dyadic;
namespace ggml = q::ggml;
using namespace proof;

namespace {

/// Proves that `most` products of codes within +-x and +-y fit an integer up to `limit`, and that one more may not.
/// The invariant of a sum of n products is |sum| <= n x y.
void prove_products(integer_prover& all, const std::string& name, std::int64_t x, std::int64_t y, std::int64_t limit) {
  const std::int64_t most = limit / (x * y);
  all.prove(name + ": " + std::to_string(most) + " products",
            with_values(R"((declare-const a Int) (declare-const b Int) (declare-const n Int) (declare-const sum Int)
                           (assert (and (<= (- $x) a $x) (<= (- $y) b $y) (<= 0 n)))
                           (define-fun kept ((n Int) (sum Int)) Bool (<= (- (* n $each)) sum (* n $each)))
                           (assert (kept n sum)))",
                        {{"x", x}, {"y", y}, {"each", x * y}}),
            with_values("(and (kept (+ n 1) (+ sum (* a b))) (=> (<= n $most) (<= (- (+ $limit 1)) sum $limit)))",
                        {{"most", most}, {"limit", limit}}),
            {"(<= n " + std::to_string(most) + ")", "(<= n " + std::to_string(most + 1) + ")"});
}
/// The products of two kinds of codes in int32 or int64. A block of 32 fits.
template <class X, class Y, class Sum>
void prove_block(integer_prover& all, const std::string& name) {
  constexpr std::int64_t limit = q::limits<Sum>::max;
  static_assert(limit / X::largest / Y::largest >= 32);
  prove_products(all, std::string(sizeof(Sum) == 4 ? "int32" : "int64") + " holds of " + name, X::largest, Y::largest, limit);
}
template <class Format>
using elements = q::element_codes<Format>;
using int8 = q::integer_codes<std::int8_t>;
using int16 = q::integer_codes<std::int16_t>;
using nibbles = q::nibble_codes<q::nibble_code::offset8>;
using fp4 = q::nibble_codes<q::nibble_code::e2m1>;

/// E4M3 is wider: a block of 32 needs int64. A product of two E5M2 needs more.
static_assert(q::limits<std::int32_t>::max / elements<q::e4m3>::largest / elements<q::e4m3>::largest == 0);
static_assert(q::limits<std::int64_t>::max / elements<q::e5m2>::largest / elements<q::e5m2>::largest == 0);

void prove_blocks(integer_prover& all) {
  prove_block<fp4, fp4, std::int32_t>(all, "E2M1 x E2M1");
  prove_block<elements<q::mxint8>, elements<q::mxint8>, std::int32_t>(all, "MXINT8 x MXINT8");
  prove_block<fp4, elements<q::mxint8>, std::int32_t>(all, "E2M1 x MXINT8");
  prove_block<elements<q::e2m3>, elements<q::e2m3>, std::int32_t>(all, "E2M3 x E2M3");
  prove_block<elements<q::e3m2>, elements<q::e3m2>, std::int32_t>(all, "E3M2 x E3M2");
  prove_block<int8, nibbles, std::int32_t>(all, "int8 with a zero point x int4");
  prove_block<int8, int8, std::int32_t>(all, "int8 x int8, both with zero points");
  prove_block<ggml::row<ggml::q4_0>, ggml::row<ggml::q8_0>, std::int32_t>(all, "q4_0 x q8_0");
  prove_block<ggml::row<ggml::q4_1>, ggml::row<ggml::q8_1>, std::int32_t>(all, "q4_1 x q8_1");
  prove_block<ggml::row<ggml::q5_0>, ggml::row<ggml::q8_0>, std::int32_t>(all, "q5_0 x q8_0");
  prove_block<ggml::row<ggml::q5_1>, ggml::row<ggml::q8_1>, std::int32_t>(all, "q5_1 x q8_1");
  prove_block<ggml::row<ggml::q8_0>, ggml::row<ggml::q8_0>, std::int32_t>(all, "q8_0 x q8_0");
  prove_block<ggml::row<ggml::mxfp4>, ggml::row<ggml::q8_0>, std::int32_t>(all, "mxfp4 x q8_0");
  prove_block<elements<q::e4m3>, elements<q::e4m3>, std::int64_t>(all, "E4M3 x E4M3");
  prove_block<elements<q::e4m3>, elements<q::e5m2>, std::int64_t>(all, "E4M3 x E5M2");
  prove_block<elements<q::e5m2>, fp4, std::int64_t>(all, "E5M2 x E2M1");
  prove_block<int16, nibbles, std::int64_t>(all, "int16 with a zero point x int4");
  all.prove("accumulate: an E5M2 is split into parts whose products with another fit 49 bits",
            with_values(R"((declare-const x Int) (declare-const y Int)
                           (assert (and (<= (- $most) x $most) (<= (- $most) y $most)))
                           (define-fun high () Int (div x 65536)) (define-fun low () Int (mod x 65536)))",
                        {{"most", elements<q::e5m2>::largest}}),
            R"((and (= (* x y) (+ (* 65536 (* high y)) (* low y))) (< (- 281474976710656) (* high y) 281474976710656)
                    (< (- 281474976710656) (* low y) 281474976710656)))",
            {"(* low y)))", "(* low x)))"});
}

/// Sums that engines hold in int32.
void prove_engines(integer_prover& all) {
  prove_products(all, "XNNPACK, KleidiAI: int32 holds of 16 times the products of a - z and int4", 255, 16 * 8,
                 q::limits<std::int32_t>::max);
  static_assert(q::limits<std::int32_t>::max / (255 * 16 * 8) == 65793);
  prove_products(all, "XNNPACK: int32 holds of the products of a - z and int8", 255, 128, q::limits<std::int32_t>::max);
  all.prove("LPBQ: a weight q4 k is an int8, and 32 products with int8 activations are within 2^19",
            R"((declare-const q4 Int) (declare-const k Int) (declare-const x Int) (declare-const n Int) (declare-const sum Int)
               (assert (and (<= (- 8) q4 7) (<= 1 k 16) (<= (- 128) x 127) (<= 0 n 31)))
               (define-fun kept ((n Int) (sum Int)) Bool (<= (- (* 16384 n)) sum (* 16384 n))) (assert (kept n sum))
               (define-fun w () Int (* q4 k)))",
            R"((and (<= (- 128) w 112) (kept (+ n 1) (+ sum (* w x))) (<= (- 524288) (+ sum (* w x)) 524288)))",
            {"(<= (- 128) w 112)", "(<= (- 127) w 112)"});
  all.prove("LPBQ: an int32 holds 4095 blocks",
            "(declare-const n Int) (declare-const sum Int) (assert (and (<= 0 n) (<= (- (* 524288 n)) sum (* 524288 n))))",
            "(=> (<= n 4095) (<= (- 2147483648) sum 2147483647))", {"(<= n 4095)", "(<= n 4096)"});
}

/// The window of a sum, and the words of accumulators.
void prove_sums(integer_prover& all) {
  // c is a product of codes, s the product of two scales in units, and |c| <= C, |s| <= S, B = C S.
  all.prove("sum_range_of: one more product keeps each partial sum within n C S",
            R"((declare-const c Int) (declare-const C Int) (declare-const s Int) (declare-const S Int) (declare-const n Int)
               (declare-const sum Int) (define-fun B () Int (* C S))
               (assert (and (<= (- C) c C) (<= (- S) s S) (<= (- B) (* c s) B) (<= 0 n) (<= (- (* n B)) sum (* n B)))))",
            "(<= (- (* (+ n 1) B)) (+ sum (* c s)) (* (+ n 1) B))", {"(* (+ n 1) B))", "(* n B))"});
  all.prove("sum_range_of: a product of numbers within C and S is within C S",
            R"((declare-const c Int) (declare-const C Int) (declare-const s Int) (declare-const S Int)
               (assert (and (<= (- C) c C) (<= (- S) s S))))",
            "(<= (- (* C S)) (* c s) (* C S))", {"c s) (* C S)", "c s) (- (* C S) 1)"});
  const std::string word = R"((define-fun W () Int 18446744073709551616)
      (declare-const v Int) (declare-const w Int) (declare-const carry Int)
      (assert (and (<= 0 v) (< v W) (<= 0 w) (< w W) (<= 0 carry 1)))
      (define-fun with () Int (mod (+ v carry) W)) (define-fun sum () Int (mod (+ w with) W)))";
  all.prove("exact_sum: a word, a word and a carry are the next carry and a word", word,
            "(= (+ v w carry) (+ sum (* W (ite (or (< with carry) (< sum with)) 1 0))))",
            {"(or (< with carry) (< sum with))", "(< sum with)"});
  all.prove("exact_sum: a word times a significand, and a carry below it, leave such a carry",
            R"((define-fun W () Int 18446744073709551616) (declare-const w Int) (declare-const m Int) (declare-const carry Int)
               (assert (and (<= 0 w) (< w W) (<= 0 m) (< m 16777216) (<= 0 carry m)))
               (define-fun p () Int (* w m)) (assert (<= 0 p (* (- W 1) m)))
               (define-fun low () Int (mod (+ (mod p W) carry) W))
               (define-fun next () Int (+ (div p W) (ite (< low carry) 1 0))))",
            "(and (= (+ p carry) (+ low (* W next))) (<= 0 next m))", {"(<= 0 next m)", "(<= 0 next (- m 1))"});
  all.prove("sum_of_128_bits: two words are added modulo 2^128",
            R"((define-fun W () Int 18446744073709551616)
               (declare-const high Int) (declare-const low Int) (declare-const h Int) (declare-const l Int)
               (assert (and (<= 0 low) (< low W) (<= 0 l) (< l W) (<= 0 high) (< high W) (<= 0 h) (< h W)))
               (define-fun sum () Int (mod (+ low l) W)) (define-fun more () Int (+ high h (ite (< sum l) 1 0))))",
            "(= (+ (* W high) low (* W h) l) (+ (* W more) sum))", {"(* W more)", "(* W (+ high h))"});
  all.prove("sum_of_64_bits: a sum modulo 2^64 is the sum if its window is int64",
            R"((define-fun W () Int 18446744073709551616) (declare-const sum Int)
               (assert (<= (- 9223372036854775807) sum 9223372036854775807)) (define-fun total () Int (mod sum W)))",
            "(= sum (ite (< total 9223372036854775808) total (- total W)))",
            {"(< total 9223372036854775808)", "(< total 9223372036854775807)"});
}

}  // namespace

int main(int count, char** arguments) {
  integer_prover all{count > 1 ? arguments[1] : ""};
  prove_blocks(all);
  prove_engines(all);
  prove_sums(all);
  return all.status();
}
