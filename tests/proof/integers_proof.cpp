// Claims about integers of any size, in the arithmetic of integers, which never wraps. Constants are those of the headers.
// The claims are lemmas about products (for the other proofs), byte splits, and the number of products that a lane holds.
// Others are the bound of a fold, and the order that a scheme of binary32s keeps.

#include <dyadic/dyadic.hpp>
#include <dyadic/scheme/fused.hpp>

#include <string>

#include "integer_claim.hpp"

namespace q = dyadic;
using namespace proof;

namespace {

/// Two numbers of n bits, B = 2^(n-1), and their product.
constexpr const char* two_numbers = R"(
  (declare-const a Int) (declare-const b Int) (declare-const B Int)
  (assert (or (= B 2147483648) (= B 9223372036854775808)))
  (assert (and (<= (- B) a) (< a B) (<= (- B) b) (< b B)))
  (define-fun p () Int (* a b)))";

void prove_products(integer_prover& all) {
  all.prove("product: B^2 for two lowest numbers, else -B^2 + B .. B^2 - B", two_numbers,
            "(and (<= (- B (* B B)) p) (ite (and (= a (- B)) (= b (- B))) (= p (* B B)) (<= p (- (* B B) B))))",
            {"(- B (* B B))", "(- (+ B 1) (* B B))"});
  all.prove("product: 0 if a factor is, else negative if the signs differ", two_numbers,
            "(and (= (= p 0) (or (= a 0) (= b 0))) (=> (distinct p 0) (= (< p 0) (distinct (< a 0) (< b 0)))))",
            {"(< b 0)", "(< b 2)"});
  all.prove("product: of half the bits within 2^(n-2)",
            R"((declare-const a Int) (declare-const b Int) (declare-const H Int) (assert (or (= H 32768) (= H 2147483648)))
               (assert (and (<= (- H) a) (< a H) (<= (- H) b) (< b H))))",
            "(and (<= (- (* H H)) (* a b)) (<= (* a b) (* H H)))", {"(<= (* a b) (* H H))", "(< (* a b) (* H H))"});
  all.prove("product: of an int48 and 15 bits within 2^47 * 32767",
            R"((declare-const a Int) (declare-const b Int)
               (assert (and (<= (- 140737488355328) a) (< a 140737488355328) (<= 0 b) (<= b 32767))))",
            "(and (<= (* (- 140737488355328) 32767) (* a b)) (<= (* a b) (* 140737488355327 32767)))", {"355327", "355326"});
  all.prove("product: of 48 bits and 16 within 2^62",
            R"((declare-const a Int) (declare-const b Int)
               (assert (and (<= (- 140737488355328) a) (< a 140737488355328) (<= (- 32768) b) (< b 32768))))",
            "(and (<= (- 4611686018427387904) (* a b)) (<= (* a b) 4611686018427387904))", {"(<= (* a b)", "(< (* a b)"});
  all.prove("product: of 64 bits and 31 within 2^63 (2^31 - 1)",
            R"((declare-const a Int) (declare-const b Int)
               (assert (and (<= (- 9223372036854775808) a) (< a 9223372036854775808) (<= 0 b) (<= b 2147483647))))",
            "(and (<= (* (- 9223372036854775808) 2147483647) (* a b)) (<= (* a b) (* 9223372036854775807 2147483647)))",
            {"775807", "775806"});
  all.prove("product: of a within A and b from 0 to B within A B",
            R"((declare-const a Int) (declare-const b Int) (declare-const A Int) (declare-const B Int)
               (assert (and (<= (- A) a A) (<= 0 b B))))",
            "(<= (- (* A B)) (* a b) (* A B))", {"a b) (* A B)", "a b) (- (* A B) 1)"});
  all.prove("product: of n bits without a sign within (2^n - 1)^2, 0 if a factor is",
            R"((declare-const a Int) (declare-const b Int) (declare-const m Int) (assert (and (<= 0 a m) (<= 0 b m))))",
            "(and (<= 0 (* a b) (* m m)) (=> (or (= a 0) (= b 0)) (= (* a b) 0)))", {"(* m m)", "(- (* m m) 1)"});
  all.prove("product: of halves, (B h + l) m = B h m + l m",
            R"((declare-const h Int) (declare-const l Int) (declare-const m Int) (declare-const B Int)
               (assert (and (or (= B 65536) (= B 4294967296)) (<= 0 l) (< l B))))",
            "(= (* (+ (* B h) l) m) (+ (* B (* h m)) (* l m)))", {"(* l m)", "(* (+ l 1) m)"});
  all.prove("product: a factor taken k times takes it k times",
            "(declare-const a Int) (declare-const b Int) (declare-const k Int)", "(= (* a (* b k)) (* (* a b) k))",
            {"(* (* a b) k)", "(* (* a b) (+ k 1))"});
  all.prove("product: of -1 or more and b from 0 on, not below -b",
            "(declare-const a Int) (declare-const b Int) (assert (and (<= (- 1) a) (<= 0 b)))", "(<= (- b) (* a b))",
            {"(- b)", "(- 1 b)"});
  all.prove("quotient: no number up to a / b taken b times is more than a",
            R"((declare-const a Int) (declare-const b Int) (declare-const s Int) (declare-const q Int) (declare-const r Int)
               (assert (and (<= 0 a) (< 0 b) (= a (+ (* b q) r)) (<= 0 r) (< r b) (<= 0 s) (<= s q))))",
            "(<= (* s b) a)", {"(* s b)", "(* (+ s 1) b)"});
}

