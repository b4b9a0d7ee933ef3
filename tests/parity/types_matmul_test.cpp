#include "types.hpp"

namespace {

using namespace types;

/// Multiplies two batches. The first is a layer without bias; the second has another right operand.
template <class X, class W, class Output>
void multiply(const problem& p, const Output& output) {
  const oracle::layer& l = p.layer;
  using accumulator = typename Output::accumulator;
  const auto x = as_stored<X>(p.x);
  const auto w = as_stored<W>(p.w);
  values by_depth;
  for (size k = 0; k < l.c; ++k)
    for (size o = 0; o < l.out_c; ++o) by_depth.push_back(p.w[static_cast<std::size_t>(o * l.c + k)]);
  const auto w_by_depth = as_stored<W>(by_depth);
  const q::matmul_layer layer{p.zero(), output};
  std::vector<accumulator> scratch(static_cast<std::size_t>(l.out_c));
  parity::each_backend_and_scalar([&](auto backend) {
    const auto compute = [&](auto right, const char* how) {
      std::vector<typename Output::value_type> y(p.accumulators.size());
      const q::batch_view<const X> left(x.data(), 1, l.h, l.c);
      const q::batch_view<typename Output::value_type> to(y.data(), 1, l.h, l.out_c);
      const q::status s = check(layer, left, right, to, scratch);
      if (!q::may_run(s)) FAIL(q::to_string(s) << ", " << p.text);
      q::run<decltype(backend)>(layer, left, right, to, scratch);
      compare(y, p.accumulators, output, decltype(backend)::name + (" by " + name<X>() + " and " + name<W>() + how + p.text));
    };
    compute(q::batch_view<const W>(w.data(), 1, l.out_c, l.c), ", ");
    compute(q::transposed(q::batch_view<const W>(w_by_depth.data(), 1, l.c, l.out_c)), ", transposed, ");
  });
}

/// Calls use(problem) for products without bias.
template <class X, class W, class Use>
void each_product(const Use& use) {
  std::vector<oracle::layer> layers(3);
  const size sizes[][3] = {{1, 1, 3}, {3, 19, 37}, {5, 131, 9}};
  for (std::size_t i = 0; i < 3; ++i) {
    layers[i].h = layers[i].out_h = sizes[i][0];
    layers[i].c = sizes[i][1];
    layers[i].out_c = sizes[i][2];
  }
  each_problem(oracle::op::linear, layers, q::values_of<X>(), q::values_of<W>(), [&](problem p) {
    for (std::size_t i = 0; i < p.accumulators.size(); ++i) p.accumulators[i] -= p.bias[i % p.bias.size()];
    use(p);
  });
}

template <class X, class W>
void outputs() {
  each_product<X, W>([](const problem& p) {
    multiply<X, W>(p, q::raw_output<i32>{});
    multiply<X, W>(p, scaled<X>(sizeof(X) == 1 ? 50 : 45));
  });
}

}  // namespace

TEST_CASE("types: sums of matrix products of all types equal the definition, also at extremes", "[parity]") {
  each_pair([](auto left, auto right) {
    using X = typename decltype(left)::type;
    using W = typename decltype(right)::type;
    if constexpr (!std::is_same_v<W, q::int4>)
      each_product<X, W>([](const problem& p) { multiply<X, W>(p, q::raw_output<i64>{}); });
  });
}
TEST_CASE("types: scaled and wrapped matrix products equal the definition", "[parity]") {
  outputs<i8, i8>();
  outputs<i16, i16>();
}
