#include "levels.hpp"

#include "../support/catch.hpp"

namespace {

using namespace dyadic;

static_assert(!optimizes_for_size);

/// Tests a layer whose products are all different, so that a kernel that reads the weights in another order gives other sums.
template <class X>
void runs_at_either_level() {
  constexpr index_t depth = 23;
  constexpr index_t channels = 11;
  X x[depth];
  std::int8_t w[channels][depth];
  for (index_t k = 0; k < depth; ++k) x[k] = static_cast<X>(k * k % 127 - 60);
  for (index_t o = 0; o < channels; ++o)
    for (index_t k = 0; k < depth; ++k) w[o][k] = static_cast<std::int8_t>((7 * o + 11 * k) % 251 - 125);
  levels::value<X> constants[channels] = {};
  std::int8_t storage[packed_size<levels::backend, X, std::int8_t>(channels, depth)] = {};
  const matrix_view<const std::int8_t> weights{w[0], channels, depth};
  const auto folded = fold<X>(weights, no_bias{}, {}, constants);
  const auto packed = pack<levels::backend, X>(weights, storage);
  REQUIRE((folded.status == status::ok && packed.status == status::ok));
  const levels::linear_layer<X> layer{packed.value, folded.value, {}};
  levels::value<X> small[channels] = {};
  levels::value<X> fast[channels] = {};
  levels::run_small(layer, {x, 1, depth}, {small, 1, channels});
  run(layer, matrix_view<const X>{x, 1, depth}, matrix_view<levels::value<X>>{fast, 1, channels});
  for (index_t o = 0; o < channels; ++o) {
    std::int64_t sum = 0;
    for (index_t k = 0; k < depth; ++k) sum += x[k] * w[o][k];
    INFO("channel " << o);
    CHECK(small[o] == sum);
    CHECK(fast[o] == sum);
  }
}

}  // namespace

TEST_CASE("levels: weights packed at one optimization level run at another", "[parity]") {
  runs_at_either_level<std::int16_t>();
  runs_at_either_level<std::int8_t>();
}
