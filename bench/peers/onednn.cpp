// oneDNN: int8 primitives whose code is generated at run time, requantized in binary32.

#include "peers.hpp"

#include <dlfcn.h>
#include <dnnl.hpp>

#include <memory>

namespace bench {
namespace {

using dnnl::memory;
using tag = memory::format_tag;
using type = memory::data_type;

/// Limits oneDNN to one thread, through the OpenMP library that it is linked with. Otherwise oneDNN uses all processors.
void use_one_thread() {
  if (void* const set = dlsym(RTLD_DEFAULT, "omp_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(1);
}

/// On a processor with AMX, oneDNN 2.6 computes tiles of 16 pixels and writes all of them, also those behind the image.
constexpr std::size_t tile = 16;

struct primitive {
  explicit primitive(const peer_layer& l) : layer(l), x(l.from, l.from + l.input_size()), y((l.pixels() + tile) * l.outputs) {
    use_one_thread();
    dnnl::primitive_attr attributes;
    attributes.set_output_scales(0, {l.scale});
    attributes.set_zero_points(DNNL_ARG_SRC, 0, {l.x_zero});
    attributes.set_zero_points(DNNL_ARG_DST, 0, {l.y_zero});
    const auto size = [](std::size_t n) { return static_cast<memory::dim>(n); };
    const memory::dim channels = size(l.outputs), rows = size(l.pixels()), depth = size(l.depth());
    if (l.op == peer_layer::linear) {
      const memory::desc from({rows, depth}, type::s8, tag::ab), to({rows, channels}, type::s8, tag::ab);
      const dnnl::matmul::primitive_desc chosen(
          {from, memory::desc({depth, channels}, type::s8, tag::any), memory::desc({1, channels}, type::s32, tag::ab), to},
          attributes, engine);
      // Below AVX-512 a matmul of int8 is a slow "gemm". A convolution of 1x1 is up to a thousand times as fast.
      if (std::string(chosen.impl_info_str()).rfind("gemm", 0) != 0) {
        // The rows of weights, one per output channel, are the columns of this matrix.
        prepare(chosen, memory::desc({depth, channels}, type::s8, tag::ba));
        run_once = dnnl::matmul(chosen);
        return;
      }
    }
    const memory::dim groups = size(l.groups), stride = size(l.stride);
    const memory::desc from({1, size(l.inputs), size(l.y.inputs), size(l.x.inputs)}, type::s8, tag::nhwc);
    const memory::desc to({1, channels, size(l.y.outputs), size(l.x.outputs)}, type::s8, tag::nhwc);
    memory::dims window{channels / groups, size(l.inputs) / groups, size(l.y.kernel), size(l.x.kernel)};
    if (groups > 1) window.insert(window.begin(), groups);
    const tag order = l.op == peer_layer::depthwise ? tag::hwigo : groups > 1 ? tag::gohwi : tag::ohwi;
    const dnnl::convolution_forward::primitive_desc chosen({dnnl::prop_kind::forward_inference,
                                                            dnnl::algorithm::convolution_direct,
                                                            from,
                                                            memory::desc(window, type::s8, tag::any),
                                                            memory::desc({channels}, type::s32, tag::a),
                                                            to,
                                                            {stride, stride},
                                                            {size(l.y.before), size(l.x.before)},
                                                            {size(l.y.after), size(l.x.after)}},
                                                           attributes, engine);
    prepare(chosen, memory::desc(window, type::s8, order));
    run_once = dnnl::convolution_forward(chosen);
  }

  /// Reorders the weights to the layout that the primitive has chosen.
  template <class Chosen>
  void prepare(const Chosen& chosen, const memory::desc& order) {
    memory given(order, engine, const_cast<std::int8_t*>(layer.weights));
    memory weights(chosen.weights_desc(), engine);
    dnnl::reorder(given, weights).execute(stream, given, weights);
    stream.wait();
    arguments = {{DNNL_ARG_SRC, memory(chosen.src_desc(), engine, x.data())},
                 {DNNL_ARG_WEIGHTS, weights},
                 {DNNL_ARG_BIAS, memory(chosen.bias_desc(), engine, const_cast<std::int32_t*>(layer.bias))},
                 {DNNL_ARG_DST, memory(chosen.dst_desc(), engine, y.data())}};
  }

  peer_layer layer;
  std::vector<std::int8_t> x, y;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::unordered_map<int, memory> arguments{};
  dnnl::primitive run_once{};
};

}  // namespace

bool limit_onednn(const std::string& backend) {
  constexpr std::pair<const char*, dnnl::cpu_isa> limits[] = {
      {"sse41", dnnl::cpu_isa::sse41}, {"avx2", dnnl::cpu_isa::avx2}, {"avx512vnni", dnnl::cpu_isa::avx512_core_vnni}};
  for (const auto& [name, most] : limits)
    if (backend == name) return dnnl::set_max_cpu_isa(most) == dnnl::status::success;
  return false;
}

peer_run make_onednn(const peer_layer& layer) {
  std::shared_ptr<primitive> p;
  try {
    p = std::make_shared<primitive>(layer);
  } catch (const dnnl::error&) {
    return {};
  }
  return {[p](long runs) {
            for (long i = 0; i < runs; ++i) p->run_once.execute(p->stream, p->arguments);
            p->stream.wait();
          },
          [p] {
            const auto behind = p->y.end() - static_cast<std::ptrdiff_t>(tile * p->layer.outputs);
            return std::vector<std::int8_t>(p->y.begin(), behind);
          }};
}

}  // namespace bench
