#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/comparison.hpp>
#include <dyadic/elementwise/divide.hpp>
#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/log_softmax.hpp>
#include <dyadic/elementwise/mean.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/norm.hpp>
#include <dyadic/elementwise/pool.hpp>
#include <dyadic/elementwise/prelu.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/resize.hpp>
#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/squared_difference.hpp>
#include <dyadic/elementwise/table.hpp>
#include <dyadic/elementwise/tanh.hpp>
#include <dyadic/elementwise/unary.hpp>
#include <dyadic/engine.hpp>
#include <dyadic/scheme/tflite.hpp>

#include "program.hpp"

#ifndef MODEL_BACKENDS
#define MODEL_BACKENDS
#endif

namespace model {
namespace {

namespace tfl = q::tflite;
using std::int16_t;
using std::int8_t;

template <class Backend, class... Ops>
q::layer_kinds layers_of() {
  return q::layer_kinds_of<Backend, q::kind<Ops, int8_t, int8_t, tfl::double_rounding>...,
                           q::kind<Ops, int16_t, int8_t, tfl::reduced_int64>...,
                           q::kind<Ops, int16_t, int8_t, tfl::double_rounding>...>();
}
using q::operator_id;
using std::int32_t;
using std::uint8_t;

template <class Backend>
q::operator_kinds rules_of() {
  return q::operator_kinds_of<
      Backend, tfl::add<int8_t>, tfl::add<int16_t>, tfl::subtract<int8_t>, tfl::subtract<int16_t>, tfl::multiply<int8_t>,
      tfl::multiply<int16_t>, tfl::divide<int8_t>, tfl::divide<int16_t>, tfl::squared_difference<int8_t>,
      tfl::squared_difference<int16_t>, tfl::prelu<int8_t>, tfl::prelu<int16_t>, q::maximum<int8_t>, q::maximum<int16_t>,
      q::minimum<int8_t>, q::minimum<int16_t>, tfl::compare<int8_t, operator_id::equal>,
      tfl::compare<int8_t, operator_id::not_equal>, tfl::compare<int8_t, operator_id::greater>,
      tfl::compare<int8_t, operator_id::greater_equal>, tfl::compare<int8_t, operator_id::less>,
      tfl::compare<int8_t, operator_id::less_equal>, q::average_output<int8_t, tfl::average>,
      q::average_output<int16_t, tfl::average>, q::pool_layer<q::maximum<int8_t>>, q::pool_layer<q::maximum<int16_t>>,
      tfl::mean<int8_t>, tfl::mean<int16_t>, tfl::sum<int8_t>, tfl::sum<int16_t>, q::extreme_layer<q::maximum<int8_t>>,
      q::extreme_layer<q::maximum<int16_t>>, q::extreme_layer<q::minimum<int8_t>>, q::extreme_layer<q::minimum<int16_t>>,
      tfl::softmax<int8_t>, tfl::softmax<int8_t, int16_t>, tfl::softmax<int16_t>, tfl::log_softmax<>, tfl::l2_norm<>,
      tfl::sigmoid<int8_t>, tfl::sigmoid<int16_t>, tfl::tanh<int8_t>, tfl::tanh<int16_t>, tfl::leaky_relu<int8_t>,
      tfl::leaky_relu<int16_t>, tfl::hard_swish<int8_t>, tfl::table<int8_t>, tfl::abs<int8_t>, tfl::abs<int16_t>, tfl::rsqrt<>,
      q::litert::negate<int8_t>, q::litert::negate<int16_t>, q::litert::sqrt<int8_t>, q::litert::sqrt<int16_t>,
      tfl::resize_bilinear<int8_t>, tfl::resize_bilinear<int16_t>, tfl::resize_nearest<int8_t>, tfl::resize_nearest<int16_t>,
      tfl::requantize<int8_t, int8_t>, tfl::requantize<int8_t, uint8_t>, tfl::requantize<int8_t, int16_t>,
      tfl::requantize<int8_t, int32_t>, tfl::requantize<uint8_t, int8_t>, tfl::requantize<uint8_t, uint8_t>,
      tfl::requantize<int16_t, int8_t>, tfl::requantize<int16_t, int16_t>, tfl::requantize<int16_t, int32_t>,
      tfl::requantize<int32_t, int8_t>, tfl::requantize<int32_t, int16_t>>();
}
/// Runs a layer of any type on a backend.
template <class Backend, class... All>
void run_on(All... all) {
  q::run<Backend>(all...);
}

}  // namespace

const std::vector<backend_kinds>& backends() {
  static const std::vector<backend_kinds> all = [] {
    std::vector<backend_kinds> found;
    q::for_each_backend<MODEL_BACKENDS>([&](auto backend, bool runs_here) {
      using one = decltype(backend);
      if (runs_here)
        found.push_back({one::name,
                         layers_of<one, q::op::conv2d, q::op::depthwise, q::op::linear, q::op::transposed_conv2d>(),
                         rules_of<one>(),
                         {run_on<one>, run_on<one>, run_on<one>, run_on<one>}});
    });
    return found;
  }();
  return all;
}

}  // namespace model
