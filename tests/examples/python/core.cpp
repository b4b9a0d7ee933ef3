// dyadic for Python: schemes by their names, layers and operators on numpy arrays, and the tools that compare rules. The best
// backend of the machine computes. The package in src/dyadic/ adds types, defaults and documentation, and makes all tensors
// images. Arrays are read and written in place.
#include <dyadic/compare.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/function.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/softmax_tables.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>
#include <dyadic/engine.hpp>
#include <dyadic/identify.hpp>
#include <dyadic/schemes.hpp>
#include <dyadic/witness.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <exception>
#include <string>
#include <tuple>
#include <vector>

namespace py = pybind11;
namespace q = dyadic;
using py::literals::operator""_a;
using q::element_type;
using std::int16_t, std::int32_t, std::int64_t, std::int8_t, std::uint8_t;

// The multiplier of any scheme as an element of a structured array. Schemes with a mantissa read the first two fields.
struct multiplier {
  int64_t mantissa;
  int32_t right_shift;
  double scale;
};

namespace {

struct error : std::runtime_error {
  explicit error(q::status s) : std::runtime_error{q::to_string(s)} {}
};
void require(q::status s) {
  if (s != q::status::ok) throw error(s);
}
template <class T>
T value_of(const q::result<T>& made) {
  require(made.status);
  return made.value;
}

// Arrays.

template <class T>
using array_of = py::array_t<T, py::array::c_style | py::array::forcecast>;
using multipliers = array_of<multiplier>;

element_type type_of(const py::dtype& type) {
  for (const auto t : {element_type::int8, element_type::uint8, element_type::int16, element_type::int32, element_type::int64})
    if (type.equal(py::dtype(q::to_string(t)))) return t;
  throw error(q::status::type_mismatch);
}
/// Describes the elements of an array as images. Refuses an array with gaps, or that is not images.
template <class View, class Data>
View images(const py::array& a, Data* data) {
  if (a.ndim() != 4 || (a.flags() & py::array::c_style) == 0) throw error(q::status::shape_mismatch);
  return {type_of(a.dtype()), data, a.shape(0), a.shape(1), a.shape(2), a.shape(3)};
}
q::any_input input(const py::array& a) { return images<q::any_input>(a, a.data()); }
q::any_output output(py::array& a) { return images<q::any_output>(a, a.mutable_data()); }

template <class T>
q::view<const T> view_of(const array_of<T>& a) {
  return {a.data(), a.size()};
}

/// The memory of a prepared layer or operator. Its words are aligned for any arena.
struct memory {
  std::vector<int64_t> words;
  q::view<unsigned char> of(q::index_t size) {
    words.resize(static_cast<std::size_t>(size / 8 + 1));
    void* const data = words.data();
    return {static_cast<unsigned char*>(data), static_cast<q::index_t>(8 * words.size())};
  }
};

/// Checks and runs a layer or an operator, while other threads of Python may run.
template <class Operator, class... Tensors>
void check_and_run(const Operator& op, const Tensors&... tensors) {
  require(q::check(op, tensors...));
  py::gil_scoped_release others_may_run;
  q::run(op, tensors...);
}

// Schemes.

/// Converts between the multiplier of Python and those of the library.
q::any_multiplier any_of(const multiplier& m) { return {m.mantissa, m.right_shift, q::binary64{m.scale}}; }
template <class M>
M typed(const q::any_multiplier& m) {
  if constexpr (std::is_same_v<M, q::onednn::scales>)
    return {q::narrow(m.scale), 1.0f, 1.0f};
  else if constexpr (std::is_same_v<M, q::binary64>)
    return m.scale;
  else if constexpr (std::is_same_v<M, q::binary32>)
    return q::narrow(m.scale);
  else
    return {static_cast<typename M::mantissa_type>(m.mantissa), m.right_shift};
}

/// A scheme, and what the library offers only for a scheme that the compiler knows.
struct scheme {
  q::any_scheme any;
  q::scheme_id id;
  int64_t (*piece)(int64_t acc, const q::any_multiplier&);  // the number of a piece on which the rule is monotone
  std::string (*steps)(int64_t acc, const q::any_multiplier&);

