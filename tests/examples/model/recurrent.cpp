#include <memory>

#include "program.hpp"
#include "reader.hpp"

namespace model {
namespace {

template <class Rule, class X = typename Rule::value_type>
void run_lstm(const q::recurrent_layer<Rule>& layer, q::sequence_order order, q::batch_view<const X> x,
              const q::recurrent_state<X>& state, q::batch_view<X> y) {
  run(layer, order, x, state, y);
}
template <class Rule>
void run_svdf(const q::svdf_layer<Rule>& layer, q::matrix_view<const std::int8_t> x,
              q::matrix_view<typename Rule::state_type> state, q::matrix_view<std::int8_t> y) {
  run(layer, x, state, y);
}

/// Recurrent layers. Their states are variable tensors.
struct recurrent_reader : reader {
  /// Returns a state, which the operator writes.
  template <class T>
  static T* state(const q::any_input& of) {
    return static_cast<T*>(const_cast<void*>(of.data()));
  }
  /// Returns the preparation for another engine, or nothing if its rule refuses the numbers.
  template <class Make>
  static preparation if_possible(const Make& make) {
    try {
      return make();
    } catch (const refused&) {
      return {};
    }
  }
  /// Requires that an input is a state of this type and this shape.
  void require_state(std::size_t i, element_type type, const std::vector<q::index_t>& shape) const {
    require(has(i) && in(i).is_variable && !in(i).is_constant() && in(i).element == type && in(i).shape == shape,
            "input " + std::to_string(i) + " is not a state of the right type and shape");
  }
  /// Returns the weights of an input: a constant matrix with this number of columns, one scale and no zero point.
  template <class W>
  q::matrix_view<const W> matrix(std::size_t i, q::index_t columns) const {
    require(has(i) && in(i).is_constant() && in(i).element == q::element_type_of<W>() && in(i).shape.size() == 2 &&
                in(i).shape[1] == columns && zero_point(in(i)) == 0,
            "input " + std::to_string(i) + " is not a constant matrix that fits, without a zero point");
    return {in(i).as<W>(), in(i).shape[0], columns};
  }
  /// Returns weights with a folded bias, whose constants are appended. The vector has room for them.
  template <class X, class W, class Sum, class Bias>
  q::folded_weights<W, Sum> folded(q::matrix_view<const W> w, const Bias& bias, std::int32_t zero,
                                   std::vector<Sum>& constants) const {
    constants.resize(constants.size() + static_cast<std::size_t>(w.rows()));
    const q::view<Sum> into(constants.data() + constants.size() - w.rows(), w.rows());
    return {w, value_of(q::fold<X>(w, bias, {zero, 0}, into), "bias")};
  }
  template <class Sum>
  q::view<const Sum> bias(std::size_t i, q::index_t channels) const {
    require(has(i) && in(i).is_constant() && in(i).element == q::element_type_of<Sum>() && in(i).count == channels,
            "input " + std::to_string(i) + " is not a constant bias for each unit");
    return {in(i).as<Sum>(), channels};
  }
  void lstm() {
    const auto& o = options<tflite::UnidirectionalSequenceLSTMOptions>();
    require(op.inputs.size() >= 20 && op.outputs.size() == 1 && has(0), "not 20 inputs and one output");
    for (const std::size_t i : {9u, 10u, 11u, 16u, 17u, 20u, 21u, 22u, 23u})
      require(!has(i), "a peephole, a projection or a layer norm");
    require(o.fused() == tflite::Activation_TANH && !o.diagonal_recurrent_tensors(), "an activation that is not TANH");
    for (const std::size_t i : {0u, 18u, 19u}) reads(i, one_row(in(i)));
    finish(activations() == element_type::int8 ? lstm<std::int8_t>(o) : lstm<std::int16_t>(o), one_row(out()));
  }
  template <class X>
  typed_spec lstm(const tflite::UnidirectionalSequenceLSTMOptions& o) const {
    return {lstm_by<q::tflite::lstm<X>>(o), false,
            if_possible([&] { return lstm_by<q::tflite::lstm<X, q::tflite::single_rounding>>(o); }),
            if_possible([&] { return lstm_by<q::cmsis_nn::lstm<X>>(o); })};
  }
  /// TFLite's rule runs on the backend, those of other engines run on any.
  template <class Rule>
  preparation lstm_by(const tflite::UnidirectionalSequenceLSTMOptions& o) const {
    using X = typename Rule::value_type;
    using sum = typename Rule::accumulator;
    struct parts {
      q::recurrent_layer<Rule> layer;
      std::vector<sum> constants;
    };
    const auto &x = in(0).shape, &y = out().shape;
    require(x.size() == 3 && y.size() == 3 && x[0] == y[0] && x[1] == y[1], "not as many steps of y as of x");
    const q::index_t steps_of_x = x[0], rows_of_x = x[1], depth = x[2], units = y[2];
    const auto order = o.time_major() ? q::sequence_order::time_major : q::sequence_order::batch_major;
    const q::index_t batch = o.time_major() ? x[1] : x[0];
    require_state(18, q::element_type_of<X>(), {batch, units});
    require_state(19, element_type::int16, {batch, units});
    require(zero_point(in(19)) == 0, "a cell with a zero point");
    const auto made = std::make_shared<parts>();
    made->constants.reserve(8 * static_cast<std::size_t>(matrix<std::int8_t>(1, depth).rows()));
    q::lstm_scales scales{q::narrow(scale(in(0))), q::narrow(scale(in(18))), q::narrow(scale(in(19))), {}, {}, o.cell_clip()};
    for (std::size_t g = 0; g < 4; ++g) {
      const auto w = matrix<std::int8_t>(1 + g, depth), u = matrix<std::int8_t>(5 + g, units);
      require(w.rows() == units && u.rows() == units, "weights that do not fit the units");
      scales.input_weights[g] = q::narrow(scale(in(1 + g)));
      scales.hidden_weights[g] = q::narrow(scale(in(5 + g)));
      made->layer.gates[g] = {folded<X>(w, bias<sum>(12 + g, units), zero_point(in(0)), made->constants),
                              folded<X>(u, q::no_bias{}, zero_point(in(18)), made->constants)};
    }
    const auto derived = Rule::derive(scales, zero_point(in(18)));
    require(q::may_run(derived.status), q::to_string(derived.status));
    made->layer.rule = derived.value;
    return [=](const backend_kinds& kinds, const operands& all, const q::any_output& to_y, q::status& s) {
      const q::batch_view<const X> from(static_cast<const X*>(all[0].data()), steps_of_x, rows_of_x, depth);
      const q::batch_view<X> into(static_cast<X*>(to_y.data()), steps_of_x, rows_of_x, units);
      const q::recurrent_state<X> states{{state<X>(all[1]), batch, units}, {state<std::int16_t>(all[2]), batch, units}};
      s = check(made->layer, order, from, states, into);
      auto run = &run_lstm<Rule>;
      if constexpr (std::is_same_v<Rule, q::tflite::lstm<X>>) run = std::get<lstm_run<X>>(kinds.recurrent);
      return [=] { run(made->layer, order, from, states, into); };
    };
  }
  void svdf() {
    require_tensors(5, 5);
    require(in(2).element == element_type::int8 || in(2).element == element_type::int16,
            "weights of time that are not INT8 or INT16");
    for (const std::size_t i : {0u, 4u}) reads(i, one_row(in(i)));
    finish(in(2).element == element_type::int8 ? svdf<std::int8_t>() : svdf<std::int16_t>(), one_row(out()));
  }
  template <class State>
  typed_spec svdf() const {
    return {svdf_by<q::tflite::svdf<State>>(), false,
            if_possible([&] { return svdf_by<q::tflite::svdf<State, q::tflite::single_rounding>>(); }),
            if_possible([&] { return svdf_by<q::cmsis_nn::svdf<State>>(); })};
  }
  template <class Rule>
  preparation svdf_by() const {
    using State = typename Rule::state_type;
    struct parts {
      q::svdf_layer<Rule> layer;
      std::vector<std::int32_t> constants;
    };
    const auto& o = options<tflite::SVDFOptions>();
    require(activations() == element_type::int8 && o.fused() == tflite::Activation_RELU && o.rank() > 0,
            "not int8, or a rank or an activation that TFLite refuses");
    require(in(0).shape.size() == 2 && out().shape.size() == 2 && in(2).shape.size() == 2, "not matrices");
    const q::index_t batch = in(0).shape[0], depth = in(0).shape[1], units = out().shape[1];
    const auto feature = matrix<std::int8_t>(1, depth);
    const auto time = matrix<State>(2, in(2).shape[1]);
    require(time.rows() == feature.rows() && feature.rows() == units * o.rank() && units > 0,
            "weights that do not fit the units");
    const q::index_t entries = time.rows() * time.cols();
    require_state(4, q::element_type_of<State>(), {batch, entries});
    const auto made = std::make_shared<parts>();
    made->constants.reserve(static_cast<std::size_t>(feature.rows() + units));
    const auto rule = Rule::derive(q::narrow(scale(in(0))), q::narrow(scale(in(1))), q::narrow(scale(in(4))), zero_point(in(4)),
                                   q::narrow(scale(in(2))), q::narrow(scale(out())), range(tflite::Activation_NONE));
    made->layer = {value_of(rule, "scales"), folded<std::int8_t>(feature, q::no_bias{}, zero_point(in(0)), made->constants),
                   folded<State>(q::matrix_view<const State>(time.data(), units, entries / units), bias<std::int32_t>(3, units),
                                 zero_point(in(4)), made->constants)};
    return [=](const backend_kinds& kinds, const operands& all, const q::any_output& to_y, q::status& s) {
      const q::matrix_view<const std::int8_t> from(static_cast<const std::int8_t*>(all[0].data()), batch, depth);
      const q::matrix_view<std::int8_t> into(static_cast<std::int8_t*>(to_y.data()), batch, units);
      const q::matrix_view<State> states(state<State>(all[1]), batch, entries);
      s = check(made->layer, from, states, into);
      auto run = &run_svdf<Rule>;
      if constexpr (std::is_same_v<Rule, q::tflite::svdf<State>>) run = std::get<svdf_run<State>>(kinds.recurrent);
      return [=] { run(made->layer, from, states, into); };
    };
  }
};

}  // namespace

void lstm(reader& r) { recurrent_reader{r}.lstm(); }
void svdf(reader& r) { recurrent_reader{r}.svdf(); }

}  // namespace model
