#!/usr/bin/env python3
"""Trains and quantizes the digits networks, and writes digits_data.hpp into this folder.

usage: train.py [digits.csv.gz]

Networks:
  linear         64 -> 32 -> 10
  convolutional  convolution 3x3, 1 -> 8 channels; depthwise convolution 3x3, stride 2; linear layer 128 -> 10
  residual       64 -> 24 -> 24 + 24 -> 10, with a residual block
ReLU follows all layers but the last. In the residual block it follows the addition.
The data are the 1797 images of 8x8 pixels that Debian ships in python3-sklearn.
Every step is an IEEE addition, multiplication or division in a fixed order: no BLAS, no exp, no log, and uniform
random numbers from the frozen RandomState stream. The header is therefore the same, byte for byte, on every machine.
"""

import math
import pathlib
import sys
from fractions import Fraction

import numpy as np

DEFAULT_CSV = "/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"
OUTPUT = pathlib.Path(__file__).resolve().parent / "digits_data.hpp"

SEED = 1
IMAGES, TEST_IMAGES = 1797, 599
SIDE, CLASSES = 8, 10
PIXELS = SIDE * SIDE
PIXEL_MAX = 16
EPOCHS, BATCH = 120, 32
LEARNING_RATE, MOMENTUM, WEIGHT_DECAY = 0.005, 0.9, 1e-3
COLUMNS = 140


# ---- data -----------------------------------------------------------------------------------------------------------


def load(path):
    """Returns (train pixels, train labels, test pixels, test labels) under a fixed permutation."""
    table = np.loadtxt(path, delimiter=",").astype(np.int64)
    assert table.shape == (IMAGES, PIXELS + 1), table.shape
    pixels, labels = table[:, :PIXELS].reshape(-1, SIDE, SIDE, 1), table[:, PIXELS]
    assert pixels.min() == 0 and pixels.max() == PIXEL_MAX
    order = np.random.RandomState(SEED).permutation(IMAGES)
    test, train = order[:TEST_IMAGES], order[TEST_IMAGES:]
    return pixels[train], labels[train], pixels[test], labels[test]


# ---- float network ---------------------------------------------------------------------------------------------------


def product(a, b):
    """a @ b, summed in index order so that no library or thread count can change the rounding."""
    total = np.zeros((a.shape[0], b.shape[1]), np.result_type(a, b))
    for k in range(a.shape[1]):
        total += a[:, k, None] * b[k]
    return total


def pairwise(x):
    """Returns the sum over all axes but the last. The second half is added to the first half until one row is left."""
    x = x.reshape(-1, x.shape[-1])
    while len(x) > 1:
        half = (len(x) + 1) // 2
        first, second = x[:half].copy(), x[half:]
        first[:len(second)] += second
        x = first
    return x[0]


class Linear:
    """A linear layer: weights[k, channel] times the values of an image."""

    def __init__(self, depth, channels):
        self.depth, self.shape = depth, (depth, channels)

    def sums(self, x, w):
        """Returns the sums, one row for each image."""
        return product(x.reshape(len(x), -1), w)

    def weight_gradients(self, x, d):
        """Returns the gradients of weights and bias; d is the gradient of the sums."""
        return product(x.reshape(len(x), -1).T, d), product(np.ones((1, len(x))), d)[0]

    def input_gradient(self, x, w, d):
        """Returns the gradient of the input; d is the gradient of the sums."""
        return product(d, w.T).reshape(x.shape)

    def flat(self, w):
        """Returns the weights in the order of the header: a row for each channel."""
        return w.T


class Residual(Linear):
    """A residual layer: x plus a linear layer of x."""

    def __init__(self, channels):
        super().__init__(channels, channels)

    def sums(self, x, w):
        """Returns the sums, one row for each image."""
        return x + self.branch(x, w)

    def branch(self, x, w):
        """Returns the outputs of the linear layer, without x."""
        return super().sums(x, w)

    def input_gradient(self, x, w, d):
        """Returns the gradient of the input; d is the gradient of the sums."""
        return d + super().input_gradient(x, w, d)


