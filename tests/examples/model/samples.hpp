#pragma once
/// \file
/// The models of the tests: networks of digits, and one that has an operator of every kind.

#include "builder.hpp"
#include "digits/digits_data.hpp"
#include "support/random.hpp"

namespace model {

/// The convolutional network of digits: 8x8x1 -> 3x3 -> 8x8x8 -> depthwise 3x3, stride 2 -> 4x4x8 -> 10. Tensors: 0 image,
/// 3 and 6 the outputs of the convolutions, 9 the logits.
inline std::vector<unsigned char> digits_of_int16() {
  using namespace digits::convolutional::a16w8;
  using namespace tflite;
  builder b;
  const auto of = [](double scale) { return quantization{{static_cast<float>(scale)}, {0}}; };
  const auto weights = [&](const auto& w, const auto& scales, const std::vector<int>& shape, int axis) {
    const std::vector<float> all(std::begin(scales), std::end(scales));
    return b.constant<std::int8_t>(TensorType_INT8, shape, {all, std::vector<std::int64_t>(all.size()), axis},
                                   {std::begin(w), std::end(w)});
  };
  const auto bias = [&](const auto& all) {
    return b.constant<std::int64_t>(TensorType_INT64, {static_cast<int>(std::size(all))}, {}, {std::begin(all), std::end(all)});
  };
  const int x = b.activation(TensorType_INT16, {1, 8, 8, 1}, of(layer1::x_scale));
  const int w1 = weights(layer1::weights, layer1::w_scale, {8, 3, 3, 1}, 0), b1 = bias(layer1::bias);
  const int y1 = b.activation(TensorType_INT16, {1, 8, 8, 8}, of(layer1::y_scale));
  b.add(BuiltinOperator_CONV_2D, {x, w1, b1}, {y1}, CreateConv2DOptions(b.file(), Padding_SAME, 1, 1, Activation_RELU));
  const int w2 = weights(layer2::weights, layer2::w_scale, {1, 3, 3, 8}, 3), b2 = bias(layer2::bias);
  const int y2 = b.activation(TensorType_INT16, {1, 4, 4, 8}, of(layer2::y_scale));
  b.add(BuiltinOperator_DEPTHWISE_CONV_2D, {y1, w2, b2}, {y2},
        CreateDepthwiseConv2DOptions(b.file(), Padding_SAME, 2, 2, Activation_RELU));
  const int w3 = weights(layer3::weights, layer3::w_scale, {10, 128}, 0), b3 = bias(layer3::bias);
  const int y3 = b.activation(TensorType_INT16, {1, 10}, of(layer3::y_scale));
  b.add(BuiltinOperator_FULLY_CONNECTED, {y2, w3, b3}, {y3}, CreateFullyConnectedOptions(b.file()));
  return b.finish({x}, {y3});
}

/// The linear network of digits of int8: 64 -> 32 -> 10. The second layer has one scale. Tensors: 0 image, 3 hidden, 6 logits.
inline std::vector<unsigned char> digits_of_int8() {
  using namespace digits::linear::a8w8;
  using namespace tflite;
  builder b;
  const auto of = [](double scale, int zero_point) { return quantization{{static_cast<float>(scale)}, {zero_point}}; };
  const auto layer = [&](auto data, int x, int channels, int depth, Activation fused) {
    using layer_data = decltype(data);
    const std::vector<float> scales(std::begin(layer_data::w_scale), std::end(layer_data::w_scale));
    const int w = b.constant<std::int8_t>(TensorType_INT8, {channels, depth}, {scales, std::vector<std::int64_t>(scales.size())},
                                          {std::begin(layer_data::weights), std::end(layer_data::weights)});
    const int bias =
        b.constant<std::int32_t>(TensorType_INT32, {channels}, {}, {std::begin(layer_data::bias), std::end(layer_data::bias)});
    const int y = b.activation(TensorType_INT8, {1, channels}, of(layer_data::y_scale, layer_data::y_zero_point));
    b.add(BuiltinOperator_FULLY_CONNECTED, {x, w, bias}, {y}, CreateFullyConnectedOptions(b.file(), fused));
    return y;
  };
  const int x = b.activation(TensorType_INT8, {1, 64}, of(layer1::x_scale, layer1::x_zero_point));
  const int hidden = layer(layer1{}, x, 32, 64, Activation_RELU);
  return b.finish({x}, {layer(layer2{}, hidden, 10, 32, Activation_NONE)});
}

/// The tensors of `one_of_each`.
struct places {
  int x, w1, b1, conv, w2, depthwise, w3, transposed, sum, product, pool, mean, squeezed, w4, b4, logits, leaky, logistic, tanh,
      relu, swish, softmax;
};

/// A network of int8 with one operator of each kind. All weights are random.
inline std::vector<unsigned char> one_of_each(places& at) {
  using namespace tflite;
  builder b;
  support::random_bits random;
  const auto weights = [&](const std::vector<int>& shape, const quantization& q) {
    int count = 1;
    for (const int size : shape) count *= size;
    std::vector<std::int8_t> all;
    for (int i = 0; i < count; ++i) all.push_back(static_cast<std::int8_t>(random.between(-127, 127)));
    return b.constant<std::int8_t>(TensorType_INT8, shape, q, all);
  };
  const auto int8 = [&](const std::vector<int>& shape, float scale, int zero_point) {
    return b.activation(TensorType_INT8, shape, {{scale}, {zero_point}});
  };
  places& p = at;
  p.x = int8({1, 7, 6, 2}, 0.047f, 3);
  p.w1 = weights({4, 3, 3, 2}, {{0.011f, 0.0071f, 0.013f, 0.0093f}, {0, 0, 0, 0}, 0});
  p.b1 = b.constant<std::int32_t>(TensorType_INT32, {4}, {}, {100, -2000, 0, 777});
  p.conv = int8({1, 4, 3, 4}, 0.051f, -20);
  b.add(BuiltinOperator_CONV_2D, {p.x, p.w1, p.b1}, {p.conv},
        CreateConv2DOptions(b.file(), Padding_SAME, 2, 2, Activation_RELU6));
  p.w2 = weights({1, 3, 2, 8}, {{0.0131f}, {0}, 3});
  p.depthwise = int8({1, 4, 3, 8}, 0.0457f, 5);
  b.add(BuiltinOperator_DEPTHWISE_CONV_2D, {p.conv, p.w2, -1}, {p.depthwise},
        CreateDepthwiseConv2DOptions(b.file(), Padding_SAME, 1, 1));
  p.w3 = weights({8, 2, 2, 4}, {std::vector<float>(8, 0.0091f), std::vector<std::int64_t>(8), 0});
  p.transposed = int8({1, 8, 6, 8}, 0.063f, -7);
  const int shape = b.constant<std::int32_t>(TensorType_INT32, {4}, {}, {1, 8, 6, 8});
  b.add(BuiltinOperator_TRANSPOSE_CONV, {shape, p.w3, p.conv}, {p.transposed},
        CreateTransposeConvOptions(b.file(), Padding_SAME, 2, 2));
  p.pool = int8({1, 4, 3, 8}, 0.063f, -7);
  b.add(BuiltinOperator_AVERAGE_POOL_2D, {p.transposed}, {p.pool},
        CreatePool2DOptions(b.file(), Padding_VALID, 2, 2, 2, 2, Activation_NONE));
  p.sum = int8({1, 4, 3, 8}, 0.071f, 1);
  b.add(BuiltinOperator_ADD, {p.depthwise, p.pool}, {p.sum}, CreateAddOptions(b.file(), Activation_RELU));
  p.mean = int8({1, 1, 1, 8}, 0.033f, -11);
  const int axes = b.constant<std::int32_t>(TensorType_INT32, {2}, {}, {1, -2});
  b.add(BuiltinOperator_MEAN, {p.sum, axes}, {p.mean});
  p.product = int8({1, 4, 3, 8}, 0.044f, 9);
  b.add(BuiltinOperator_MUL, {p.sum, p.mean}, {p.product}, CreateMulOptions(b.file()));
  p.squeezed = int8({1, 96}, 0.044f, 9);
  b.add(BuiltinOperator_RESHAPE, {p.product}, {p.squeezed});
  std::vector<std::uint8_t> nibbles;  // 10 x 96 weights of 4 bits
  for (int i = 0; i < 480; ++i) nibbles.push_back(static_cast<std::uint8_t>(random.below(256)));
  p.w4 = b.constant<std::uint8_t>(TensorType_INT4, {10, 96}, {{0.0193f}, {0}}, nibbles);
  p.b4 = b.constant<std::int32_t>(TensorType_INT32, {10}, {}, {1, -2, 300, -400, 5, 6, 7, 8, 9, 10});
  p.logits = int8({1, 10}, 0.061f, 13);
  b.add(BuiltinOperator_FULLY_CONNECTED, {p.squeezed, p.w4, p.b4}, {p.logits}, CreateFullyConnectedOptions(b.file()));
  p.leaky = int8({1, 10}, 0.05f, 2);
  b.add(BuiltinOperator_LEAKY_RELU, {p.logits}, {p.leaky}, CreateLeakyReluOptions(b.file(), 0.1f));
  p.logistic = int8({1, 10}, 0x1p-8f, -128);
  b.add(BuiltinOperator_LOGISTIC, {p.leaky}, {p.logistic});
  p.tanh = int8({1, 10}, 0x1p-7f, 0);
  b.add(BuiltinOperator_TANH, {p.leaky}, {p.tanh});
  p.relu = int8({1, 10}, 0.031f, -5);
  b.add(BuiltinOperator_RELU6, {p.leaky}, {p.relu});
  p.swish = int8({1, 10}, 0.04f, -5);
  b.add(BuiltinOperator_HARD_SWISH, {p.leaky}, {p.swish});
  p.softmax = int8({1, 10}, 0x1p-8f, -128);
  b.add(BuiltinOperator_SOFTMAX, {p.leaky}, {p.softmax}, CreateSoftmaxOptions(b.file(), 1));
  return b.finish({p.x}, {p.softmax, p.logistic, p.tanh, p.relu, p.swish});
}

/// Two layers of int16 that are added, with the bias of int32 in the first.
inline std::vector<unsigned char> residual_of_int16() {
  using namespace tflite;
  builder b;
  const auto int16 = [&](float scale) { return b.activation(TensorType_INT16, {2, 3}, {{scale}, {0}}); };
  const int x = int16(0.001f);
  const int w =
      b.constant<std::int8_t>(TensorType_INT8, {3, 3}, {{0.01f, 0.02f, 0.015f}, {0, 0, 0}}, {127, -3, 5, 8, 100, -128, 7, 64, 1});
  const int bias = b.constant<std::int32_t>(TensorType_INT32, {3}, {}, {1000, -70000, 3});
  const int first = int16(0.0009f);
  b.add(BuiltinOperator_FULLY_CONNECTED, {x, w, bias}, {first}, CreateFullyConnectedOptions(b.file(), Activation_RELU));
  const int second = int16(0.0011f);
  b.add(BuiltinOperator_FULLY_CONNECTED, {first, w}, {second}, CreateFullyConnectedOptions(b.file()));
  const int y = int16(0.0017f);
  b.add(BuiltinOperator_ADD, {x, second}, {y}, CreateAddOptions(b.file(), Activation_NONE, false));
  const int shares = b.activation(TensorType_INT16, {2, 3}, {{0x1p-15f}, {0}});
  b.add(BuiltinOperator_SOFTMAX, {y}, {shares}, CreateSoftmaxOptions(b.file(), 1));
  return b.finish({x}, {y, shares});
}

/// The tensors of `detector_head`.
struct head_places {
  int x, pool, bilinear, nearest, joined, padded, quantized, left, right, turned, most, best, packed, wide, slopes, prelu;
};

/// Parts of a detector: a pooled image is resized, joined to the image, padded, rescaled and split.
inline std::vector<unsigned char> detector_head(head_places& at) {
  using namespace tflite;
  builder b;
  const quantization one{{0.05f}, {3}}, other{{0.031f}, {-9}};
  const auto int8 = [&](const std::vector<int>& shape, const quantization& q) { return b.activation(TensorType_INT8, shape, q); };
  const auto numbers = [&](const std::vector<int>& shape, const std::vector<std::int32_t>& all) {
    return b.constant<std::int32_t>(TensorType_INT32, shape, {}, all);
  };
  head_places& p = at;
  p.x = int8({1, 6, 5, 4}, one);
  p.pool = int8({1, 3, 3, 4}, one);
  b.add(BuiltinOperator_MAX_POOL_2D, {p.x}, {p.pool}, CreatePool2DOptions(b.file(), Padding_SAME, 2, 2, 3, 3, Activation_RELU6));
  const int size = numbers({2}, {6, 5});
  p.bilinear = int8({1, 6, 5, 4}, one);
  b.add(BuiltinOperator_RESIZE_BILINEAR, {p.pool, size}, {p.bilinear}, CreateResizeBilinearOptions(b.file(), false, true));
  p.nearest = int8({1, 6, 5, 4}, one);
  b.add(BuiltinOperator_RESIZE_NEAREST_NEIGHBOR, {p.pool, size}, {p.nearest},
        CreateResizeNearestNeighborOptions(b.file(), true, false));
  p.joined = int8({1, 6, 5, 12}, one);
  b.add(BuiltinOperator_CONCATENATION, {p.x, p.bilinear, p.nearest}, {p.joined}, CreateConcatenationOptions(b.file(), -1));
  p.padded = int8({1, 8, 6, 12}, one);
  b.add(BuiltinOperator_PAD, {p.joined, numbers({4, 2}, {0, 0, 2, 0, 0, 1, 0, 0})}, {p.padded});
  p.quantized = int8({1, 8, 6, 12}, other);
  b.add(BuiltinOperator_QUANTIZE, {p.padded}, {p.quantized});
  p.left = int8({1, 8, 6, 6}, other);
  p.right = int8({1, 8, 6, 6}, other);
  b.add(BuiltinOperator_SPLIT, {numbers({}, {3}), p.quantized}, {p.left, p.right});
  p.turned = int8({1, 6, 8, 6}, other);
  b.add(BuiltinOperator_TRANSPOSE, {p.left, numbers({4}, {0, 3, 1, -2})}, {p.turned});
  p.most = int8({1, 6}, other);
  b.add(BuiltinOperator_REDUCE_MAX, {p.right, numbers({2}, {1, 2})}, {p.most});
  p.best = b.activation(TensorType_INT32, {1}, {});
  b.add(BuiltinOperator_ARG_MAX, {p.most, numbers({}, {-1})}, {p.best});
  p.packed = int8({1, 2, 6}, other);
  b.add(BuiltinOperator_PACK, {p.most, p.most}, {p.packed}, CreatePackOptions(b.file(), 1));
  p.wide = b.activation(TensorType_INT16, {1, 2, 6}, {{0.001f}, {0}});
  b.add(BuiltinOperator_QUANTIZE, {p.packed}, {p.wide});
  p.slopes = b.constant<std::int8_t>(TensorType_INT8, {1, 1, 6}, {{0.01f}, {5}}, {-128, -3, 5, 40, 100, 127});
  p.prelu = int8({1, 2, 6}, {{0.02f}, {11}});
  b.add(BuiltinOperator_PRELU, {p.packed, p.slopes}, {p.prelu});
  const int corner = int8({2, 3, 6}, other);  // image 0, rows 6 and 3, columns 5, 3 and 1
  b.add(BuiltinOperator_STRIDED_SLICE,
        {p.right, numbers({4}, {0, 6, 5, 0}), numbers({4}, {1, 0, 0, 6}), numbers({4}, {1, -3, -2, 1})}, {corner},
        CreateStridedSliceOptions(b.file(), 0, 0, 0, 0, 1));
  return b.finish({p.x}, {p.left, p.turned, p.best, p.wide, p.prelu, corner});
}

/// Operators of two tensors, and of rows. Tensors: 0 a, 1 b, then the outputs in the order of `pair_operators` and
/// `row_operators`.
constexpr tflite::BuiltinOperator pair_operators[] = {tflite::BuiltinOperator_SQUARED_DIFFERENCE,
                                                      tflite::BuiltinOperator_MAXIMUM,
                                                      tflite::BuiltinOperator_MINIMUM,
                                                      tflite::BuiltinOperator_EQUAL,
                                                      tflite::BuiltinOperator_NOT_EQUAL,
                                                      tflite::BuiltinOperator_GREATER,
                                                      tflite::BuiltinOperator_GREATER_EQUAL,
                                                      tflite::BuiltinOperator_LESS,
                                                      tflite::BuiltinOperator_LESS_EQUAL,
                                                      tflite::BuiltinOperator_DIV};
constexpr tflite::BuiltinOperator row_operators[] = {tflite::BuiltinOperator_ABS, tflite::BuiltinOperator_RSQRT,
                                                     tflite::BuiltinOperator_ELU, tflite::BuiltinOperator_LOG_SOFTMAX,
                                                     tflite::BuiltinOperator_L2_NORMALIZATION};
inline std::vector<unsigned char> operators_on_elements() {
  using namespace tflite;
  builder b;
  const quantization of_a{{0.04f}, {-3}}, of_b{{0.07f}, {8}}, of_y{{0.09f}, {5}};
  const std::vector<int> shape{3, 7};
  const int x = b.activation(TensorType_INT8, shape, of_a), other = b.activation(TensorType_INT8, shape, of_b);
  std::vector<int> outputs;
  for (const BuiltinOperator code : pair_operators) {
    const bool compares = code != BuiltinOperator_SQUARED_DIFFERENCE && code != BuiltinOperator_MAXIMUM &&
                          code != BuiltinOperator_MINIMUM && code != BuiltinOperator_DIV;
    outputs.push_back(compares ? b.activation(TensorType_BOOL, shape, {}) : b.activation(TensorType_INT8, shape, of_y));
    if (code == BuiltinOperator_DIV)
      b.add(code, {x, other}, {outputs.back()}, CreateDivOptions(b.file(), Activation_RELU));
    else
      b.add(code, {x, other}, {outputs.back()});
  }
  for (const BuiltinOperator code : row_operators) {
    const quantization q = code == BuiltinOperator_LOG_SOFTMAX        ? quantization{{0x1p-4f}, {127}}
                           : code == BuiltinOperator_L2_NORMALIZATION ? quantization{{0x1p-7f}, {0}}
                                                                      : of_y;
    outputs.push_back(b.activation(TensorType_INT8, shape, q));
    if (code == BuiltinOperator_L2_NORMALIZATION)
      b.add(code, {x}, {outputs.back()}, CreateL2NormOptions(b.file()));
    else
      b.add(code, {x}, {outputs.back()});
  }
  outputs.push_back(b.activation(TensorType_INT8, shape, of_y));
  b.add(BuiltinOperator_ADD_N, {x, x, x}, {outputs.back()});
  outputs.push_back(b.activation(TensorType_INT8, shape, of_y));
  const int last = b.constant<std::int32_t>(TensorType_INT32, {1}, {}, {1});
  b.add(BuiltinOperator_CUMSUM, {x, last}, {outputs.back()}, CreateCumsumOptions(b.file(), true, false));
  return b.finish({x, other}, outputs);
}

/// An LSTM with 3 steps of 2 rows, 4 inputs and 5 units, or an SVDF with 2 rows, 4 inputs, 3 units, rank 2 and a memory of 4.
/// Tensors of both: 0 x, 1 y, 2 the state. An LSTM also has 3 the cell, then weights and bias of each gate.
inline std::vector<unsigned char> lstm_of(tflite::TensorType type, bool is_time_major, float weights_scale = 1) {
  using namespace tflite;
  builder b;
  support::random_bits random;
  const bool is_byte = type == TensorType_INT8;
  const int first = is_time_major ? 3 : 2, second = 5 - first;
  const int x = b.activation(type, {first, second, 4}, {{is_byte ? 0.03f : 0.0001f}, {is_byte ? 7 : 0}});
  const quantization of_h{{is_byte ? 0x1p-7f : 0x1p-15f}, {is_byte ? -4 : 0}};
  const int y = b.activation(type, {first, second, 5}, of_h);
  const int h = b.state(type, {2, 5}, of_h), c = b.state(TensorType_INT16, {2, 5}, {{0x1p-11f}, {0}});
  std::vector<int> inputs(24, -1);
  inputs[0] = x, inputs[18] = h, inputs[19] = c;
  const auto weights = [&](int columns, float scale) {
    std::vector<std::int8_t> all;
    for (int i = 0; i < 5 * columns; ++i) all.push_back(static_cast<std::int8_t>(random.between(-127, 127)));
    return b.constant<std::int8_t>(TensorType_INT8, {5, columns}, {{scale}, {0}}, all);
  };
  for (std::size_t g = 0; g < 4; ++g) {
    inputs[1 + g] = weights(4, weights_scale * (0.011f + 0.003f * static_cast<float>(g)));
    inputs[5 + g] = weights(5, weights_scale * (0.017f - 0.002f * static_cast<float>(g)));
    const std::vector<std::int32_t> bias{100, -2000, 0, 777, 3000};
    inputs[12 + g] =
        is_byte ? b.constant<std::int32_t>(TensorType_INT32, {5}, {}, bias)
                : b.constant<std::int64_t>(TensorType_INT64, {5}, {}, std::vector<std::int64_t>(bias.begin(), bias.end()));
  }
  b.add(BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {y},
        CreateUnidirectionalSequenceLSTMOptions(b.file(), Activation_TANH, 10.0f, 0, is_time_major));
  return b.finish({x}, {y});
}
template <class State>
std::vector<unsigned char> svdf_of() {
  using namespace tflite;
  builder b;
  support::random_bits random;
  const TensorType type = sizeof(State) == 1 ? TensorType_INT8 : TensorType_INT16;
  const int x = b.activation(TensorType_INT8, {2, 4}, {{0.03f}, {7}});
  const int y = b.activation(TensorType_INT8, {2, 3}, {{0.05f}, {-128}});
  const int state = b.state(type, {2, 24}, {{sizeof(State) == 1 ? 0.05f : 0.0002f}, {0}});
  const auto weights = [&](auto zero, TensorType of, int columns, float scale) {
    std::vector<decltype(zero)> all;
    for (int i = 0; i < 6 * columns; ++i) all.push_back(static_cast<decltype(zero)>(random.between(-127, 127)));
    return b.constant<decltype(zero)>(of, {6, columns}, {{scale}, {0}}, all);
  };
  const int feature = weights(std::int8_t{}, TensorType_INT8, 4, 0.01f), time = weights(State{}, type, 4, 0.02f);
  const int bias = b.constant<std::int32_t>(TensorType_INT32, {3}, {}, {100, -2000, 777});
  b.add(BuiltinOperator_SVDF, {x, feature, time, bias, state}, {y}, CreateSVDFOptions(b.file(), 2, Activation_RELU));
  return b.finish({x}, {y});
}

}  // namespace model
