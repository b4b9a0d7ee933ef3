// A million random layers, small ones and now and then a deep one, on each backend of this machine.

#include <dyadic/cpu.hpp>

#include "linear_parity.hpp"

namespace {

using namespace dyadic;

constexpr int layers = 1'000'000 / DYADIC_TEST_DIVISOR;

template <class Backend, class X, class W, class Y, class Scheme>
void random_layers(int count) {
  parity::linear_runs<Backend, X, W, Y> runs{{30, 110, 2600}};
  support::random_bits random;
  for (int i = 0; i < count; ++i) {
    const bool deep = random.one_in(100);
    const parity::shape s{random.below(random.one_in(4) ? 30 : 5) + 1, random.below(random.one_in(4) ? 110 : 20) + 1,
                          random.below(deep ? 2600 : 40)};
    parity::conditions c;
    c.x = static_cast<parity::values>(random.below(4));
    c.w = static_cast<parity::values>(random.below(4));
    c.zero.x = random.one_in(2) ? 0 : parity::element<X>(parity::values::random, random);
    c.zero.w = random.one_in(2) ? 0 : parity::element<W>(parity::values::random, random);
    c.bias_bits = random.below(sizeof(typename Scheme::accumulator) == 8 ? 48 : 32);
    c.at_end = random.one_in(2);
    c.gap = random.below(3);
    c.w_limit = random.one_in(2) ? 0 : 1 + random.below(7);
    parity::numbers<typename Scheme::multiplier_type> m(static_cast<std::size_t>(s.channels));
    for (auto& one : m) one = parity::fitting<Scheme, X, W, Y>(s.depth, random);
    runs.compare(s, c, channel_output<Y, Scheme>{m, range_of<Y>(random.below(5))});
  }
  runs.t.check();
}

template <class Backend>
void random_layers() {
  random_layers<Backend, std::int16_t, std::int8_t, std::int16_t, tosa::scale16>(layers / 9);
  random_layers<Backend, std::int8_t, std::int8_t, std::int8_t, tflite::double_rounding>(layers / 9);
  random_layers<Backend, std::int16_t, int4, std::int16_t, tosa::scale16>(layers / 9);
}

}  // namespace

TEST_CASE("linear: a million random layers equal scalar", "[exhaustive]") {
  for_each_backend([](auto backend, bool runs_here) {
    if constexpr (!std::is_same_v<decltype(backend), backend::scalar>)
      if (runs_here) random_layers<decltype(backend)>();
  });
}
