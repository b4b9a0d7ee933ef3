#pragma once
/// \file
/// Products that are not multiplied out. The product of two symbols is the value of an uninterpreted function with these lemmas.
/// Both sides of a claim therefore have equal products. integers_proof.cpp proves the lemmas.

#include "term.hpp"

namespace proof {

/// Returns the value of the function `name` for a and b, in their width. `lemmas` makes the lemmas of a new value.
template <class Lemmas>
term function_value(const std::string& name, const term& a, const term& b, const Lemmas& lemmas) {
  const std::string function = name + std::to_string(a.bits());
  const std::string text = "(" + function + " " + text_of(a) + " " + text_of(b) + ")";
  return symbol_of({text, 2 * a.bits(), {a, b}, false, function, {}, {}}, [&](const term& p) {
    std::vector<term> all = lemmas(p);
    arena::present().nodes[static_cast<std::size_t>(p.node())].lemmas = std::move(all);
  });
}

/// Returns the exact product of two signed numbers of n bits, in 2 n bits. Lemmas, with B = 2^(n-1):
/// - it is B^2 only for the factors -B and -B, else in -B^2 + B .. B^2 - B;
/// - it is 0 exactly if a factor is 0, else negative exactly if the signs differ;
/// - it is within 2^(n-2) if both factors have n / 2 bits.
inline term product(const term& a, const term& b) {
  need_one_width(a, b);
  const int n = a.bits();
  if (a.is_number() || b.is_number()) return extend(a, 2 * n) * extend(b, 2 * n);
  return function_value("product", a, b, [&](const term& p) {
    const integer top = integer{1} << (n - 1), half = integer{1} << (n / 2 - 1);
    const term both_lowest = equal(a, number(n, -top)) & equal(b, number(n, -top));
    const term one_is_zero = equal(a, number(n, 0)) | equal(b, number(n, 0));
    const term both_short = at_least(a, -half) & at_most(a, half - 1) & at_least(b, -half) & at_most(b, half - 1);
    return std::vector<term>{
        at_least(p, -top * top + top),
        select(both_lowest, equal(p, number(2 * n, top * top)), at_most(p, top * top - top)),
        equal(equal(p, number(2 * n, 0)), one_is_zero),
        one_is_zero | equal(is_negative(p), is_negative(a) ^ is_negative(b)),
        implies(both_short, at_least(p, -half * half) & at_most(p, half * half)),
    };
  });
}

/// Returns the exact product of two unsigned numbers. Lemmas: it is 0 if a factor is 0, and at most (2^n - 1)^2.
inline term product_unsigned(const term& a, const term& b) {
  need_one_width(a, b);
  const int n = a.bits();
  if (is_zero(a) || is_zero(b)) return number(2 * n, 0);
  if (a.is_number() || b.is_number()) return extend_unsigned(a, 2 * n) * extend_unsigned(b, 2 * n);
  return function_value("product_unsigned", a, b, [&](const term& p) {
    const term one_is_zero = equal(a, number(n, 0)) | equal(b, number(n, 0));
    const term most = number(2 * n, static_cast<integer>(term::mask(n) * term::mask(n)));
    return std::vector<term>{implies(one_is_zero, equal(p, number(2 * n, 0))), !less_unsigned(most, p)};
  });
}

/// Returns the lower half of a product, which is equal for signed and unsigned factors.
inline term product_low(const term& a, const term& b) { return wrapped(product(a, b), a.bits()); }

}  // namespace proof