/// Proves the product of two 64-bit numbers in 32-bit digits, as `multiply` of rounding.hpp adds it up.
void prove_wide_products(integer_prover& all) {
  const std::string digits = R"((declare-const hh Int) (declare-const hl Int) (declare-const lh Int) (declare-const ll Int)
      (define-fun B () Int 4294967296) (define-fun most () Int (* (- B 1) (- B 1)))
      (assert (and (<= 0 hh most) (<= 0 hl most) (<= 0 lh most) (<= 0 ll most)))
      (define-fun middle () Int (+ hl (div ll B)))
      (define-fun other () Int (+ lh (mod middle B)))
      (define-fun high () Int (+ hh (div middle B) (div other B)))
      (define-fun low () Int (+ (* B (mod other B)) (mod ll B))))";
  all.prove("multiply: the digits' products hh, hl, lh, ll add up to the product, and no sum leaves 64 bits", digits,
            R"((and (= (+ (* B B high) low) (+ (* B B hh) (* B (+ hl lh)) ll))
                    (< middle (* B B)) (< other (* B B)) (<= 0 low) (< low (* B B))))",
            {"(< other (* B B))", "(< other (- (* B B) B))"});
  all.prove("multiply: of numbers with a sign, that less the other one in the high half for each that is negative",
            R"((declare-const a Int) (declare-const b Int) (declare-const high Int) (declare-const low Int)
               (define-fun W () Int 18446744073709551616) (define-fun H () Int 9223372036854775808)
               (define-fun ua () Int (ite (< a 0) (+ a W) a)) (define-fun ub () Int (ite (< b 0) (+ b W) b))
               (define-fun excess () Int (+ (ite (< a 0) ub 0) (ite (< b 0) ua 0)))
               (define-fun twice () Int (ite (and (< a 0) (< b 0)) W 0))
               (assert (and (<= (- H) a) (< a H) (<= (- H) b) (< b H) (= (* ua ub) (+ (* W high) low)))))",
            "(= (* a b) (+ (* W (+ (- high excess) twice)) low))", {"(- high excess)", "(- high excess 1)"});
}

void prove_byte_splits(integer_prover& all) {
  all.prove("byte_split of NEON: x w = 256 high w + low w + 128 w, bytes with a sign",
            R"((declare-const x Int) (declare-const w Int)
               (assert (and (<= (- 32768) x) (<= x 32767) (<= (- 128) w) (<= w 127)))
               (define-fun high () Int (div x 256)) (define-fun low () Int (- (mod x 256) 128)))",
            R"((and (= (* x w) (+ (* 256 (* high w)) (* low w) (* 128 w)))
                    (<= (- 128) high) (<= high 127) (<= (- 128) low) (<= low 127)))",
            {"(* 128 w)", "(* 127 w)"});
}

