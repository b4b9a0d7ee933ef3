"""References of the Cortex-M backend of ExecuTorch as its Python writes them, in floating point, beside what its kernels compute exactly."""
import numpy as np

import dyadic


def divide_in_floats(n, d):
    """int8 by int8 at scale 1: a quotient of binary32, ties to even."""
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(d == 0, np.float32(0), n.astype(np.float32) / d.astype(np.float32))
    return np.clip(np.rint(q), -128, 127).astype(np.int8)


def divide_exactly(n, d):
    """The kernel rounds ties away from zero. The quotient is rounded once, in integers."""
    n, d = n.astype(np.int64), d.astype(np.int64)
    size = (2 * np.abs(n) + np.abs(d)) // np.maximum(2 * np.abs(d), 1)
    return np.clip(np.where(d == 0, 0, np.sign(n) * np.sign(d) * size), -128, 127).astype(np.int8)


def pool_in_floats(windows):
    """The mean of each row in binary32, ties to even."""
    return np.rint(windows.astype(np.float32).mean(-1, dtype=np.float32)).astype(np.int8)


def pool_exactly(windows):
    """CMSIS-NN's average: ties away from zero."""
    x = windows.reshape(-1, 1, windows.shape[-1], 1)
    return dyadic.average_pool(x, (1, windows.shape[-1]), rule="cmsis_nn::average").reshape(windows.shape[:-1])


def softmax_in_floats(x, scale):
    """A softmax of binary32 with a correctly rounded exp, ties to even."""
    powers = dyadic.exp((x.astype(np.float32) - x.max(-1, keepdims=True).astype(np.float32)) * np.float32(scale))
    total = np.zeros(x.shape[:-1], np.float32)
    for i in range(x.shape[-1]):
        total = total + powers[..., i]
    return np.clip(np.rint(powers / total[..., None] * np.float32(256)) - 128, -128, 127).astype(np.int8)


def softmax_exactly(x, scale):
    """CMSIS-NN's softmax of int8, which is TFLite's."""
    return dyadic.softmax(x, scale)


def pairs():
    """All pairs of int8."""
    codes = np.arange(-128, 128, dtype=np.int8)
    return np.repeat(codes, 256), np.tile(codes, 256)


def pool_windows(count):
    """One window of `count` elements for each sum that they can have."""
    sums = np.arange(-128 * count, 127 * count + 1)
    return (sums[:, None] // count + (np.arange(count) < sums[:, None] % count)).astype(np.int8)
