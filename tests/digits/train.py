#!/usr/bin/env python3
"""Trains and quantizes the digits network and writes digits_data.hpp beside this file.

usage: train.py [digits.csv.gz]

The network is 64 -> 32 (ReLU) -> 10 on the 1797 images of 8x8 pixels that Debian ships in python3-sklearn.
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
PIXELS, HIDDEN, CLASSES = 64, 32, 10
PIXEL_MAX = 16
EPOCHS, BATCH = 120, 32
LEARNING_RATE, MOMENTUM, WEIGHT_DECAY = 0.005, 0.9, 1e-3
COLUMNS = 140


# ---- data -----------------------------------------------------------------------------------------------------------


def load(path):
    """Returns (train pixels, train labels, test pixels, test labels) under a fixed permutation."""
    table = np.loadtxt(path, delimiter=",").astype(np.int64)
    assert table.shape == (IMAGES, PIXELS + 1), table.shape
    pixels, labels = table[:, :PIXELS], table[:, PIXELS]
    assert pixels.min() == 0 and pixels.max() == PIXEL_MAX
    order = np.random.RandomState(SEED).permutation(IMAGES)
    test, train = order[:TEST_IMAGES], order[TEST_IMAGES:]
    return pixels[train], labels[train], pixels[test], labels[test]


# ---- float network --------------------------------------------------------------------------------------------------


def product(a, b):
    """a @ b, summed in index order so that no library or thread count can change the rounding."""
    total = np.zeros((a.shape[0], b.shape[1]))
    for k in range(a.shape[1]):
        total += a[:, k, None] * b[k]
    return total


def forward(parameters, x):
    """Returns (hidden activations, logits)."""
    w1, b1, w2, b2 = parameters
    hidden = np.maximum(product(x, w1.T) + b1, 0.0)
    return hidden, product(hidden, w2.T) + b2


def initial_parameters(random):
    """Uniform weights with variance 2/depth, zero biases."""
    def uniform(rows, depth):
        return (2.0 * random.random_sample((rows, depth)) - 1.0) * math.sqrt(6.0 / depth)
    return [uniform(HIDDEN, PIXELS), np.zeros(HIDDEN), uniform(CLASSES, HIDDEN), np.zeros(CLASSES)]


def gradients(parameters, x, target):
    """Of the mean squared hinge loss max(0, 1 - target * logit)^2, target in {-1, 1}, plus weight decay."""
    w1, _, w2, _ = parameters
    hidden, logits = forward(parameters, x)
    d_logits = -2.0 * target * np.maximum(1.0 - target * logits, 0.0) / len(x)
    d_hidden = product(d_logits, w2) * (hidden > 0.0)
    ones = np.ones((1, len(x)))
    return [product(d_hidden.T, x) + WEIGHT_DECAY * w1, product(ones, d_hidden)[0],
            product(d_logits.T, hidden) + WEIGHT_DECAY * w2, product(ones, d_logits)[0]]


def train(pixels, labels):
    """Gradient descent with momentum; the rate falls linearly to zero. Returns fp32 values for raw pixels 0..16.

    Training sees each pixel less its mean, in units of 16; both are folded into the first layer at the end.
    """
    random = np.random.RandomState(SEED)
    parameters = initial_parameters(random)
    velocity = [np.zeros_like(p) for p in parameters]
    mean = pixels.sum(axis=0) / len(pixels)
    x = (pixels - mean) / PIXEL_MAX
    target = np.where(labels[:, None] == np.arange(CLASSES), 1.0, -1.0)
    for epoch in range(EPOCHS):
        rate = LEARNING_RATE * (1.0 - epoch / EPOCHS)
        order = random.permutation(len(x))
        for start in range(0, len(x), BATCH):
            batch = order[start:start + BATCH]
            for p, v, g in zip(parameters, velocity, gradients(parameters, x[batch], target[batch])):
                v *= MOMENTUM
                v -= rate * g
                p += v
    parameters[0] /= PIXEL_MAX
    parameters[1] -= product(parameters[0], mean[:, None])[:, 0]
    return [fp32(p) for p in parameters]


# ---- quantization ---------------------------------------------------------------------------------------------------


def fp32(x):
    """The nearest fp32 value, held in a double."""
    return np.asarray(x).astype(np.float32).astype(np.float64)


def half_up(x):
    """Rounds a double to the nearest integer, ties up."""
    return np.floor(x + 0.5).astype(np.int64)


def symmetric_per_channel(w):
    """int8 weights in -127..127 with one scale per row and zero point 0."""
    scale = fp32(np.abs(w).max(axis=1) / 127.0)
    return np.clip(half_up(w / scale[:, None]), -127, 127), scale, 0


def asymmetric(low, high):
    """(scale, zero point) that map the real range low..high, zero included, onto int8."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = float(fp32((high - low) / 255.0))
    return scale, int(half_up(-128.0 - low / scale))