/// Proves that the sum of `depth` products of x and w of any sign fits int32, and that a sum with one more product may not fit.
/// The invariant of a sum of n products is n * least <= sum <= n * greatest, and both bounds are reached.
void prove_drain_length(integer_prover& all, const std::string& name, q::value_range x, q::value_range w, q::index_t depth) {
  const auto given = with_values(R"((declare-const x Int) (declare-const w Int) (declare-const n Int) (declare-const sum Int)
      (assert (and (<= $x0 x) (<= x $x1) (<= $w0 w) (<= w $w1)))
      (define-fun corner ((i Int)) Int (ite (= i 0) (* $x0 $w0) (ite (= i 1) (* $x0 $w1) (ite (= i 2) (* $x1 $w0) (* $x1 $w1)))))
      (define-fun least2 ((i Int) (j Int)) Int (ite (< (corner i) (corner j)) (corner i) (corner j)))
      (define-fun most2 ((i Int) (j Int)) Int (ite (< (corner i) (corner j)) (corner j) (corner i)))
      (define-fun least () Int (ite (< (least2 0 1) (least2 2 3)) (least2 0 1) (least2 2 3)))
      (define-fun most () Int (ite (< (most2 0 1) (most2 2 3)) (most2 2 3) (most2 0 1)))
      (define-fun kept ((n Int) (sum Int)) Bool (and (<= (* n least) sum) (<= sum (* n most))))
      (assert (and (<= 0 n) (kept n sum))))",
                                 {{"x0", x.min}, {"x1", x.max}, {"w0", w.min}, {"w1", w.max}});
  all.prove("drain_length " + name + " = " + std::to_string(depth), given,
            with_values(R"((and (kept (+ n 1) (+ sum (* x w)))
                                (=> (<= n $depth) (and (<= (- 2147483648) sum) (<= sum 2147483647)))))",
                        {{"depth", depth}}),
            {"(<= n " + std::to_string(depth) + ")", "(<= n " + std::to_string(depth + 1) + ")"});
}
template <class X, class W>
void prove_drain_length(integer_prover& all, const std::string& name) {
  prove_drain_length(all, name, q::values_of<X>(), q::values_of<W>(), q::drain_length<X, W>());
}

void prove_drain_lengths(integer_prover& all) {
  prove_drain_length<std::int16_t, std::int8_t>(all, "int16 x int8, pairs");
  prove_drain_length<std::uint8_t, std::int8_t>(all, "uint8 x int8, quads and byte splits");
  prove_drain_length<std::int8_t, std::int8_t>(all, "int8 x int8");
  prove_drain_length<std::int16_t, q::int4>(all, "int16 x int4");
  prove_drain_length<std::uint8_t, std::uint8_t>(all, "uint8 x uint8");
  const q::value_range x{-32768, 32767}, w{-255, 255};
  prove_drain_length(all, "depthwise windows: int16 x weights less zero points", x, w, q::drain_length(x, w));
  all.prove("gemv_lanes: whole steps and the last one, of two products each, are no more than a lane holds",
            "(declare-const holds Int) (assert (<= 4 holds)) (define-fun max_steps () Int (- (div holds 2) 1))",
            "(and (< 0 max_steps) (<= (+ (* 2 max_steps) 2) holds))", {"(* 2 max_steps) 2", "(* 2 max_steps) 4"});
  all.prove("joined_quads: an int16 holds the products of 16 weights of 4 bits and unsigned bytes",
            R"((declare-const n Int) (declare-const sum Int) (declare-const x Int) (declare-const w Int)
               (define-fun kept ((n Int) (sum Int)) Bool (and (<= (* (- 2040) n) sum) (<= sum (* 1785 n))))
               (assert (and (<= 0 x) (<= x 255) (<= (- 8) w) (<= w 7) (<= 0 n) (kept n sum))))",
            "(and (kept (+ n 1) (+ sum (* x w))) (=> (<= n 16) (and (<= (- 32768) sum) (<= sum 32767))))",
            {"(<= n 16)", "(<= n 17)"});
  all.prove("row_sums: so many weights of 16 bits in a lane fit int32",
            with_values(R"((declare-const n Int) (declare-const sum Int) (declare-const w Int)
                           (assert (and (<= (- 32768) w) (<= w 32767) (<= 0 n) (< n $terms)))
                           (assert (and (<= (* (- 32768) n) sum) (<= sum (* 32767 n)))))",
                        {{"terms", 1 << 15}}),
            R"((and (<= (* (- 32768) (+ n 1)) (+ sum w)) (<= (+ sum w) (* 32767 (+ n 1)))
                    (<= (- 2147483648) (+ sum w)) (<= (+ sum w) 2147483647)))",
            {"(<= (- 2147483648) (+ sum w))", "(< (- 1073741824) (+ sum w))"});
  all.prove("weights_of_chunk: sums of a chunk of 16-bit weights fit 24 bits",
            with_values(R"((declare-const n Int) (declare-const sum Int) (declare-const u Int)
                           (assert (and (<= 0 u) (<= u 65535) (<= 0 n) (< n $chunk) (<= 0 sum) (<= sum (* 65535 n)))))",
                        {{"chunk", q::detail::weights_of_chunk}}),
            "(and (<= (+ sum u) (* 65535 (+ n 1))) (< (+ sum u) 16777216))", {"16777216", "16776960"});
}

