// XNNPACK: operators of int8, requantized in binary32.

#include "peers.hpp"

#include <xnnpack.h>

#include <limits>
#include <memory>

namespace bench {
namespace {

struct xnnpack_operator {
  explicit xnnpack_operator(const peer_layer& l) : x(l.x, l.x + l.pixels() * l.inputs), y(l.pixels() * l.outputs) {
    x.resize(x.size() + XNN_EXTRA_BYTES);  // It may read so far.
    constexpr std::int8_t least = std::numeric_limits<std::int8_t>::min();
    constexpr std::int8_t most = std::numeric_limits<std::int8_t>::max();
    if (xnn_initialize(nullptr) != xnn_status_success) return;
    xnn_status status;
    if (l.op == peer_layer::linear) {
      status = xnn_create_fully_connected_nc_qs8(l.inputs, l.outputs, l.inputs, l.outputs, l.x_zero, l.scale, 1.0f, l.weights,
                                                 l.bias, l.y_zero, 1.0f, least, most, 0, &op);
      if (status != xnn_status_success) return;
      status = xnn_setup_fully_connected_nc_qs8(op, l.pixels(), x.data(), y.data(), nullptr);
    } else {
      const bool depthwise = l.op == peer_layer::depthwise;
      const auto groups = static_cast<std::uint32_t>(depthwise ? l.inputs : 1);
      const auto kernel = static_cast<std::uint32_t>(l.kernel);
      const std::uint32_t pad = kernel / 2;
      status =
          xnn_create_convolution2d_nhwc_qs8(pad, pad, pad, pad, kernel, kernel, 1, 1, 1, 1, groups, l.inputs / groups,
                                            l.outputs / groups, l.inputs, l.outputs, l.x_zero, l.scale, 1.0f, l.weights, l.bias,
                                            l.y_zero, 1.0f, least, most, depthwise ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0, &op);
      if (status != xnn_status_success) return;
      status = xnn_setup_convolution2d_nhwc_qs8(op, 1, l.height, l.width, x.data(), y.data(), nullptr);
    }
    ready = status == xnn_status_success;
  }
  xnnpack_operator(const xnnpack_operator&) = delete;
  xnnpack_operator& operator=(const xnnpack_operator&) = delete;
  ~xnnpack_operator() { xnn_delete_operator(op); }

  std::vector<std::int8_t> x, y;
  xnn_operator_t op = nullptr;
  bool ready = false;
};

}  // namespace

peer_run make_xnnpack(const peer_layer& layer) {
  const auto p = std::make_shared<xnnpack_operator>(layer);
  if (!p->ready) return {};
  return {[p](long runs) {
            for (long i = 0; i < runs; ++i) xnn_run_operator(p->op, nullptr);
          },
          [p] { return p->y; }};
}

}  // namespace bench
