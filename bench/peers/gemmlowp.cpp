// gemmlowp: matrix products of uint8, requantized in integers as TFLite does.

#include "peers.hpp"

#include <gemmlowp/public/gemmlowp.h>
#include <gemmlowp/public/output_stages.h>

#include <memory>
#include <tuple>

namespace bench {
namespace {

using namespace gemmlowp;

/// Returns the numbers plus 128, because gemmlowp multiplies uint8.
std::vector<std::uint8_t> moved(const std::int8_t* from, std::size_t count) {
  std::vector<std::uint8_t> to(count);
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(from[i] + 128);
  return to;
}

struct product {
  explicit product(const peer_layer& l)
      : layer(l), weights(moved(l.weights, l.outputs * l.depth())), x(moved(l.from, l.input_size())), y(l.pixels() * l.outputs) {
    context.set_max_num_threads(1);
  }

  void run() {
    const int channels = static_cast<int>(layer.outputs);
    const int depth = static_cast<int>(layer.depth());
    const int rows = static_cast<int>(layer.pixels());
    const VectorMap<const std::int32_t, VectorShape::Col> bias(layer.bias, channels);
    const auto pipeline =
        std::make_tuple(OutputStageBiasAddition<VectorMap<const std::int32_t, VectorShape::Col>>{bias},
                        OutputStageScaleInt32ByFixedPointAndExponent{layer.mantissa, layer.exponent, layer.y_zero + 128},
                        OutputStageSaturatingCastToUint8{});
    MatrixMap<std::uint8_t, MapOrder::ColMajor> result(y.data(), channels, rows);
    GemmWithOutputPipeline<std::uint8_t, std::uint8_t, DefaultL8R8BitDepthParams>(
        &context, MatrixMap<const std::uint8_t, MapOrder::RowMajor>(weights.data(), channels, depth),
        MatrixMap<const std::uint8_t, MapOrder::ColMajor>(x.data(), depth, rows), &result, -128, -128 - layer.x_zero, pipeline);
  }

  peer_layer layer;
  std::vector<std::uint8_t> weights, x, y;
  GemmContext context{};
};

}  // namespace

peer_run make_gemmlowp(const peer_layer& layer) {
  if (layer.op != peer_layer::linear) return {};
  const auto p = std::make_shared<product>(layer);
  return {[p](long runs) {
            for (long i = 0; i < runs; ++i) p->run();
          },
          [p] {
            std::vector<std::int8_t> y;
            for (const std::uint8_t value : p->y) y.push_back(static_cast<std::int8_t>(value - 128));
            return y;
          }};
}

}  // namespace bench