class Window:
    """A layer of 3x3 taps over NHWC images: weights[ky, kx, channel], padded to ceil(size / stride) outputs, an odd zero at the end.

    Every channel reads the input channel of its number, or the only one there is.
    """

    def __init__(self, channels, stride, depthwise):
        self.depth, self.shape, self.stride, self.depthwise = 9, (3, 3, channels), stride, depthwise

    def padded(self, x):
        """Returns x with its padding of zeros."""
        size = x.shape[1]
        total = max((-(-size // self.stride) - 1) * self.stride + 3 - size, 0)
        pad = (total // 2, total - total // 2)
        return np.pad(x, ((0, 0), pad, pad, (0, 0)))

    def taps(self, padded):
        """Yields (ky, kx, inputs of this tap) of padded images; the inputs are a view."""
        span = padded.shape[1] - 2
        for ky in range(3):
            for kx in range(3):
                yield ky, kx, padded[:, ky:ky + span:self.stride, kx:kx + span:self.stride]

    def sums(self, x, w):
        """Returns the sums of all windows."""
        return sum(v * w[ky, kx] for ky, kx, v in self.taps(self.padded(x)))

    def weight_gradients(self, x, d):
        """Returns the gradients of weights and bias; d is the gradient of the sums."""
        w = np.zeros(self.shape)
        for ky, kx, v in self.taps(self.padded(x)):
            w[ky, kx] = pairwise(v * d)
        return w, pairwise(d)

    def input_gradient(self, x, w, d):
        """Returns the gradient of the input; d is the gradient of the sums. The first row and column of x have no padding before them."""
        padded = np.zeros_like(self.padded(x))
        for ky, kx, v in self.taps(padded):
            v += d * w[ky, kx]
        return padded[:, :x.shape[1], :x.shape[2]]

    def flat(self, w):
        """Returns the weights in the order of the header: OHWI, or 1HWO if depthwise."""
        rows = w.reshape(9, -1)
        return rows if self.depthwise else rows.T


LINEAR = [Linear(PIXELS, 32), Linear(32, CLASSES)]
RESIDUAL = [Linear(PIXELS, 24), Residual(24), Linear(24, CLASSES)]
CONVOLUTIONAL = [Window(8, 1, depthwise=False), Window(8, 2, depthwise=True), Linear(8 * 16, CLASSES)]


def forward(network, parameters, x):
    """Returns the outputs of all layers; the last layer has no ReLU."""
    outputs = []
    for layer, (w, b) in zip(network, parameters):
        x = layer.sums(x, w) + b
        if layer is not network[-1]:
            x = np.maximum(x, 0.0)
        outputs.append(x)
    return outputs


def initial_parameters(network, random):
    """Returns uniform weights with variance 2/depth, and zero biases."""
    def uniform(shape, depth):
        w = (2.0 * random.random_sample((shape[-1], depth)) - 1.0) * math.sqrt(6.0 / depth)
        return w.T.reshape(shape)
    return [[uniform(layer.shape, layer.depth), np.zeros(layer.shape[-1])] for layer in network]


def gradients(network, parameters, x, target):
    """Returns the gradient of the mean squared hinge loss max(0, 1 - target * logit)^2, target in {-1, 1}, plus weight decay."""
    outputs = forward(network, parameters, x)
    d = -2.0 * target * np.maximum(1.0 - target * outputs[-1], 0.0) / len(x)
    found = []
    for layer, (w, _), y in reversed(list(zip(network, parameters, [x] + outputs[:-1]))):
        w_gradient, b_gradient = layer.weight_gradients(y, d)
        found.insert(0, [w_gradient + WEIGHT_DECAY * w, b_gradient])
        if layer is not network[0]:
            d = layer.input_gradient(y, w, d) * (y > 0.0)
    return found


def train(network, pixels, labels):
    """Gradient descent with momentum; the rate falls linearly to zero. Returns fp32 values for raw pixels 0..16.

    Training sees pixels in units of 16, a linear first layer each pixel less its mean; both are folded into the first
    layer at the end.
    """
    random = np.random.RandomState(SEED)
    parameters = initial_parameters(network, random)
    velocity = [[np.zeros_like(p) for p in layer] for layer in parameters]
    centred = isinstance(network[0], Linear)
    mean = pixels.sum(axis=0) / len(pixels) if centred else np.zeros(pixels.shape[1:])
    x = (pixels - mean) / PIXEL_MAX
    target = np.where(labels[:, None] == np.arange(CLASSES), 1.0, -1.0)
    for epoch in range(EPOCHS):
        rate = LEARNING_RATE * (1.0 - epoch / EPOCHS)
        order = random.permutation(len(x))
        for start in range(0, len(x), BATCH):
            batch = order[start:start + BATCH]
            found = gradients(network, parameters, x[batch], target[batch])
            for p, v, g in zip(sum(parameters, []), sum(velocity, []), sum(found, [])):
                v *= MOMENTUM
                v -= rate * g
                p += v
    parameters[0][0] /= PIXEL_MAX
    if centred:
        parameters[0][1] -= network[0].sums(mean[None], parameters[0][0])[0]
    return [[fp32(p) for p in layer] for layer in parameters]


# ---- quantization ---------------------------------------------------------------------------------------------------


def fp32(x):
    """Returns the nearest fp32 value, as a double."""
    return np.asarray(x).astype(np.float32).astype(np.float64)


def half_up(x):
    """Rounds a double to the nearest integer, ties up."""
    return np.floor(x + 0.5).astype(np.int64)


def symmetric_per_channel(w):
    """Returns int8 weights in -127..127 with one scale per channel and zero point 0."""
    scale = fp32(np.abs(w).reshape(-1, w.shape[-1]).max(axis=0) / 127.0)
    return np.clip(half_up(w / scale), -127, 127), scale, 0


def asymmetric(low, high):
    """Returns (scale, zero point) that map the real range low..high, zero included, to int8."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = float(fp32((high - low) / 255.0))
    return scale, int(half_up(-128.0 - low / scale))


def asymmetric_per_tensor(w):
    """Returns int8 weights with one scale and one zero point for the tensor."""
    scale, zero_point = asymmetric(w.min(), w.max())
    return np.clip(half_up(w / scale) + zero_point, -128, 127), np.array([scale]), zero_point


def symmetric_int16(low, high):
    """Returns (scale, zero point) that map the real range to -32767..32767."""
    return float(fp32(max(-low, high) / 32767.0)), 0


def quantize_layer(w, b, x, y, y_range, quantize_weights):
    """One quantized layer; x and y are (scale, zero point), y_range is (y_min, y_max)."""
    weights, w_scale, w_zero_point = quantize_weights(w)
    return dict(weights=weights, bias=half_up(b / (x[0] * w_scale)), x_scale=x[0], x_zero_point=x[1],
                w_scale=w_scale, w_zero_point=w_zero_point, y_scale=y[0], y_zero_point=y[1],
                y_min=y_range[0], y_max=y_range[1])


def real_ranges(outputs):
    """Returns (low, high) of the pixels and of the outputs of each layer; low is 0 after a ReLU."""
    hidden = [(0.0, y.max()) for y in outputs[:-1]]
    return [(0.0, float(PIXEL_MAX)), *hidden, (outputs[-1].min(), outputs[-1].max())]


def quantize_a16w8(parameters, ranges):
    """int16 activations and int8 weights, all symmetric, weights per channel."""
    a = [symmetric_int16(*r) for r in ranges]
    last = len(parameters) - 1
    return [quantize_layer(w, b, a[i], a[i + 1], (0 if i < last else -32767, 32767), symmetric_per_channel)
            for i, (w, b) in enumerate(parameters)]


def quantize_residual(network, parameters, ranges, x):
    """Quantizes like quantize_a16w8. The outputs of a residual layer are those of its branch, with the range that x shows; `sum` adds x."""
    quantized = quantize_a16w8(parameters, ranges)
    for layer, (w, b), q in zip(network, parameters, quantized):
        if isinstance(layer, Residual):
            branch = layer.branch(x, w) + b
            scale, zero_point = symmetric_int16(branch.min(), branch.max())
            q["sum"] = dict(x_scale=q["x_scale"], branch_scale=scale, y_scale=q["y_scale"], y_min=q["y_min"], y_max=q["y_max"])
            q.update(y_scale=scale, y_zero_point=zero_point, y_min=-32767)
        x = np.maximum(layer.sums(x, w) + b, 0.0)
    return quantized


def quantize_a8w8(parameters, ranges):
    """Asymmetric int8 activations; weights per channel symmetric, in the last layer per tensor asymmetric."""
    a = [asymmetric(*r) for r in ranges]
    last = len(parameters) - 1
    return [quantize_layer(w, b, a[i], a[i + 1], (-128, 127), symmetric_per_channel if i < last else asymmetric_per_tensor)
            for i, (w, b) in enumerate(parameters)]


# ---- exact simulation -----------------------------------------------------------------------------------------------


def rescale(acc, multiplier):
    """Returns acc * multiplier as a rational number, rounded once, half up."""
    n, d = multiplier.numerator, multiplier.denominator
    return ((2 * n * acc.astype(object) + d) // (2 * d)).astype(np.int64)


def run_layer(layer, q, x):
    """Runs the layer in integers: exact int64 accumulator, one rounding per output. A residual layer also rounds the sum."""
    sums = layer.branch if "sum" in q else layer.sums
    acc = sums(x - q["x_zero_point"], q["weights"] - q["w_zero_point"]) + q["bias"]
    y = np.empty_like(acc)
    for channel in range(acc.shape[-1]):
        w_scale = Fraction(float(q["w_scale"][channel % len(q["w_scale"])]))
        multiplier = Fraction(q["x_scale"]) * w_scale / Fraction(q["y_scale"])
        y[..., channel] = rescale(acc[..., channel], multiplier)
    y = np.clip(y + q["y_zero_point"], q["y_min"], q["y_max"])
    return run_sum(q["sum"], x, y) if "sum" in q else y


def run_sum(s, x, branch):
    """Returns x plus the branch in the scale of y, as one rational number, rounded once, half up."""
    scales = [Fraction(s[name]) / Fraction(s["y_scale"]) for name in ("x_scale", "branch_scale")]
    common = math.lcm(*(scale.denominator for scale in scales))
    a, b = (int(scale * common) for scale in scales)
    y = rescale(a * x.astype(object) + b * branch.astype(object), Fraction(1, common))
    return np.clip(y, s["y_min"], s["y_max"])


def run_network(network, quantized, pixels):
    """Returns the integer logits of raw pixels."""
    x = half_up(pixels / quantized[0]["x_scale"]) + quantized[0]["x_zero_point"]
    for layer, q in zip(network, quantized):
        x = run_layer(layer, q, x)
    return x


# ---- header ---------------------------------------------------------------------------------------------------------

PREAMBLE = """\
// clang-format off
// The digits networks: held-out test images, float parameters and quantized forms. Written by train.py.
//
// Data: Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning Repository (1998),
// licensed under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/). The images are preprocessed 8x8 bitmaps: each
// pixel counts the black points, 0..16, of a 4x4 block of the original. The 599 images here are the held-out split, in
// permuted order; the parameters were trained on the other 1198.
//
// Networks: linear 64 -> 32 -> 10; 8x8x1 -> convolution 3x3 -> 8x8x8 -> depthwise 3x3, stride 2 -> 4x4x8 -> linear -> 10,
// padded as TFLite's SAME; and 64 -> 24 -> 24 -> 10, in whose middle `sum` adds x, of x_scale, and the layer's output, of
// branch_scale. ReLU follows all layers but the last, in the middle the sum. The float networks take raw pixels;
// y_low..y_high is what a layer gave in training. Weights: one row after the other for each output channel, [channel][k] and OHWI;
// depthwise 1HWO.
// real = scale * (stored - zero_point). A pixel p enters as floor(p / x_scale + 0.5) + x_zero_point, in double.
// Bias has the scale x_scale * w_scale[channel] and zero point 0; a w_scale of length 1 holds for all channels. The output
// is clamp(acc * (x_scale * w_scale / y_scale) + y_zero_point, y_min, y_max); ReLU is in y_min. Each scale is a double with
// an exact fp32 value.
#pragma once

#include <cstdint>
"""


def hex_float(x):
    """A hex float literal without trailing zeros."""
    mantissa, exponent = float(x).hex().split("p")
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent if "." in mantissa else mantissa + "p" + exponent


def hex_float32(x):
    """Returns a hex float literal of a float."""
    return hex_float(x) + "f"


def wrapped(words, indent):
    """Comma-separated words in lines of at most COLUMNS characters."""
    lines, line = [], indent
    for word in words:
        if len(line) + len(word) + 1 > COLUMNS:
            lines.append(line)
            line = indent
        line += word + ","
    return "\n".join(lines + [line]) + "\n"


def array(kind, name, values, literal=str, storage="static"):
    """A constexpr array; a matrix is flat, one row after the other."""
    head = f"{storage} constexpr {kind} {name}[{' * '.join(map(str, values.shape))}] = {{\n"
    rows = values.tolist() if values.ndim == 2 else [values.tolist()]
    return head + "".join(wrapped(map(literal, row), "  ") for row in rows) + "};\n"


def scalar(kind, name, value, storage="static"):
    """A constexpr scalar."""
    return f"{storage} constexpr {kind} {name} = {value};\n"


def namespace(name, *parts):
    """The parts inside a namespace."""
    return f"\nnamespace {name} {{\n" + "".join(parts) + f"}}  // namespace {name}\n"


def structure(name, *parts):
    """The parts inside a struct: unlike a namespace, it can be handed to a template."""
    return f"\nstruct {name} {{\n" + "".join(parts) + "};\n"


def sum_members(q):
    """Returns the members that a residual layer adds."""
    return "" if "sum" not in q else structure(
        "sum", *(scalar("double" if name.endswith("scale") else "std::int32_t", name,
                        hex_float(value) if name.endswith("scale") else value) for name, value in q["sum"].items())).lstrip("\n")


def float_layers(network, parameters, ranges):
    """The float parameters."""
    return namespace("float32", *(
        structure(
            f"layer{i + 1}",
            array("float", "weights", layer.flat(w), hex_float32),
            array("float", "bias", b, hex_float32),
            scalar("bool", "relu", "false" if i + 1 == len(network) else "true"),
            scalar("float", "y_low", hex_float32(fp32(ranges[i + 1][0]))),
            scalar("float", "y_high", hex_float32(fp32(ranges[i + 1][1]))))
        for i, (layer, (w, b)) in enumerate(zip(network, parameters))))


def quantized_layers(name, network, quantized, bias_kind):
    """One quantized form; the members have the same names in every layer."""
    int32 = "std::int32_t"
    return namespace(name, *(
        structure(
            f"layer{i + 1}",
            array("std::int8_t", "weights", layer.flat(q["weights"])),
            array(bias_kind, "bias", q["bias"]),
            scalar("double", "x_scale", hex_float(q["x_scale"])),
            scalar(int32, "x_zero_point", q["x_zero_point"]),
            array("double", "w_scale", q["w_scale"], hex_float),
            scalar(int32, "w_zero_point", q["w_zero_point"]),
            scalar("double", "y_scale", hex_float(q["y_scale"])),
            scalar(int32, "y_zero_point", q["y_zero_point"]),
            scalar(int32, "y_min", q["y_min"]),
            scalar(int32, "y_max", q["y_max"]),
            sum_members(q))
        for i, (layer, q) in enumerate(zip(network, quantized))))


def header(pixels, labels, *networks):
    """The text of digits_data.hpp."""
    return PREAMBLE + namespace(
        "digits",
        "\n",
        scalar("int", "image_count", TEST_IMAGES, "inline"),
        scalar("int", "image_side", SIDE, "inline"),
        scalar("int", "pixel_max", PIXEL_MAX, "inline"),
        scalar("int", "class_count", CLASSES, "inline"),
        "\n",
        array("std::uint8_t", "images", pixels.reshape(TEST_IMAGES, PIXELS), storage="inline"),
        array("std::uint8_t", "labels", labels, storage="inline"),
        *networks,
        "\n")


def report(name, logits, labels):
    """Prints one line: how many test images the logits classify correctly, first maximum wins."""
    correct = int((logits.argmax(axis=1) == labels).sum())
    print(f"{name:<20} {correct}/{len(labels)}  {100.0 * correct / len(labels):.2f} %")


def main():
    """Trains, quantizes, reports and writes."""
    csv = sys.argv[1] if len(sys.argv) > 1 else DEFAULT_CSV
    train_pixels, train_labels, test_pixels, test_labels = load(csv)
    a16w8 = ("a16w8", quantize_a16w8, "std::int64_t")
    a8w8 = ("a8w8", quantize_a8w8, "std::int32_t")
    texts = []
    for name, network, forms in [("linear", LINEAR, [a16w8, a8w8]), ("convolutional", CONVOLUTIONAL, [a16w8])]:
        parameters = train(network, train_pixels, train_labels)
        ranges = real_ranges(forward(network, parameters, train_pixels.astype(np.float64)))
        report(f"{name} float", forward(network, parameters, test_pixels.astype(np.float64))[-1], test_labels)
        parts = [float_layers(network, parameters, ranges)]
        for form, quantize, bias_kind in forms:
            quantized = quantize(parameters, ranges)
            report(f"{name} {form}", run_network(network, quantized, test_pixels), test_labels)
            parts.append(quantized_layers(form, network, quantized, bias_kind))
        texts.append(namespace(name, *parts))
    parameters = train(RESIDUAL, train_pixels, train_labels)
    x = train_pixels.astype(np.float64)
    quantized = quantize_residual(RESIDUAL, parameters, real_ranges(forward(RESIDUAL, parameters, x)), x)
    report("residual float", forward(RESIDUAL, parameters, test_pixels.astype(np.float64))[-1], test_labels)
    report("residual a16w8", run_network(RESIDUAL, quantized, test_pixels), test_labels)
    texts.append(namespace("residual", quantized_layers("a16w8", RESIDUAL, quantized, "std::int64_t")))
    OUTPUT.write_text(header(test_pixels, test_labels, *texts), encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