  q::any_rule rule(const multiplier& m) const { return value_of(any.with(any_of(m))); }
  py::array_t<multiplier> derive(const py::array_t<double, py::array::c_style | py::array::forcecast>& scales) const {
    py::array_t<multiplier> made(std::vector<py::ssize_t>(scales.shape(), scales.shape() + scales.ndim()));
    for (py::ssize_t i = 0; i < scales.size(); ++i) {
      const q::any_multiplier m = value_of(any.derive(q::binary64{scales.data()[i]})).multiplier();
      made.mutable_data()[i] = {m.mantissa, m.right_shift, m.scale.to_double()};
    }
    return made;
  }
  template <class Acc>
  int64_t rescale(Acc acc, multiplier m) const {
    const q::any_rule made = rule(m);
    if (!made.valid(acc)) throw error(q::status::accumulator_overflow);
    return made(acc);
  }
  template <class Acc, class Y>
  Y finish(Acc acc, multiplier m, int32_t zero_point, int32_t low, int32_t high) const {
    const q::any_rule made = rule(m);
    const q::output_range range{zero_point, low, high};
    require(q::check_range<Y>(range));
    if (!made.valid(acc)) throw error(q::status::accumulator_overflow);
    return static_cast<Y>(made(acc, range));
  }
  std::string explain(int64_t acc, const multipliers& m) const {
    if (!rule(m.at(0)).valid(acc)) throw error(q::status::accumulator_overflow);
    return steps(acc, any_of(m.at(0)));
  }
};

const std::vector<scheme>& schemes() {
  static const std::vector<scheme> all = [] {
    std::vector<scheme> made;
    q::all_schemes.each([&](auto named) {
      using S = typename decltype(named)::scheme;
      using M = typename S::multiplier_type;
      made.push_back({q::any_scheme{named}, q::scheme_id::of<S>(),
                      [](int64_t acc, const q::any_multiplier& m) { return q::monotone_on<S>(typed<M>(m), acc).low; },
                      [](int64_t acc, const q::any_multiplier& m) {
                        return std::string(
                            to_string(q::explain<S>(static_cast<typename S::accumulator>(acc), typed<M>(m))).c_str());
                      }});
    });
    return made;
  }();
  return all;
}

/// A scheme with a multiplier and a range: what `compare_rules` and `compare_thresholds` take.
struct rule {
  const scheme* of;
  q::any_rule any;
  q::output_range range;

