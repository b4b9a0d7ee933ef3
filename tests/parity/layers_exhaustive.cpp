// A million random layers of each kind, mostly small and now and then deep, on each backend of this machine against scalar code.

#include <dyadic/cpu.hpp>

#include "depthwise_parity.hpp"
#include "matmul_parity.hpp"
#include "windows_parity.hpp"

namespace {

using namespace dyadic;

/// A kind of layer. `runs` compares layers of any shape up to some size, and `draw` draws a shape.
/// Other members count the outputs of each pixel, and the products in each output.
struct linear {
  template <class Backend, class X, class W, class Y, class Scheme>
  static auto runs() {
    return parity::linear_runs<parity::backends<Backend>, X, W, Y>{{30, 110, 2600}};
  }
  static parity::shape draw(support::random_bits& random) {
    const int depth = random.below(random.one_in(100) ? 2600 : 40);
    return {random.below(random.one_in(4) ? 30 : 5) + 1, random.below(random.one_in(4) ? 110 : 20) + 1, depth};
  }
  static index_t outputs(const parity::shape& s) { return s.channels; }
  static index_t depth(const parity::shape& s) { return s.depth; }
};

window1d draw_axis(support::random_bits& random) {
  return {1 + random.below(4), 1 + random.below(4), 1 + random.below(random.one_in(2) ? 1 : 4), random.below(3), random.below(3)};
}

template <parity::kind Kind>
struct windows {
  template <class Backend, class X, class W, class Y, class Scheme>
  static auto runs() {
    return parity::window_runs<parity::backends<Backend>, Kind, X, W, Y>{600'000};
  }
  static parity::images_shape draw(support::random_bits& random) {
    const int groups = random.one_in(2) ? 1 : 1 + random.below(4);
    const int inputs = 1 + random.below(random.one_in(100) ? 300 : random.one_in(4) ? 40 : 6);
    const int outputs = 1 + random.below(random.one_in(4) ? 70 : 8);
    parity::images_shape s{1 + random.below(2),
                           1 + random.below(7),
                           1 + random.below(random.one_in(4) ? 20 : 7),
                           groups * ((inputs + groups - 1) / groups),
                           groups * ((outputs + groups - 1) / groups),
                           groups,
                           {draw_axis(random), draw_axis(random)},
                           random.one_in(2) ? 0 : 1 + random.below(3)};
    if (is_transposed) s.output_padding = random.below(static_cast<int>(std::min(s.window.y.stride, s.window.x.stride)));
    return fits(s.h, s.window.y, s.output_padding) && fits(s.w, s.window.x, s.output_padding) ? s : draw(random);
  }
  static index_t outputs(const parity::images_shape& s) { return s.channels; }
  static index_t depth(const parity::images_shape& s) { return s.window.y.kernel * s.window.x.kernel * s.c / s.groups; }

 private:
  static constexpr bool is_transposed = Kind == parity::kind::transposed;

  static bool fits(index_t inputs, const window1d& w, index_t padding) {
    return (is_transposed ? transposed_size(inputs, w, padding) : forward_size(inputs, w)) > 0;
  }
};

struct depthwise {
  template <class Backend, class X, class W, class Y, class Scheme>
  static auto runs() {
    return parity::depthwise_runs<parity::backends<Backend>, X, W, Y>{std::size_t{1} << 17};
  }
  static parity::depthwise_case draw(support::random_bits& random) {
    const parity::depthwise_case s{1 + random.below(2),
                                   1 + random.below(7),
                                   1 + random.below(random.one_in(4) ? 20 : 7),
                                   1 + random.below(random.one_in(4) ? 100 : 20),
                                   {draw_axis(random), draw_axis(random)},
                                   random.one_in(4) ? 1 + random.below(4) : 1};
    return forward_size(s.h, s.window.y) > 0 && forward_size(s.w, s.window.x) > 0 ? s : draw(random);
  }
  static index_t outputs(const parity::depthwise_case& s) { return s.channels * s.multiplier; }
  static index_t depth(const parity::depthwise_case& s) { return s.window.y.kernel * s.window.x.kernel; }
};

struct matmul {
  template <class Backend, class X, class W, class Y, class Scheme>
  static auto runs() {
    return parity::products<parity::backends<Backend>, X, W, per_channel_output<Y, Scheme>>{{3, 30, 110, 2600}};
  }
  static parity::matmul_shape draw(support::random_bits& random) {
    const parity::shape s = linear::draw(random);
    return {random.below(4), s.rows, s.channels, s.depth, random.one_in(2), random.one_in(2)};
  }
  static index_t outputs(const parity::matmul_shape& s) { return s.columns; }
  static index_t depth(const parity::matmul_shape& s) { return s.depth; }
};

template <class Kind, class Backend, class X, class W, class Y, class Scheme>
void random_layers(int count) {
  auto runs = Kind::template runs<Backend, X, W, Y, Scheme>();
  support::random_bits random;
  for (int i = 0; i < count; ++i) {
    const auto s = Kind::draw(random);
    parity::conditions c;
    c.x = static_cast<parity::values>(random.below(4));
    c.w = static_cast<parity::values>(random.below(4));
    c.zero.x = random.one_in(2) ? 0 : parity::element<X>(parity::values::random, random);
    c.zero.w = random.one_in(2) ? 0 : parity::element<W>(parity::values::random, random);
    c.bias_bits = random.below(sizeof(typename Scheme::accumulator) == 8 ? 48 : 32);
    c.at_end = random.one_in(2);
    c.gap = random.below(3);
    c.w_limit = random.one_in(2) ? 0 : 1 + random.below(7);
    parity::numbers<typename Scheme::multiplier_type> m(static_cast<std::size_t>(Kind::outputs(s)));
    for (auto& one : m) one = parity::fitting<Scheme, X, W, Y>(Kind::depth(s), random);
    runs.compare(s, c, per_channel_output<Y, Scheme>{m, range_of<Y>(random.below(5))});
  }
  runs.t.check();
}

/// Draws a million layers, divided among the backends of this machine and the operand types.
template <class Kind, class... Operands>
void on_each_backend() {
  int backends = 0;
  for_each_backend(
      [&](auto backend, bool runs_here) { backends += runs_here && !std::is_same_v<decltype(backend), backend::scalar>; });
  for_each_backend([&](auto backend, bool runs_here) {
    if constexpr (!std::is_same_v<decltype(backend), backend::scalar>) {
      constexpr int layers = 1'000'000 / DYADIC_TEST_DIVISOR / static_cast<int>(sizeof...(Operands));
      std::printf("%s%s\n", decltype(backend)::name, runs_here ? "" : ": this machine does not run it");
      std::fflush(stdout);
      if (runs_here) (Operands::template layers<Kind, decltype(backend)>(layers / backends), ...);
    }
  });
}

template <class X, class W, class Y, class Scheme>
struct operands {
  template <class Kind, class Backend>
  static void layers(int count) {
    random_layers<Kind, Backend, X, W, Y, Scheme>(count);
  }
};
using a16w8 = operands<std::int16_t, std::int8_t, std::int16_t, tosa::scale16>;
using a8w8 = operands<std::int8_t, std::int8_t, std::int8_t, tflite::double_rounding>;
using a16w16 = operands<std::int16_t, std::int16_t, std::int16_t, tosa::scale16>;
using a16w4 = operands<std::int16_t, int4, std::int16_t, tosa::scale16>;

}  // namespace

TEST_CASE("linear: a million random layers equal scalar", "[exhaustive]") { on_each_backend<linear, a16w8, a8w8, a16w4>(); }
TEST_CASE("matmul: a million random layers equal scalar", "[exhaustive]") { on_each_backend<matmul, a16w8, a8w8, a16w16>(); }
TEST_CASE("conv2d: a million random layers equal scalar", "[exhaustive]") {
  on_each_backend<windows<parity::kind::conv2d>, a16w8, a8w8>();
}
TEST_CASE("transposed_conv2d: a million random layers equal scalar", "[exhaustive]") {
  on_each_backend<windows<parity::kind::transposed>, a16w8, a8w8>();
}
TEST_CASE("depthwise: a million random layers equal scalar", "[exhaustive]") { on_each_backend<depthwise, a16w8, a8w8, a16w4>(); }
