#include "drawing.hpp"

namespace fuzz {

void fuzz_one(const std::uint8_t* data, std::size_t size, tally& t) {
  constexpr void (*draw[drawn])(reader&, tally&) = {draw_linear,     draw_conv2d,      draw_depthwise,    draw_transposed_conv2d,
                                                    draw_matmul,     draw_rescale,     draw_tosa_rescale, draw_kernel_sums,
                                                    draw_from_pairs, draw_elementwise, draw_images,       draw_any_layer,
                                                    draw_recurrent,  draw_blocks,      draw_linear_blocks};
  constexpr int fault_rates[] = {0, 2, 6, 16};
  reader r(data, size);
  const int which = r.byte() % drawn;
  r.set_fault_rate(fault_rates[r.byte() % 4]);
  ++t.tried;
  draw[which](r, t);
}

}  // namespace fuzz
