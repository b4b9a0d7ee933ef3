#include "types_problem.hpp"

namespace types {

values filled(q::value_range all, filling f, size count) {
  values v;
  for (size i = 0; i < count; ++i) {
    const i64 any = all.min + (i * 7919 + 3) % (i64{all.max} - all.min + 1);
    const bool is_least = f == filling::least || (f == filling::mixed && i % 5 == 0);
    v.push_back(is_least ? all.min : f == filling::greatest || i % 5 == 2 ? all.max : any);
  }
  return v;
}

problem make(oracle::op kind, const oracle::layer& l, q::value_range x, q::value_range w, filling x_like, filling w_like,
             int ends, bool wide_bias) {
  problem p;
  p.layer = l;
  p.kind = kind;
  if (ends == 1) p.layer.zero_x = x.min, p.layer.zero_w = w.max;
  if (ends == 2) p.layer.zero_x = x.max, p.layer.zero_w = w.min;
  p.x = filled(x, x_like, l.n * l.h * l.w * l.c);
  p.w = filled(w, w_like, p.weight_rows() * p.weight_cols());
  for (size o = 0; o < l.out_c; ++o) p.bias.push_back(wide_bias ? (i64{1} << 33) * (3 * o - 2) + o : 701 * o - 9);
  const auto at = [](const values& v, size i) { return v[static_cast<std::size_t>(i)]; };
  const auto x_at = [&](size n, size r, size c, size i) { return at(p.x, ((n * l.h + r) * l.w + c) * l.c + i); };
  const auto w_at = [&](size o, size ky, size kx, size i) {
    const size tap = ky * l.x.kernel + kx;
    return at(p.w, p.by_tap() ? tap * l.out_c + o : (o * p.taps() + tap) * p.depth() + i);
  };
  const auto bias_at = [&](size o) { return at(p.bias, o); };
  p.accumulators = oracle::accumulators(kind, p.layer, x_at, w_at, bias_at);
  p.text = std::to_string(l.h) + " x " + std::to_string(l.c) + " to " + std::to_string(l.out_c) + ", x like " +
           std::to_string(static_cast<int>(x_like)) + ", w like " + std::to_string(static_cast<int>(w_like)) + ", zero points " +
           std::to_string(p.layer.zero_x) + " and " + std::to_string(p.layer.zero_w) + (wide_bias ? ", wide bias" : "");
  return p;
}

}  // namespace types