/// pmaddubsw adds two products of unsigned bytes and int8 weights: what detail/weight_blocks.hpp says.
void prove_blocks(integer_prover& all) {
  const std::string lane = R"((declare-const a Int) (declare-const b Int) (declare-const x Int) (declare-const y Int)
      (assert (and (<= (- 128) a) (<= a 127) (<= (- 128) b) (<= b 127) (<= 0 x) (<= x 255) (<= 0 y) (<= y 255)))
      (define-fun most () Int (+ (ite (< 0 a) a 0) (ite (< 0 b) b 0)))
      (define-fun least () Int (- (+ (ite (< a 0) (- a) 0) (ite (< b 0) (- b) 0)))))";
  const std::string sum = "(+ (* a x) (* b y))";
  all.prove("weight_blocks: a lane whose positive and whose negated negative weights sum to at most 128 stays within int16", lane,
            "(=> (and (<= most 128) (<= (- 128) least)) (and (<= (- 32768) " + sum + ") (<= " + sum + " 32767)))",
            {"(<= most 128)", "(<= most 129)"});
  all.prove("weight_blocks: a lane of other weights leaves int16 for bytes of 0 and 255",
            lane + R"((assert (= x (ite (< 128 most) (ite (< 0 a) 255 0) (ite (< a 0) 255 0))))
                      (assert (= y (ite (< 128 most) (ite (< 0 b) 255 0) (ite (< b 0) 255 0)))))",
            "(=> (or (< 128 most) (< least (- 128))) (or (< " + sum + " (- 32768)) (< 32767 " + sum + ")))",
            {"(< 128 most)", "(< 127 most)"});
  all.prove("weight_blocks: saturates compares the sum of two weights", lane,
            "(= (or (< 128 (+ a b)) (< (+ a b) (- 128))) (or (< 128 most) (< least (- 128))))",
            {"(< 128 (+ a b))", "(< 127 (+ a b))"});
  // C++ rounds w / 2 towards zero.
  all.prove("weight_blocks: w / 2 and w - w / 2 are within +-64",
            R"((declare-const w Int) (assert (and (<= (- 128) w) (<= w 127)))
               (define-fun half () Int (ite (< w 0) (- (div (- w) 2)) (div w 2))))",
            "(and (<= (- 64) half) (<= half 64) (<= (- 64) (- w half)) (<= (- w half) 64))",
            {"(<= (- w half) 64)", "(<= (- w half) 63)"});
}

/// M = 2^(bits - 1), any number from 2 to 2^63. C++'s divisions are room = q g + r for g = greatest > 0, and room = k n + e
/// for n = -least > 0.
constexpr const char* depths = R"(
  (declare-const M Int) (declare-const bias Int) (declare-const g Int) (declare-const q Int) (declare-const r Int)
  (declare-const n Int) (declare-const k Int) (declare-const e Int) (declare-const d Int)
  (define-fun unlimited () Int 9223372036854775807)
  (define-fun room () Int (- (- M 1) bias))
  (define-fun downwards () Int (+ k (ite (and (= e (- n 1)) (distinct k unlimited)) 1 0)))
  (assert (and (<= 2 M) (<= M 9223372036854775808) (<= 0 bias) (<= 0 room)))
  (assert (and (< 0 n) (<= n 4611686018427387904) (= room (+ (* k n) e)) (<= 0 e) (< e n)))
  (assert (and (< 0 g) (<= g 4611686018427387904) (= room (+ (* q g) r)) (<= 0 r) (< r g))))";

