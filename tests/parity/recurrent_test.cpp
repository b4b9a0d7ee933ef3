// LSTMs on each backend against the formulas of one unit, and against portable code.

#include <dyadic/elementwise/recurrent.hpp>

#include "each_backend.hpp"
#include "parity.hpp"

namespace {

using namespace parity;
using std::int16_t;
using std::int8_t;

/// Returns a multiplier of a real scale from 2^low to 2^(high + 1). Seldom returns one with a negative mantissa, or 0, or the
/// greatest right shift.
template <class Scheme>
q::multiplier32 multiplier(support::random_bits& random, int low, int high) {
  q::multiplier32 m{static_cast<std::int32_t>(random.one_in(4) ? 1 << 30 : random.between(1 << 30, q::int32_max)),
                    30 - static_cast<std::int32_t>(random.between(low, high))};
  const int kind = random.below(20);
  if (kind == 0) m.mantissa = 0;
  if (kind == 1) m.right_shift = 62;
  if constexpr (sizeof(typename Scheme::multiplier_type::mantissa_type) == 4)
    if (kind == 2 && Scheme::valid({-m.mantissa, m.right_shift})) m.mantissa = -m.mantissa;
  return m;
}

/// Returns an accumulator: around the ends of int16 after a rescale, at the ends of its type, or of random length.
template <class Accumulator>
Accumulator accumulator(support::random_bits& random) {
  constexpr int bits = sizeof(Accumulator) == 4 ? 31 : 47;
  const std::int64_t end = (std::int64_t{1} << bits) - 1;
  const int kind = random.below(8);
  if (kind == 0) return static_cast<Accumulator>(random.one_in(2) ? end : -end - 1);
  return static_cast<Accumulator>(kind == 1 ? random.between(-end, end) : random.integer(bits));
}
int16_t value(support::random_bits& random) {
  const int kind = random.below(5);
  if (kind == 0) return random.one_in(2) ? -32768 : 32767;
  return static_cast<int16_t>(kind == 1 ? random.integer(15) : random.between(-32768, 32767));
}

/// A rule with small and large multipliers. The sums of int16 activations have 48 bits, and mantissas of 15 bits.
template <class Rule>
Rule drawn_rule(support::random_bits& random) {
  constexpr bool is_int16 = sizeof(typename Rule::value_type) == 2;
  using X = typename Rule::value_type;
  using scheme = typename Rule::scheme;
  using product = typename Rule::product_scheme;
  Rule rule{};
  const bool is_far = random.one_in(2);  // gates have large right shifts, whose formula is shorter
  for (q::gate_multipliers& m : rule.gates) {
    const auto draw = [&] { return multiplier<product>(random, -18, is_int16 || !is_far ? 2 : -3); };
    m = {draw(), draw()};
  }
  rule.forget = random.one_in(2) ? q::multiplier32{1 << 30, 45} : multiplier<scheme>(random, -17, random.one_in(2) ? 0 : -13);
  rule.input = multiplier<scheme>(random, -20, random.one_in(4) ? 0 : -10);
  rule.output = multiplier<scheme>(random, is_int16 ? -17 : -25, random.one_in(4) ? 0 : -12);
  rule.zero_point = static_cast<std::int32_t>(random.between(q::limits<X>::min, q::limits<X>::max));
  const std::int32_t clips[] = {0, 1, 100, 32766, 32767, 32768};
  rule.cell_clip = random.one_in(3) ? static_cast<std::int32_t>(random.between(0, 32768)) : clips[random.below(6)];
  rule.cell_scale_power = random.one_in(3) ? -12 : static_cast<std::int32_t>(random.between(-43, 2));
  rule.cell_activation = random.one_in(4) ? q::operator_id::sigmoid : q::operator_id::tanh;
  return rule;
}

[[maybe_unused]] std::string place(const char* backend, const char* of, q::index_t i, q::index_t units) {
  return std::string(backend) + ", " + of + " " + std::to_string(i) + " of " + std::to_string(units);
}

/// Compares the gates, cells and outputs of blocks of each size with the formulas of one unit. The cells and the outputs lie at
/// either end of guarded memory.
template <class Backend, class Rule>
void compare_blocks() {
  using X = typename Rule::value_type;
  constexpr q::index_t size = q::detail::lstm_gates::size;
  support::random_bits random;
  tally gates, cells, outputs;
  guarded<int16_t> memory_of_cells(static_cast<std::size_t>(size));
  guarded<X> memory_of_outputs(static_cast<std::size_t>(size));
  for (int sample = 0; sample < support::samples(400); ++sample) {
    const Rule rule = drawn_rule<Rule>(random);
    const q::index_t units = 1 + sample % size;
    q::detail::lstm_sums<Rule> sums;
    q::detail::lstm_gates all, expected;
    for (q::index_t g = 0; g < 4; ++g) {
      for (auto& sum : sums.x) sum = accumulator<typename Rule::accumulator>(random);
      for (auto& sum : sums.h) sum = accumulator<typename Rule::accumulator>(random);
      q::kernel<Backend, q::op::lstm>::run(rule, sums, g, all.at[g] + 0, units);
      for (q::index_t i = 0; i < units; ++i) expected.at[g][i] = rule.gate(sums.x[i], sums.h[i], g);
      gates.add(all.at[g], expected.at[g], units, [&](q::index_t i) { return place(Backend::name, "unit", i, units); });
    }
    for (auto& gate : all.at)
      for (int16_t& one : gate) one = random.one_in(2) ? one : value(random);
    int16_t* const c = memory_of_cells.at(sample % 2 == 0, static_cast<std::size_t>(units));
    X* const y = memory_of_outputs.at(sample % 2 == 0, static_cast<std::size_t>(units));
    int16_t expected_cells[size];
    X expected_outputs[size];
    for (q::index_t i = 0; i < units; ++i) {
      c[i] = value(random);
      expected_cells[i] = rule.cell(c[i], all.at[0][i], all.at[1][i], all.at[2][i]);
      expected_outputs[i] = rule.hidden(expected_cells[i], all.at[3][i]);
    }
    q::kernel<Backend, q::op::lstm>::run(rule, all, c, y, units);
    cells.add(c, expected_cells, units, [&](q::index_t i) { return place(Backend::name, "cell", i, units); });
    outputs.add(y, expected_outputs, units, [&](q::index_t i) { return place(Backend::name, "output", i, units); });
  }
  gates.check();
  cells.check();
  outputs.check();
}

/// Compares steps of whole layers with portable code.
template <class Backend, class Rule>
void compare_layers() {
  using X = typename Rule::value_type;
  using accumulator_type = typename Rule::accumulator;
  support::random_bits random;
  tally outputs, cells;
  for (const q::index_t units : {1, 7, 8, 9, 31, 32, 33, 129}) {
    if (has_little_memory && units > 33) continue;
    const q::index_t inputs = 5, steps = 3;
    q::recurrent_layer<Rule> layer{};
    layer.rule = drawn_rule<Rule>(random);
    for (auto& m : layer.rule.gates) m.input.right_shift = m.hidden.right_shift = sizeof(X) == 1 ? 31 : 40;
    layer.rule.forget = {1 << 30, 45};
    layer.rule.input = {1 << 30, 48};
    layer.rule.output = {1 << 30, sizeof(X) == 1 ? 52 : 45};
    numbers<int8_t> weights(static_cast<std::size_t>((units + inputs) * (units + 4)));
    for (int8_t& w : weights) w = static_cast<int8_t>(random());
    numbers<accumulator_type> constants[8];
    for (std::size_t g = 0; g < 4; ++g) {
      const auto folded = [&](const int8_t* from, q::index_t depth, std::int32_t zero, numbers<accumulator_type>& to) {
        to.resize(static_cast<std::size_t>(units));
        const q::matrix_view<const int8_t> view(from, units, depth);
        return q::folded_weights<int8_t, accumulator_type>{view, q::fold<X>(view, q::no_bias{}, {zero, 0}, to).value};
      };
      layer.gates[g].input = folded(weights.data() + g, inputs, 1, constants[2 * g]);
      layer.gates[g].hidden = folded(weights.data() + 3 * g, units, layer.rule.zero_point, constants[2 * g + 1]);
    }
    numbers<X> x(static_cast<std::size_t>(steps * inputs)), h[2], y[2];
    for (X& one : x) one = static_cast<X>(random());
    numbers<int16_t> c[2];
    h[0].resize(static_cast<std::size_t>(units));
    c[0].resize(static_cast<std::size_t>(units));
    for (X& one : h[0]) one = static_cast<X>(random());
    for (int16_t& one : c[0]) one = value(random);
    h[1] = h[0], c[1] = c[0];
    const auto run = [&](auto backend, std::size_t i) {
      y[i].resize(static_cast<std::size_t>(steps * units));
      const q::batch_view<const X> in(x.data(), steps, 1, inputs);
      const q::batch_view<X> out(y[i].data(), steps, 1, units);
      const q::recurrent_state<X> state{{h[i].data(), 1, units}, {c[i].data(), 1, units}};
      require_runs(check(layer, q::sequence_order::time_major, in, state, out));
      q::run<decltype(backend)>(layer, q::sequence_order::time_major, in, state, out);
    };
    run(Backend{}, 0);
    run(q::backend::scalar{}, 1);
    outputs.add(y[0].data(), y[1].data(), steps * units, [&](q::index_t i) { return place(Backend::name, "y", i, units); });
    outputs.add(h[0].data(), h[1].data(), units, [&](q::index_t i) { return place(Backend::name, "h", i, units); });
    cells.add(c[0].data(), c[1].data(), units, [&](q::index_t i) { return place(Backend::name, "c", i, units); });
  }
  outputs.check();
  cells.check();
}

template <class Rule>
void compare_rule() {
  each_backend([](auto backend) {
    compare_blocks<decltype(backend), Rule>();
    compare_layers<decltype(backend), Rule>();
  });
}

}  // namespace

TEST_CASE("recurrent: blocks and layers of TFLM's LSTM equal portable code", "[parity]") {
  compare_rule<q::tflite::lstm<int8_t>>();
  compare_rule<q::tflite::lstm<int8_t, q::tflite::single_rounding>>();
  compare_rule<q::tflite::lstm<int16_t>>();
}
TEST_CASE("recurrent: blocks and layers of CMSIS-NN's LSTM equal portable code", "[parity]") {
  compare_rule<q::cmsis_nn::lstm<int8_t>>();
  compare_rule<q::cmsis_nn::lstm<int16_t, q::cmsis_nn::single_rounding>>();
}