def asymmetric_per_tensor(w):
    """int8 weights with one scale and one zero point for the tensor."""
    scale, zero_point = asymmetric(w.min(), w.max())
    return np.clip(half_up(w / scale) + zero_point, -128, 127), np.array([scale]), zero_point


def symmetric_int16(low, high):
    """(scale, zero point) that map the real range onto -32767..32767."""
    return float(fp32(max(-low, high) / 32767.0)), 0


def layer(w, b, x, y, y_range, quantize_weights):
    """One quantized layer; x and y are (scale, zero point), y_range is (y_min, y_max)."""
    weights, w_scale, w_zero_point = quantize_weights(w)
    return dict(weights=weights, bias=half_up(b / (x[0] * w_scale)), x_scale=x[0], x_zero_point=x[1],
                w_scale=w_scale, w_zero_point=w_zero_point, y_scale=y[0], y_zero_point=y[1],
                y_min=y_range[0], y_max=y_range[1])


def quantize_a16w8(parameters, hidden, logits):
    """int16 activations and int8 weights, all symmetric, weights per channel."""
    w1, b1, w2, b2 = parameters
    x = symmetric_int16(0.0, float(PIXEL_MAX))
    h = symmetric_int16(0.0, hidden.max())
    y = symmetric_int16(logits.min(), logits.max())
    return [layer(w1, b1, x, h, (0, 32767), symmetric_per_channel),
            layer(w2, b2, h, y, (-32767, 32767), symmetric_per_channel)]


def quantize_a8w8(parameters, hidden, logits):
    """Asymmetric int8 activations; weights per channel symmetric, then per tensor asymmetric."""
    w1, b1, w2, b2 = parameters
    x = asymmetric(0.0, float(PIXEL_MAX))
    h = asymmetric(0.0, hidden.max())
    y = asymmetric(logits.min(), logits.max())
    return [layer(w1, b1, x, h, (-128, 127), symmetric_per_channel),
            layer(w2, b2, h, y, (-128, 127), asymmetric_per_tensor)]


# ---- exact simulation -----------------------------------------------------------------------------------------------