  rule(const scheme& s, const multipliers& m, int32_t zero_point, int32_t low, int32_t high)
      : of{&s}, any{s.rule(m.at(0))}, range{zero_point, low, high} {}
  bool takes(int64_t acc) const noexcept {
    const int64_t half = int64_t{1} << (of->any.accumulator_bits() < 64 ? of->any.accumulator_bits() - 1 : 62);
    return acc >= -half && acc < half;
  }
  int64_t operator()(int64_t acc) const noexcept { return any(acc, range); }
  int64_t piece(int64_t acc) const noexcept { return takes(acc) ? of->piece(acc, any.multiplier()) : acc; }
};

q::difference differing_rules(const rule& a, const rule& b, int64_t low, int64_t high) {
  const auto found = q::compare_thresholds(a, b, q::interval{low, high});
  return found.status == q::status::not_monotone ? q::compare_rules(a, b, q::interval{low, high}) : value_of(found);
}
q::difference differing_arrays(const array_of<int64_t>& a, const array_of<int64_t>& b) {
  return value_of(q::compare_arrays(view_of(a), view_of(b)));
}
py::tuple as_tuple(q::sample s) { return py::make_tuple(s.acc, s.a, s.b); }

py::tuple identify(const array_of<int64_t>& accs, const multipliers& m, const array_of<int64_t>& outputs, int32_t zero_point,
                   int32_t low, int32_t high) {
  std::vector<q::any_multiplier> given;
  for (py::ssize_t i = 0; i < m.size(); ++i) given.push_back(any_of(m.data()[i]));
  const auto all = value_of(q::identify(view_of(accs), given, view_of(outputs), q::output_range{zero_point, low, high}));
  py::list remaining;
  for (const q::candidate& c : all.schemes)
    if (c.remains()) remaining.append(c.name);
  return py::make_tuple(remaining, to_string(all).c_str());
}

// Folds and layers.

/// Folds rows of weights with a bias. Calls use(X{}, W{}, weights, folded bias).
template <class Use>
auto with_fold(const py::array& weights, const array_of<int64_t>& bias, const py::dtype& x, int32_t x_zero_point,
               int32_t w_zero_point, py::array_t<int64_t>& constants, const Use& use) {
  const q::any_input v = input(weights);
  const auto fold = [&](auto of_x, auto of_w) {
    const auto w = v.matrix<const decltype(of_w)>();
    const q::view<int64_t> to(constants.mutable_data(), constants.size());
    return use(of_x, w, value_of(q::fold<decltype(of_x)>(w, view_of(bias), {x_zero_point, w_zero_point}, to)));
  };
  if (type_of(x) == element_type::int8 && v.type() == element_type::int8) return fold(int8_t{}, int8_t{});
  if (type_of(x) == element_type::int16 && v.type() == element_type::int8) return fold(int16_t{}, int8_t{});
  if (type_of(x) == element_type::uint8 && v.type() == element_type::uint8) return fold(uint8_t{}, uint8_t{});
  throw error(q::status::unknown_kind);
}

/// Returns the constants, and the lowest and the highest accumulator.
py::tuple fold(const py::array& weights, const array_of<int64_t>& bias, const py::dtype& x, int32_t x_zero_point,
               int32_t w_zero_point) {
  py::array_t<int64_t> constants(weights.shape(0));
  return with_fold(weights, bias, x, x_zero_point, w_zero_point, constants, [&](auto, auto, const auto& folded) {
    return py::make_tuple(constants, folded.record.bound.lowest, folded.record.bound.highest);
  });
}

/// Returns stored inputs that give one row of weights this accumulator.
py::array witness(const py::array& weights, const array_of<int64_t>& bias, const py::dtype& x, int32_t x_zero_point,
                  int32_t w_zero_point, int64_t acc) {
  py::array_t<int64_t> constants(weights.shape(0));
  return with_fold(weights, bias, x, x_zero_point, w_zero_point, constants,
                   [&](auto of_x, auto w, const auto& folded) -> py::array {
                     py::array_t<decltype(of_x)> inputs(w.cols());
                     const q::linear_layer layer{w, folded, q::raw_output<int64_t>{}};
                     require(q::find_witness(layer, 0, acc, q::view<decltype(of_x)>{inputs.mutable_data(), inputs.size()}));
                     return std::move(inputs);
                   });
}

// A linear layer, a convolution and a depthwise layer by types and scheme. Outputs without a scheme are sums.
#define LAYERS(...) \
  q::kind<q::op::linear, __VA_ARGS__>, q::kind<q::op::conv2d, __VA_ARGS__>, q::kind<q::op::depthwise, __VA_ARGS__>

const q::layer_kinds& layer_kinds() {
  static const auto kinds =
      q::best_layer_kinds<LAYERS(int8_t, int8_t, q::tflite::double_rounding), LAYERS(int8_t, int8_t, q::tosa::scale32),
                          LAYERS(int8_t, int8_t, q::xnnpack::fp32), LAYERS(int16_t, int8_t, q::tflite::reduced_int64),
                          LAYERS(int16_t, int8_t, q::tosa::scale16), LAYERS(uint8_t, uint8_t, q::tflite::double_rounding),
                          LAYERS(int8_t, int8_t, void, int32_t), LAYERS(int16_t, int8_t, void, int64_t),
                          LAYERS(uint8_t, uint8_t, void, int32_t)>();
  return kinds;
}

using axis = std::array<q::index_t, 5>;  // kernel, stride, dilation, padding before and after
q::window2d window_of(const axis& y, const axis& x) { return {{y[0], y[1], y[2], y[3], y[4]}, {x[0], x[1], x[2], x[3], x[4]}}; }

/// A prepared layer. It computes sums if the scheme is not linked for the backend.
class layer {
 public:
  layer(int op, py::array weights, const py::dtype& x, const py::dtype& y, const scheme* of, const multipliers& m,
        array_of<int64_t> bias, std::pair<int32_t, int32_t> zero, std::array<int32_t, 3> range, const axis& rows,
        const axis& cols, q::index_t groups)
      : weights_{std::move(weights)}, bias_{std::move(bias)} {
    const q::any_input w = input(weights_);  // OHWI, or 1HWO of a depthwise layer
    q::layer_spec spec;
    spec.op = static_cast<q::layer_op>(op);
    const bool is_depthwise = spec.op == q::layer_op::depthwise;
    spec.x = type_of(x);
    spec.w = w.type();
    spec.channels = is_depthwise ? w.shape().c() : w.shape().n();
    spec.depth = is_depthwise ? 1 : w.shape().c();
    spec.window = window_of(rows, cols);
    spec.groups = groups;
    spec.weights = w.data();
    spec.bias = view_of(bias_);
    spec.zero = {zero.first, zero.second};
    std::vector<int32_t> mantissas, shifts;
    std::vector<double> scales;
    for (py::ssize_t i = 0; i < m.size(); ++i) {
      of->rule(m.data()[i]);  // refuses a multiplier that the scheme does not take
      mantissas.push_back(static_cast<int32_t>(m.data()[i].mantissa));
      shifts.push_back(m.data()[i].right_shift);
      scales.push_back(m.data()[i].scale);
    }
    q::layer_spec scaled = spec;
    if (of != nullptr) {
      scaled.y = type_of(y);
      scaled.scheme = of->id;
      scaled.range = {range[0], range[1], range[2]};
      scaled.multipliers = q::view<const double>(scales);
      if (of->any.mantissa_bits() != 0)
        scaled.multipliers = {q::view<const int32_t>(mantissas), q::view<const int32_t>(shifts), q::shift_convention::right};
      is_scaled = layer_kinds().bytes(scaled).status != q::status::unknown_kind;
    }
    spec.y = spec.x == element_type::int16 ? element_type::int64 : element_type::int32;
    const q::layer_spec& used = is_scaled ? scaled : spec;
    layer_ = value_of(layer_kinds().prepare(used, memory_.of(value_of(layer_kinds().bytes(used)))));
  }

