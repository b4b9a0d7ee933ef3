#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/mean.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/table.hpp>
#include <dyadic/elementwise/tanh.hpp>
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
template <class Backend>
q::operator_kinds rules_of() {
  return q::operator_kinds_of<Backend, tfl::add<int8_t>, tfl::add<int16_t>, tfl::subtract<int8_t>, tfl::subtract<int16_t>,
                              tfl::multiply<int8_t>, tfl::multiply<int16_t>, q::average_output<int8_t, tfl::average>,
                              q::average_output<int16_t, tfl::average>, tfl::mean<int8_t>, tfl::mean<int16_t>, tfl::sum<int8_t>,
                              tfl::sum<int16_t>, tfl::softmax<int8_t>, tfl::softmax<int16_t>, tfl::sigmoid<int8_t>,
                              tfl::sigmoid<int16_t>, tfl::tanh<int8_t>, tfl::tanh<int16_t>, tfl::leaky_relu<int8_t>,
                              tfl::leaky_relu<int16_t>, tfl::hard_swish<int8_t>, tfl::table<int8_t>>();
}

}  // namespace

const std::vector<backend_kinds>& backends() {
  static const std::vector<backend_kinds> all = [] {
    std::vector<backend_kinds> found;
    q::for_each_backend<MODEL_BACKENDS>([&](auto backend, bool runs_here) {
      using one = decltype(backend);
      if (runs_here)
        found.push_back({one::name, layers_of<one, q::op::conv2d, q::op::depthwise, q::op::linear, q::op::transposed_conv2d>(),
                         rules_of<one>()});
    });
    return found;
  }();
  return all;
}

}  // namespace model
