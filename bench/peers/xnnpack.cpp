// XNNPACK: operators of int8, requantized in binary32.

#include "peers.hpp"

#include <dlfcn.h>
#include <xnnpack.h>
#if __has_include(<cpuinfo.h>)
#include <cpuinfo.h>
#endif

#include <limits>
#include <memory>

namespace bench {
namespace {

struct xnnpack_operator {
  explicit xnnpack_operator(const peer_addition& s) : x(s.a, s.a + s.size), x_b(s.b, s.b + s.size), y(s.size) {
    for (auto* operand : {&x, &x_b}) operand->resize(s.size + XNN_EXTRA_BYTES);
    if (xnn_initialize(nullptr) != xnn_status_success) return;
    if (xnn_create_add_nd_qs8(s.a_zero, s.a_scale, s.b_zero, s.b_scale, s.y_zero, s.y_scale, -128, 127, 0, &op) !=
        xnn_status_success)
      return;
    ready = xnn_setup_add_nd_qs8(op, 1, &s.size, 1, &s.size, x.data(), x_b.data(), y.data(), nullptr) == xnn_status_success;
  }
  explicit xnnpack_operator(const peer_layer& l) : x(l.from, l.from + l.input_size()), y(l.pixels() * l.outputs) {
    x.resize(x.size() + XNN_EXTRA_BYTES);  // XNNPACK may read these bytes.
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
      const auto number = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
      const std::uint32_t stride = number(l.stride);
      const bool depthwise = l.op == peer_layer::depthwise;
      status = xnn_create_convolution2d_nhwc_qs8(
          number(l.y.before), number(l.x.after), number(l.y.after), number(l.x.before), number(l.y.kernel), number(l.x.kernel),
          stride, stride, 1, 1, number(l.groups), l.inputs / l.groups, l.outputs / l.groups, l.inputs, l.outputs, l.x_zero,
          l.scale, 1.0f, l.weights, l.bias, l.y_zero, 1.0f, least, most, depthwise ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0, &op);
      if (status != xnn_status_success) return;
      status = xnn_setup_convolution2d_nhwc_qs8(op, 1, l.y.inputs, l.x.inputs, x.data(), y.data(), nullptr);
    }
    ready = status == xnn_status_success;
  }
  xnnpack_operator(const xnnpack_operator&) = delete;
  xnnpack_operator& operator=(const xnnpack_operator&) = delete;
  ~xnnpack_operator() { xnn_delete_operator(op); }

  std::vector<std::int8_t> x, x_b, y;  ///< x_b: the second operand of an addition
  xnn_operator_t op = nullptr;
  bool ready = false;
};

template <class Work>
peer_run run_of(const Work& work) {
  const auto p = std::make_shared<xnnpack_operator>(work);
  if (!p->ready) return {};
  return {[p](long runs) {
            for (long i = 0; i < runs; ++i) xnn_run_operator(p->op, nullptr);
          },
          [p] { return p->y; }};
}

}  // namespace

bool limit_xnnpack([[maybe_unused]] const std::string& backend) {
#if __has_include(<cpuinfo.h>) && defined(__x86_64__)
  auto* const initialize = reinterpret_cast<bool (*)()>(dlsym(RTLD_DEFAULT, "cpuinfo_initialize"));
  auto* const isa = static_cast<cpuinfo_x86_isa*>(dlsym(RTLD_DEFAULT, "cpuinfo_isa"));
  if (initialize == nullptr || isa == nullptr || !initialize()) return false;
  if (backend == "avx512vnni") return true;
  isa->avx512f = isa->avx512cd = isa->avx512bw = isa->avx512dq = isa->avx512vl = isa->avx512vbmi = false;
  if (backend == "avx2") return true;
  isa->avx = isa->avx2 = isa->xop = isa->f16c = isa->fma3 = false;
  return backend == "sse41";
#else
  return false;
#endif
}

peer_run make_xnnpack(const peer_layer& layer) { return run_of(layer); }
peer_run make_xnnpack_addition(const peer_addition& sum) { return run_of(sum); }

}  // namespace bench