  bool is_scaled = false;
  std::vector<q::index_t> shape(const py::array& x) const {
    const auto y = q::output_of(layer_, input(x)).shape();
    return {y.n(), y.h(), y.w(), y.c()};
  }
  void run(const py::array& x, py::array y) const { check_and_run(layer_, input(x), output(y)); }

 private:
  py::array weights_;
  array_of<int64_t> bias_;
  memory memory_;
  q::any_layer layer_;
};

// Operators without weights.

template <class Rule>
struct named {
  const char* name;
};
struct operators {
  std::vector<std::pair<std::string, q::scheme_id>> ids;
  q::operator_kinds kinds;

  template <class... Rules>
  explicit operators(named<Rules>... all)
      : ids{{all.name, q::scheme_id::of<Rules>()}...}, kinds{q::best_operator_kinds<Rules...>()} {}
};
template <class X, class Rule>
using pool = q::average_output<X, Rule>;

const operators& linked() {
  static const operators all{named<q::tflite::add<int8_t>>{"tflite::add"},
                             named<q::tflite::add<uint8_t>>{"tflite::add"},
                             named<q::tflite::add<int16_t>>{"tflite::add"},
                             named<q::tflite::multiply<int8_t>>{"tflite::multiply"},
                             named<q::tflite::multiply<uint8_t>>{"tflite::multiply"},
                             named<q::tflite::multiply<int16_t>>{"tflite::multiply"},
                             named<q::executorch::cortex_m::add>{"executorch::cortex_m::add"},
                             named<q::executorch::cortex_m::multiply>{"executorch::cortex_m::multiply"},
                             named<q::executorch::arm::add<int8_t>>{"executorch::arm::add"},
                             named<q::executorch::arm::add<int16_t>>{"executorch::arm::add"},
                             named<q::executorch::arm::multiply<int8_t>>{"executorch::arm::multiply"},
                             named<q::executorch::arm::multiply<int16_t>>{"executorch::arm::multiply"},
                             named<q::xnnpack::add>{"xnnpack::add"},
                             named<q::xnnpack::multiply<int8_t>>{"xnnpack::multiply"},
                             named<pool<int8_t, q::tflite::average>>{"tflite::average"},
                             named<pool<uint8_t, q::tflite::average>>{"tflite::average"},
                             named<pool<int16_t, q::tflite::average>>{"tflite::average"},
                             named<pool<int8_t, q::cmsis_nn::average>>{"cmsis_nn::average"},
                             named<pool<int16_t, q::cmsis_nn::average>>{"cmsis_nn::average"},
                             named<pool<int8_t, q::onednn::average>>{"onednn::average"},
                             named<pool<int8_t, q::tosa::average>>{"tosa::average"},
                             named<q::tflite::softmax<int8_t>>{"tflite::softmax"},
                             named<q::tflite::softmax<int8_t, int16_t>>{"tflite::softmax"},
                             named<q::tflite::softmax<int16_t>>{"tflite::softmax"},
                             named<q::cmsis_nn::softmax<int16_t>>{"cmsis_nn::softmax"},
                             named<q::tosa::softmax<int8_t>>{"tosa::softmax"},
                             named<q::tflite::table<int8_t>>{"tflite::table"},
                             named<q::tflite::table<uint8_t>>{"tflite::table"},
                             named<q::tflite::table<int16_t>>{"tflite::table"},
                             named<q::tosa::table<int8_t>>{"tosa::table"}};
  return all;
}

/// Prepares and runs the rule that has this name and the types of the description.
template <class Spec, class... Inputs>
void compute(const std::string& name, Spec spec, py::array& y, const Inputs&... inputs) {
  for (const auto& [known, id] : linked().ids) {
    spec.rule = id;
    const auto size = linked().kinds.bytes(spec);
    if (name != known || size.status == q::status::unknown_kind) continue;
    memory m;
    return check_and_run(value_of(linked().kinds.prepare(spec, m.of(value_of(size)))), input(inputs)..., output(y));
  }
  throw error(q::status::unknown_kind);
}

void binary(const std::string& name, bool is_add, const py::array& a, const py::array& b, py::array y,
            std::array<double, 3> scales, std::array<int32_t, 2> zero, std::array<int32_t, 3> range) {
  const auto op = is_add ? q::operator_id::add : q::operator_id::multiply;
  compute(name,
          q::binary_spec{
              op, type_of(a.dtype()), {}, scales[0], zero[0], scales[1], zero[1], scales[2], {range[0], range[1], range[2]}},
          y, a, b);
}
void average_pool(const std::string& name, const py::array& x, py::array y, const axis& rows, const axis& cols,
                  bool counts_padding, int32_t zero, std::array<int32_t, 3> range) {
  const auto divisor = counts_padding ? q::averaged::window : q::averaged::inside;
  compute(name, q::pool_spec{type_of(x.dtype()), {}, window_of(rows, cols), divisor, zero, {range[0], range[1], range[2]}}, y, x);
}
void softmax(const std::string& name, const py::array& x, py::array y, double scale, double beta) {
  static const auto tables = q::tflite::make_softmax_tables();
  compute(name, q::softmax_spec{type_of(x.dtype()), type_of(y.dtype()), {}, scale, beta, &tables}, y, x);
}
void look_up(const std::string& name, const py::array& x, py::array y, const py::array& entries) {
  q::activation_spec spec;
  spec.x = type_of(x.dtype());
  spec.y = type_of(y.dtype());
  if (type_of(entries.dtype()) != spec.y) throw error(q::status::type_mismatch);
  spec.table = entries.data();
  spec.table_size = entries.size();
  compute(name, spec, y, x);
}

/// A function of Python, which `populate` calls. `populate` may not throw, so that an exception waits until it has returned.
struct python_function {
  const py::function& f;
  std::exception_ptr& thrown;
  q::binary32 operator()(q::binary32 x) const noexcept try {
    return thrown ? x : q::binary32{f(x.to_float()).cast<float>()};
  } catch (...) {
    thrown = std::current_exception();
    return x;
  }
};
template <class X>
py::array populate(bool is_arm, const py::function& f, double x_scale, int32_t x_zero, double y_scale, int32_t y_zero) {
  py::array_t<X> entries(q::table_size<X>);
  const q::view<X> to(entries.mutable_data(), entries.size());
  std::exception_ptr thrown;
  const python_function function{f, thrown};
  q::status s = q::status::unknown_kind;
  if (!is_arm) s = q::tflite::table<X>::populate(function, q::narrow(x_scale), x_zero, q::narrow(y_scale), y_zero, to);
  if constexpr (std::is_signed_v<X>)
    if (is_arm) s = q::executorch::arm::populate<X>(function, x_scale, x_zero, y_scale, y_zero, to);
  if (thrown) std::rethrow_exception(thrown);
  require(s);
  return std::move(entries);
}
template <class Function>
float in_binary32(float x) {
  return q::exact::in_binary32<Function>{}(x).to_float();
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  PYBIND11_NUMPY_DTYPE(multiplier, mantissa, right_shift, scale);
  py::register_exception<error>(m, "Error", PyExc_ValueError);
  py::class_<scheme>(m, "Scheme")
      .def_property_readonly("name", [](const scheme& s) { return s.any.name(); })
      .def_property_readonly("accumulator_bits", [](const scheme& s) { return s.any.accumulator_bits(); })
      .def_property_readonly("mantissa_bits", [](const scheme& s) { return s.any.mantissa_bits(); })
      .def("derive", &scheme::derive)
      .def("rescale_32", py::vectorize(&scheme::rescale<int32_t>))
      .def("rescale_64", py::vectorize(&scheme::rescale<int64_t>))
      .def("int8_32", py::vectorize(&scheme::finish<int32_t, int8_t>))
      .def("int8_64", py::vectorize(&scheme::finish<int64_t, int8_t>))
      .def("uint8_32", py::vectorize(&scheme::finish<int32_t, uint8_t>))
      .def("uint8_64", py::vectorize(&scheme::finish<int64_t, uint8_t>))
      .def("int16_32", py::vectorize(&scheme::finish<int32_t, int16_t>))
      .def("int16_64", py::vectorize(&scheme::finish<int64_t, int16_t>))
      .def("int32_32", py::vectorize(&scheme::finish<int32_t, int32_t>))
      .def("int32_64", py::vectorize(&scheme::finish<int64_t, int32_t>))
      .def("explain", &scheme::explain);
  py::class_<rule>(m, "Rule").def(py::init<const scheme&, const multipliers&, int32_t, int32_t, int32_t>(),
                                  py::keep_alive<1, 2>());
  py::class_<q::difference>(m, "Difference")
      .def_readonly("compared", &q::difference::compared)
      .def_readonly("differing", &q::difference::differing)
      .def_readonly("worst_distance", &q::difference::worst_distance)
      .def_property_readonly("first", [](const q::difference& d) { return as_tuple(d.first); })
      .def_property_readonly("worst", [](const q::difference& d) { return as_tuple(d.worst); })
      .def_property_readonly("smallest", [](const q::difference& d) { return as_tuple(d.smallest); })
      .def("__str__", [](const q::difference& d) { return std::string(to_string(d).c_str()); });
  py::class_<layer>(m, "Layer")
      .def(py::init<int, py::array, const py::dtype&, const py::dtype&, const scheme*, const multipliers&, array_of<int64_t>,
                    std::pair<int32_t, int32_t>, std::array<int32_t, 3>, const axis&, const axis&, q::index_t>())
      .def_readonly("is_scaled", &layer::is_scaled)
      .def("shape", &layer::shape)
      .def("run", &layer::run);
  m.def("schemes", &schemes, py::return_value_policy::reference);
  m.def("backend", [] { return value_of(q::best_backend()); });
  m.def("differing_rules", &differing_rules);
  m.def("differing_arrays", &differing_arrays);
  m.def("identify", &identify);
  m.def("fold", &fold);
  m.def("witness", &witness);
  m.def("binary", &binary);
  m.def("average_pool", &average_pool);
  m.def("softmax", &softmax);
  m.def("look_up", &look_up);
  m.def("populate_int8", &populate<int8_t>);
  m.def("populate_uint8", &populate<uint8_t>);
  m.def("populate_int16", &populate<int16_t>);
  m.def("exp", py::vectorize(&in_binary32<q::exact::exp>));
  m.def("sigmoid", py::vectorize(&in_binary32<q::exact::sigmoid>));
  m.def("tanh", py::vectorize(&in_binary32<q::exact::tanh>));
  m.def("erf", py::vectorize(&in_binary32<q::exact::erf>));
  m.def("gelu", py::vectorize(&in_binary32<q::exact::gelu>));
  m.def("reduce", py::vectorize([](int32_t mantissa) { return int64_t{q::tflite::reduce({mantissa, 31}).mantissa}; }));
  m.attr("multiplier") = py::dtype::of<multiplier>();
}