def rescale(acc, multiplier):
    """acc * multiplier as a rational number, rounded once, half up."""
    n, d = multiplier.numerator, multiplier.denominator
    return ((2 * n * acc.astype(object) + d) // (2 * d)).astype(np.int64)


def run_layer(q, x):
    """The layer in integers: exact int64 accumulator, one rounding per output."""
    acc = (x - q["x_zero_point"]) @ (q["weights"] - q["w_zero_point"]).T + q["bias"]
    y = np.empty_like(acc)
    for row in range(acc.shape[1]):
        w_scale = Fraction(float(q["w_scale"][row % len(q["w_scale"])]))
        multiplier = Fraction(q["x_scale"]) * w_scale / Fraction(q["y_scale"])
        y[:, row] = rescale(acc[:, row], multiplier)
    return np.clip(y + q["y_zero_point"], q["y_min"], q["y_max"])


def run_network(layers, pixels):
    """Integer logits of raw pixels."""
    x = half_up(pixels / layers[0]["x_scale"]) + layers[0]["x_zero_point"]
    for q in layers:
        x = run_layer(q, x)
    return x


# ---- header ---------------------------------------------------------------------------------------------------------

PREAMBLE = """\
// clang-format off
// The digits network: held-out test images, float parameters and two quantized forms. Written by train.py.
//
// Data: Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning Repository (1998),
// licensed under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/). The images are preprocessed 8x8 bitmaps: each
// pixel counts the black points, 0..16, of a 4x4 block of the original. The 599 images here are the held-out split, in
// permuted order; the parameters were trained on the other 1198.
//
// Network: 64 -> 32 (ReLU) -> 10, weights[row * depth + k], y = weights * x + bias. The float network takes raw pixels.
// real = scale * (stored - zero_point). A pixel p enters as floor(p / x_scale + 0.5) + x_zero_point, in double.
// Bias has the scale x_scale * w_scale[row] and zero point 0; a w_scale of length 1 holds for all rows. The output is
// clamp(acc * (x_scale * w_scale / y_scale) + y_zero_point, y_min, y_max); ReLU of layer1 is its y_min. Each scale is a
// double with an exact fp32 value.
#pragma once

#include <cstdint>
"""


def hex_float(x):
    """A hex float literal without trailing zeros."""
    mantissa, exponent = float(x).hex().split("p")
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent if "." in mantissa else mantissa + "p" + exponent


def wrapped(words, indent):
    """Comma-separated words in lines of at most COLUMNS characters."""
    lines, line = [], indent
    for word in words:
        if len(line) + len(word) + 1 > COLUMNS:
            lines.append(line)
            line = indent
        line += word + ","
    return "\n".join(lines + [line]) + "\n"


def array(kind, name, values, literal=str):
    """A constexpr array; a matrix is flat, one row after the other."""
    head = f"inline constexpr {kind} {name}[{' * '.join(map(str, values.shape))}] = {{\n"
    rows = values.tolist() if values.ndim == 2 else [values.tolist()]
    return head + "".join(wrapped(map(literal, row), "  ") for row in rows) + "};\n"


def scalar(kind, name, value):
    """A constexpr scalar."""
    return f"inline constexpr {kind} {name} = {value};\n"


def namespace(name, *parts):
    """The parts inside a namespace."""
    return f"\nnamespace {name} {{\n" + "".join(parts) + f"}}  // namespace {name}\n"


def float_layer(name, w, b):
    """The float parameters of one layer."""
    def literal(x):
        return hex_float(x) + "f"
    return namespace(name, array("float", "weights", w, literal), array("float", "bias", b, literal))


def quantized_layer(name, q, bias_kind):
    """One quantized layer; the members have the same names in every layer."""
    int32 = "std::int32_t"
    return namespace(
        name,
        array("std::int8_t", "weights", q["weights"]),
        array(bias_kind, "bias", q["bias"]),
        scalar("double", "x_scale", hex_float(q["x_scale"])),
        scalar(int32, "x_zero_point", q["x_zero_point"]),
        array("double", "w_scale", q["w_scale"], hex_float),
        scalar(int32, "w_zero_point", q["w_zero_point"]),
        scalar("double", "y_scale", hex_float(q["y_scale"])),
        scalar(int32, "y_zero_point", q["y_zero_point"]),
        scalar(int32, "y_min", q["y_min"]),
        scalar(int32, "y_max", q["y_max"]))


def quantized_network(name, layers, bias_kind):
    """Both layers of one format."""
    return namespace(name, quantized_layer("layer1", layers[0], bias_kind), quantized_layer("layer2", layers[1], bias_kind))


def header(pixels, labels, parameters, a16w8, a8w8):
    """The text of digits_data.hpp."""
    w1, b1, w2, b2 = parameters
    return PREAMBLE + namespace(
        "digits",
        "\n",
        scalar("int", "image_count", TEST_IMAGES),
        scalar("int", "pixel_count", PIXELS),
        scalar("int", "hidden_count", HIDDEN),
        scalar("int", "class_count", CLASSES),
        "\n",
        array("std::uint8_t", "images", pixels),
        array("std::uint8_t", "labels", labels),
        namespace("float32", float_layer("layer1", w1, b1), float_layer("layer2", w2, b2)),
        quantized_network("a16w8", a16w8, "std::int64_t"),
        quantized_network("a8w8", a8w8, "std::int32_t"),
        "\n")


def report(name, logits, labels):
    """Prints one line: how many test images the logits classify correctly, first maximum wins."""
    correct = int((logits.argmax(axis=1) == labels).sum())
    print(f"{name:<6} {correct}/{len(labels)}  {100.0 * correct / len(labels):.2f} %")


def main():
    """Trains, quantizes, reports and writes."""
    csv = sys.argv[1] if len(sys.argv) > 1 else DEFAULT_CSV
    train_pixels, train_labels, test_pixels, test_labels = load(csv)
    parameters = train(train_pixels, train_labels)
    hidden, logits = forward(parameters, train_pixels.astype(np.float64))
    a16w8 = quantize_a16w8(parameters, hidden, logits)
    a8w8 = quantize_a8w8(parameters, hidden, logits)
    report("float", forward(parameters, test_pixels.astype(np.float64))[1], test_labels)
    report("a16w8", run_network(a16w8, test_pixels), test_labels)
    report("a8w8", run_network(a8w8, test_pixels), test_labels)
    OUTPUT.write_text(header(test_pixels, test_labels, parameters, a16w8, a8w8), encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
