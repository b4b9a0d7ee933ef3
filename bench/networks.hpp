#pragma once
/// \file
/// The layers of networks, as published. Operators between layers (additions, averages, activations) are left out.

#include "problem.hpp"

namespace bench {

struct network_layer {
  const char* name;
  shape of;
};

struct network {
  const char* name;
  std::vector<network_layer> layers;

  double multiply_adds() const {
    double sum = 0;
    for (const network_layer& l : layers) sum += static_cast<double>(l.of.multiply_adds());
    return sum;
  }
};

/// Returns the networks. A layer lists its operator, height, width, input channels and output channels, then its taps, stride,
/// groups and padding. The last four are 1, 1, 1 and padding::same if they are left out.
inline std::vector<network> networks() {
  constexpr operation conv = operation::conv2d, depthwise = operation::depthwise, linear = operation::linear;
  constexpr padding half = padding::half;
  return {
      // Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018, table 2, width 1.0.
      {"MobileNetV2 224",
       {{"stem", {conv, 224, 224, 3, 32, 3, 2}},
        {"1 depthwise", {depthwise, 112, 112, 32, 32, 3}},
        {"1 project", {conv, 112, 112, 32, 16}},
        {"2 expand", {conv, 112, 112, 16, 96}},
        {"2 depthwise", {depthwise, 112, 112, 96, 96, 3, 2}},
        {"2 project", {conv, 56, 56, 96, 24}},
        {"3 expand", {conv, 56, 56, 24, 144}},
        {"3 depthwise", {depthwise, 56, 56, 144, 144, 3}},
        {"3 project", {conv, 56, 56, 144, 24}},
        {"4 expand", {conv, 56, 56, 24, 144}},
        {"4 depthwise", {depthwise, 56, 56, 144, 144, 3, 2}},
        {"4 project", {conv, 28, 28, 144, 32}},
        {"5 expand", {conv, 28, 28, 32, 192}},
        {"5 depthwise", {depthwise, 28, 28, 192, 192, 3}},
        {"5 project", {conv, 28, 28, 192, 32}},
        {"6 expand", {conv, 28, 28, 32, 192}},
        {"6 depthwise", {depthwise, 28, 28, 192, 192, 3}},
        {"6 project", {conv, 28, 28, 192, 32}},
        {"7 expand", {conv, 28, 28, 32, 192}},
        {"7 depthwise", {depthwise, 28, 28, 192, 192, 3, 2}},
        {"7 project", {conv, 14, 14, 192, 64}},
        {"8 expand", {conv, 14, 14, 64, 384}},
        {"8 depthwise", {depthwise, 14, 14, 384, 384, 3}},
        {"8 project", {conv, 14, 14, 384, 64}},
        {"9 expand", {conv, 14, 14, 64, 384}},
        {"9 depthwise", {depthwise, 14, 14, 384, 384, 3}},
        {"9 project", {conv, 14, 14, 384, 64}},
        {"10 expand", {conv, 14, 14, 64, 384}},
        {"10 depthwise", {depthwise, 14, 14, 384, 384, 3}},
        {"10 project", {conv, 14, 14, 384, 64}},
        {"11 expand", {conv, 14, 14, 64, 384}},
        {"11 depthwise", {depthwise, 14, 14, 384, 384, 3}},
        {"11 project", {conv, 14, 14, 384, 96}},
        {"12 expand", {conv, 14, 14, 96, 576}},
        {"12 depthwise", {depthwise, 14, 14, 576, 576, 3}},
        {"12 project", {conv, 14, 14, 576, 96}},
        {"13 expand", {conv, 14, 14, 96, 576}},
        {"13 depthwise", {depthwise, 14, 14, 576, 576, 3}},
        {"13 project", {conv, 14, 14, 576, 96}},
        {"14 expand", {conv, 14, 14, 96, 576}},
        {"14 depthwise", {depthwise, 14, 14, 576, 576, 3, 2}},
        {"14 project", {conv, 7, 7, 576, 160}},
        {"15 expand", {conv, 7, 7, 160, 960}},
        {"15 depthwise", {depthwise, 7, 7, 960, 960, 3}},
        {"15 project", {conv, 7, 7, 960, 160}},
        {"16 expand", {conv, 7, 7, 160, 960}},
        {"16 depthwise", {depthwise, 7, 7, 960, 960, 3}},
        {"16 project", {conv, 7, 7, 960, 160}},
        {"17 expand", {conv, 7, 7, 160, 960}},
        {"17 depthwise", {depthwise, 7, 7, 960, 960, 3}},
        {"17 project", {conv, 7, 7, 960, 320}},
        {"head", {conv, 7, 7, 320, 1280}},
        {"classes", {linear, 1, 1, 1280, 1000}}}},
      // He et al., "Deep Residual Learning for Image Recognition", 2015, table 1, with projections by 1x1.
      {"ResNet-18 224",
       {{"stem", {conv, 224, 224, 3, 64, 7, 2, 1, half}},
        {"1.1 first", {conv, 56, 56, 64, 64, 3}},
        {"1.1 second", {conv, 56, 56, 64, 64, 3}},
        {"1.2 first", {conv, 56, 56, 64, 64, 3}},
        {"1.2 second", {conv, 56, 56, 64, 64, 3}},
        {"2.1 first", {conv, 56, 56, 64, 128, 3, 2, 1, half}},
        {"2.1 second", {conv, 28, 28, 128, 128, 3}},
        {"2.1 shortcut", {conv, 56, 56, 64, 128, 1, 2}},
        {"2.2 first", {conv, 28, 28, 128, 128, 3}},
        {"2.2 second", {conv, 28, 28, 128, 128, 3}},
        {"3.1 first", {conv, 28, 28, 128, 256, 3, 2, 1, half}},
        {"3.1 second", {conv, 14, 14, 256, 256, 3}},
        {"3.1 shortcut", {conv, 28, 28, 128, 256, 1, 2}},
        {"3.2 first", {conv, 14, 14, 256, 256, 3}},
        {"3.2 second", {conv, 14, 14, 256, 256, 3}},
        {"4.1 first", {conv, 14, 14, 256, 512, 3, 2, 1, half}},
        {"4.1 second", {conv, 7, 7, 512, 512, 3}},
        {"4.1 shortcut", {conv, 14, 14, 256, 512, 1, 2}},
        {"4.2 first", {conv, 7, 7, 512, 512, 3}},
        {"4.2 second", {conv, 7, 7, 512, 512, 3}},
        {"classes", {linear, 1, 1, 512, 1000}}}},
      // MobileNetV1 (Howard et al., 2017, table 1) of width 0.25 on 96x96 gray pixels: "Visual Wake Words", Chowdhery et al.,
      // 2019.
      {"person detection 96", {{"stem", {conv, 96, 96, 1, 8, 3, 2}},     {"1 depthwise", {depthwise, 48, 48, 8, 8, 3}},
                               {"1 pointwise", {conv, 48, 48, 8, 16}},   {"2 depthwise", {depthwise, 48, 48, 16, 16, 3, 2}},
                               {"2 pointwise", {conv, 24, 24, 16, 32}},  {"3 depthwise", {depthwise, 24, 24, 32, 32, 3}},
                               {"3 pointwise", {conv, 24, 24, 32, 32}},  {"4 depthwise", {depthwise, 24, 24, 32, 32, 3, 2}},
                               {"4 pointwise", {conv, 12, 12, 32, 64}},  {"5 depthwise", {depthwise, 12, 12, 64, 64, 3}},
                               {"5 pointwise", {conv, 12, 12, 64, 64}},  {"6 depthwise", {depthwise, 12, 12, 64, 64, 3, 2}},
                               {"6 pointwise", {conv, 6, 6, 64, 128}},   {"7 depthwise", {depthwise, 6, 6, 128, 128, 3}},
                               {"7 pointwise", {conv, 6, 6, 128, 128}},  {"8 depthwise", {depthwise, 6, 6, 128, 128, 3}},
                               {"8 pointwise", {conv, 6, 6, 128, 128}},  {"9 depthwise", {depthwise, 6, 6, 128, 128, 3}},
                               {"9 pointwise", {conv, 6, 6, 128, 128}},  {"10 depthwise", {depthwise, 6, 6, 128, 128, 3}},
                               {"10 pointwise", {conv, 6, 6, 128, 128}}, {"11 depthwise", {depthwise, 6, 6, 128, 128, 3}},
                               {"11 pointwise", {conv, 6, 6, 128, 128}}, {"12 depthwise", {depthwise, 6, 6, 128, 128, 3, 2}},
                               {"12 pointwise", {conv, 3, 3, 128, 256}}, {"13 depthwise", {depthwise, 3, 3, 256, 256, 3}},
                               {"13 pointwise", {conv, 3, 3, 256, 256}}, {"classes", {linear, 1, 1, 256, 2}}}},
      // Zhang et al., "Hello Edge: Keyword Spotting on Microcontrollers", 2017, the small DS-CNN; 49 frames of 10 features.
      {"keywords DS-CNN",
       {{"stem", {conv, 49, 10, 1, 64, {10, 4}, 2}},
        {"1 depthwise", {depthwise, 25, 5, 64, 64, 3}},
        {"1 pointwise", {conv, 25, 5, 64, 64}},
        {"2 depthwise", {depthwise, 25, 5, 64, 64, 3}},
        {"2 pointwise", {conv, 25, 5, 64, 64}},
        {"3 depthwise", {depthwise, 25, 5, 64, 64, 3}},
        {"3 pointwise", {conv, 25, 5, 64, 64}},
        {"4 depthwise", {depthwise, 25, 5, 64, 64, 3}},
        {"4 pointwise", {conv, 25, 5, 64, 64}},
        {"classes", {linear, 1, 1, 64, 12}}}},
      // Braun and Tashev, "Data augmentation and loss normalization for deep noise suppression", 2020. The matrix products
      // of NSNet2 for one frame of 161 frequencies. A recurrent cell has one product with its input and one with its state.
      {"speech NSNet2",
       {{"first", {linear, 1, 1, 161, 400}},
        {"cell 1 input", {linear, 1, 1, 400, 1200}},
        {"cell 1 state", {linear, 1, 1, 400, 1200}},
        {"cell 2 input", {linear, 1, 1, 400, 1200}},
        {"cell 2 state", {linear, 1, 1, 400, 1200}},
        {"second", {linear, 1, 1, 400, 600}},
        {"third", {linear, 1, 1, 600, 600}},
        {"gains", {linear, 1, 1, 600, 161}}}},
  };
}

}  // namespace bench