void prove_bounds(integer_prover& all) {
  all.prove("product_range: the extremes of x w are at the corners",
            R"((declare-const x Int) (declare-const x0 Int) (declare-const x1 Int)
               (declare-const w Int) (declare-const w0 Int) (declare-const w1 Int)
               (assert (and (<= x0 x) (<= x x1) (<= w0 w) (<= w w1))))",
            R"((and (or (<= (* x w) (* x0 w0)) (<= (* x w) (* x0 w1)) (<= (* x w) (* x1 w0)) (<= (* x w) (* x1 w1)))
                    (or (>= (* x w) (* x0 w0)) (>= (* x w) (* x0 w1)) (>= (* x w) (* x1 w0)) (>= (* x w) (* x1 w1)))))",
            {"(<= (* x w) (* x1 w1))", "(<= (* x w) (* x1 w0))"});
  all.prove("max_depth: so many least products, less the bias, are not below -M", depths,
            "(=> (and (<= 0 d) (<= d downwards)) (<= (+ (* d n) bias) M))", {"(<= d downwards)", "(<= d (+ downwards 1))"});
  all.prove("max_depth: one more is, where not unlimited", depths,
            "(=> (distinct k unlimited) (> (+ (* (+ downwards 1) n) bias) M))", {"(+ downwards 1)", "downwards"});
  all.prove("max_depth: so many greatest products and the bias are not above M - 1", depths,
            "(=> (and (<= 0 d) (<= d q)) (<= (+ (* d g) bias) (- M 1)))", {"(<= d q)", "(<= d (+ q 1))"});
  all.prove("max_depth: one more is", depths, "(> (+ (* (+ q 1) g) bias) (- M 1))", {"(+ q 1)", "q"});
  all.prove("max_depth: nothing leaves int64 on the way", depths,
            "(and (<= 0 room unlimited) (<= 0 k unlimited) (<= 0 downwards unlimited) (<= 0 q unlimited))",
            {"(<= 0 room unlimited)", "(<= 0 room (- unlimited 1))"});
  // c is a weight minus its zero point; x is an activation minus its own. low <= 0 <= high, because real 0 pads outside taps.
  const std::string step = R"((declare-const x Int) (declare-const low Int) (declare-const high Int) (declare-const c Int)
      (declare-const sum Int) (declare-const positive Int) (declare-const negative Int)
      (assert (and (<= low 0) (<= 0 high) (<= low x) (<= x high) (<= 0 positive) (<= negative 0)))
      (assert (<= (+ (* positive low) (* negative high)) sum (+ (* positive high) (* negative low))))
      (define-fun p () Int (+ positive (ite (< 0 c) c 0))) (define-fun n () Int (+ negative (ite (< 0 c) 0 c))))";
  all.prove("fold: one more product keeps the sum within the bound", step,
            "(<= (+ (* p low) (* n high)) (+ sum (* x c)) (+ (* p high) (* n low)))", {"(* p high)", "(* positive high)"});
  all.prove("fold: some activations reach the bound",
            step + "(assert (and (= sum (+ (* positive high) (* negative low))) (= x (ite (< 0 c) high low))))",
            "(= (+ sum (* x c)) (+ (* p high) (* n low)))", {"(* n low)", "(* n high)"});
  all.prove("weight_sums: positive() and negative() are those sums",
            R"((declare-const total Int) (declare-const magnitude Int) (declare-const positive Int) (declare-const c Int)
               (assert (= (+ total magnitude) (* 2 positive))))",
            "(= (+ total c magnitude (ite (< c 0) (- c) c)) (* 2 (+ positive (ite (< 0 c) c 0))))", {"(< 0 c)", "(< 1 c)"});
  const std::string sums =
      R"((declare-const bytes Int) (declare-const size Int) (declare-const positive Int) (declare-const negative Int)
               (declare-const p Int) (declare-const n Int)
               (assert (and (or (= size 1) (= size 2)) (<= 0 bytes) (< bytes 2147483648) (<= 0 positive) (<= negative 0)))
               (define-fun most () Int (ite (= size 1) (* bytes 255) (* (div bytes 2) 65535)))
               (assert (<= (- positive negative) most))
               (define-fun total () Int (+ positive negative)))";
  all.prove("fold: on 32-bit machines the bound without its bias is within 2^62",
            sums + "(assert (and (<= (- 65535) p) (<= p 65535) (<= (- 65535) n) (<= n 65535)))",
            "(<= (- 4611686018427387904) (+ (* positive p) (* negative n)) 4611686018427387904)",
            {"4611686018427387904)", "4611545277717938174)"});
  all.prove("fold: on 32-bit machines its ends are sums of two products of magnitudes",
            sums + "(define-fun m () Int (- positive total)) (assert (and (<= (- 65535) n 0 p 65535) (<= (- p n) 65535)))",
            R"((and (= (+ (* positive p) (* negative n)) (+ (* positive p) (* m (- n))))
                    (= (+ (* positive n) (* negative p)) (- (+ (* positive (- n)) (* m p))))
                    (<= 0 (* positive p)) (<= 0 (* m p)) (<= 0 (* positive (- n))) (<= 0 (* m (- n)))))",
            {"(* m p)", "(* m n)"});
}

