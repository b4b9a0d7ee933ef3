#pragma once
/// \file
/// One function for each operator that a description can draw. Each function has a file of its own.

#include "reader.hpp"
#include "tally.hpp"

namespace fuzz {

void draw_linear(reader& r, tally& t);
void draw_conv2d(reader& r, tally& t);
void draw_depthwise(reader& r, tally& t);
void draw_transposed_conv2d(reader& r, tally& t);
void draw_matmul(reader& r, tally& t);
void draw_rescale(reader& r, tally& t);
void draw_tosa_rescale(reader& r, tally& t);
void draw_kernel_sums(reader& r, tally& t);
void draw_from_pairs(reader& r, tally& t);
void draw_elementwise(reader& r, tally& t);
void draw_any_layer(reader& r, tally& t);
void draw_activation(reader& r, tally& t);
void draw_recurrent(reader& r, tally& t);
void draw_images(reader& r, tally& t);
void draw_blocks(reader& r, tally& t);
void draw_linear_blocks(reader& r, tally& t);

}  // namespace fuzz