/// Tests the ends of what the scheme accepts, and numbers beyond them.
/// @{
constexpr bool takes(float high, float low, float addend) { return q::fused::valid({high, low, addend}); }
static_assert(takes(0x1p-22F, 0, 0.25F) && takes(0x1.fffffep-2F, 0x1.fffffcp-25F, 0x1.fffffep-1F));
static_assert(!takes(0x1.fffffep-23F, 0, 0.5F) && !takes(0.5F, 0, 0.5F) && !takes(0.25F, 0x1p-25F, 0.5F));
static_assert(!takes(0.25F, 0x1.fffffep-61F, 0.5F) && !takes(0.25F, 0, 0x1.fffffep-3F) && !takes(0.25F, 0, 1.0F));
/// @}

/// Proves that `fused` keeps the order of accumulators a, which are binary32s up to 2^24.
/// All numbers are in units of 2^-83; `low`, from 2^-60 on, is a whole number of units.
/// A sum below 2 is rounded by at most 2^-24. Rounding the later sum and cutting off its fraction keep the order.
/// Accumulators below 0 change all signs.
void prove_order_of_fused(integer_prover& all) {
  const std::string numbers = R"((define-fun one () Int 9671406556917033397649408)
      (declare-const high Int) (declare-const low Int) (declare-const c Int) (declare-const a Int)
      (assert (and (<= (div one 4194304) high) (< high (div one 2)) (<= (div one 4) c) (< c one)))
      (assert (and (< (* 8388608 low) high) (< (- high) (* 8388608 low)) (<= 0 a 16777216))))";
  all.prove("fused: f low + c is below 2", numbers, "(< (- one) (+ (* a low) c) (* 2 one))",
            {"(* 2 one)", "(- (* 2 one) 1099511627776000)"});
  const std::string rounded = R"((declare-const now Int) (declare-const next Int)
      (define-fun off () Int (div one 16777216)) (assert (< a 16777216))
      (assert (<= (- off) (- now (+ (* a low) c)) off))
      (assert (<= (- off) (- next (+ (* (+ a 1) low) c)) off)))";
  all.prove("fused: from 0 to 2^24 no accumulator gives less than the one before it, nor less than 0", numbers + rounded,
            "(and (<= (+ (* a high) now) (+ (* (+ a 1) high) next)) (<= 0 (+ (* a high) now)))",
            {"(* (+ a 1) high)", "(* a high)"});
}

}  // namespace

int main(int count, char** arguments) {
  integer_prover all{count > 1 ? arguments[1] : ""};
  prove_products(all);
  prove_wide_products(all);
  prove_byte_splits(all);
  prove_drain_lengths(all);
  prove_blocks(all);
  prove_bounds(all);
  prove_order_of_fused(all);
  return all.status();
}
