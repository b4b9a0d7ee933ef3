"""The arithmetic of quantized neural networks on numpy arrays, bit for bit.

A *scheme* is a published rule from accumulator to output. `scheme("tflite::double_rounding")` has `derive`, `apply` and `explain`.
A *layer* computes sums of products, and its scheme rescales them: `linear`, `conv2d`, `depthwise`.
An *operator* has no weights: `add`, `multiply`, `average_pool`, `softmax`, `table`.
The tools compare: `differing`, `Layer.agree`, `Layer.witness`, `identify`.

Images are NHWC. Scales are real numbers. A shift counts to the right unless its name says left. Contiguous arrays are read in place. What
the library refuses raises `Error`, whose text is the library's.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from ._core import Difference, Error

__all__ = ["Difference", "Error", "Fold", "Identification", "Layer", "Scheme", "add", "average_pool", "backend", "conv2d", "depthwise",
           "differing", "erf", "exp", "fold", "from_left_shifts", "gelu", "identify", "linear", "multiplier", "multiply", "populate",
           "same_padding", "scheme", "schemes", "sigmoid", "softmax", "table", "tanh"]

Pair = Union[int, tuple[int, int]]
"""One number for both axes of an image, or two: rows, columns."""
Padding = tuple[tuple[int, int], tuple[int, int]]
"""Padding before and after, of rows and of columns."""


Error.__doc__ = """What the library refuses. The text is that of the library's status."""
Difference.__doc__ = """The differences of two rules, or of two arrays. `str` of it is a sentence.

`differing` of `compared` accumulators, or elements, have different outputs. `first`, `smallest` (the least magnitude) and `worst` are tuples of
an accumulator, or an index, and both outputs. `worst_distance` counts output steps.
"""

_LINEAR, _CONV2D, _DEPTHWISE = range(3)


def backend() -> str:
    """The name of the best backend of this machine, such as `avx2`. The variable DYADIC_BACKEND of the environment chooses another."""
    return _core.backend()


# Schemes.


def multiplier(mantissa: ArrayLike, right_shift: ArrayLike) -> NDArray:
    """Multipliers `mantissa * 2**-right_shift` in a structured array, as `Scheme.derive` returns them. The shapes are broadcast."""
    mantissas, shifts = np.broadcast_arrays(_exact(mantissa, np.int64), _exact(right_shift, np.int32))
    made = np.zeros(mantissas.shape, _core.multiplier)
    made["mantissa"], made["right_shift"] = mantissas, shifts
    return made


def from_left_shifts(mantissa: ArrayLike, left_shift: ArrayLike, mantissa_bits: int = 31) -> NDArray:
    """The multipliers of TFLite, CMSIS-NN and ExecuTorch Cortex-M: `mantissa * 2**(left_shift - 31)`, with mantissas of 31 bits.

    With `mantissa_bits` 15 the mantissas are shortened as TFLite and CMSIS-NN do it for int16 activations.
    """
    if mantissa_bits == 15:
        return multiplier(_core.reduce(_exact(mantissa, np.int32)), 15 - _integers(left_shift))
    return multiplier(mantissa, 31 - _integers(left_shift))


@dataclass(frozen=True)
class Scheme:
    """A published rule from accumulator to output. `scheme` makes it."""

    _core: _core.Scheme

    @property
    def name(self) -> str:
        """The name as C++ writes it, such as `tosa::scale32`."""
        return self._core.name

    @property
    def accumulator_bits(self) -> int:
        """The bits of an accumulator: 32, 48 or 64."""
        return self._core.accumulator_bits

    @property
    def mantissa_bits(self) -> int:
        """The bits of a mantissa without its sign: 15 or 31. It is 0 if the multiplier is a real scale."""
        return self._core.mantissa_bits

    def derive(self, scale: ArrayLike) -> NDArray:
        """The multipliers of real scales, as the publisher derives them. Fields: `mantissa`, `right_shift`, `scale`."""
        return self._core.derive(np.asarray(scale, np.float64))

    def apply(self, acc: ArrayLike, multiplier: NDArray, *, dtype: Optional[DTypeLike] = None, zero_point: ArrayLike = 0,
              low: Optional[ArrayLike] = None, high: Optional[ArrayLike] = None) -> Union[int, NDArray]:
        """The outputs of accumulators. All arguments are broadcast by the rules of numpy.

        Without `dtype` it returns the rescaled accumulators as int64. With int8, uint8, int16 or int32 it adds `zero_point` and clamps to
        `low` and `high`, which are the limits of the type unless they are given. Raises Error for an accumulator or a multiplier for which
        the publisher defines no result.
        """
        acc = _integers(acc)
        bits = 32 if np.can_cast(acc.dtype, np.int32) else 64
        acc, m = _exact(acc, np.int32 if bits == 32 else np.int64), _multipliers(multiplier)
        if dtype is None:
            return getattr(self._core, f"rescale_{bits}")(acc, m)
        if np.dtype(dtype).name not in ("int8", "uint8", "int16", "int32"):
            raise TypeError(f"outputs are int8, uint8, int16 or int32, not {np.dtype(dtype)}")
        limits = (_exact(limit, np.int32) for limit in (zero_point, *_bounds(dtype, low, high)))
        return getattr(self._core, f"{np.dtype(dtype).name}_{bits}")(acc, m, *limits)

    def explain(self, acc: int, multiplier: NDArray) -> str:
        """The steps of the rule for one accumulator, each with its value."""
        return self._core.explain(acc, _one(multiplier))


_schemes = {s.name: Scheme(s) for s in _core.schemes()}


def schemes() -> list[str]:
    """The names of all schemes."""
    return list(_schemes)


def scheme(name: Union[str, Scheme]) -> Scheme:
    """The scheme with this name."""
    if isinstance(name, Scheme):
        return name
    if name not in _schemes:
        raise Error(f"no scheme has this name: {name}; the names are {', '.join(_schemes)}")
    return _schemes[name]


# Comparisons.

Rule = tuple[Union[str, Scheme], NDArray]
"""A scheme and one of its multipliers."""


def differing(a: Union[Rule, ArrayLike], b: Union[Rule, ArrayLike], low: int = -2**31, high: int = 2**31 - 1, *,
              dtype: DTypeLike = np.int32, zero_point: int = 0) -> Difference:
    """The differences of two arrays of integers, or of two rules on all accumulators from `low` to `high`.

    A rule is a tuple of a scheme and a multiplier. Its outputs have the type `dtype`. Nearly all rules are compared in microseconds. `str`
    of the result is a sentence.
    """
    if isinstance(a, tuple) and isinstance(b, tuple):
        return _core.differing_rules(_rule(a, dtype, zero_point), _rule(b, dtype, zero_point), low, high)
    left, right = _exact(a, np.int64), _exact(b, np.int64)
    if left.shape != right.shape:
        raise Error(f"sizes of two arguments do not match: {left.shape} and {right.shape}")
    return _core.differing_arrays(left.ravel(), right.ravel())


class Identification(NamedTuple):
    """The schemes whose outputs equal recorded outputs, and a report."""

    remaining: list[str]
    text: str


def identify(accs: ArrayLike, multipliers: ArrayLike, outputs: ArrayLike, *, zero_point: int = 0, low: int = -2**31,
             high: int = 2**31 - 1) -> Identification:
    """Names the schemes that give these outputs for these accumulators.

    `multipliers` has one element, or one for each accumulator: multipliers, or real scales from which each scheme derives its own.
    """
    given = np.asarray(multipliers)
    if given.dtype.kind == "f":
        scales, given = given, np.zeros(given.shape, _core.multiplier)
        given["scale"] = scales
    accs, outputs = _exact(accs, np.int64).ravel(), _exact(outputs, np.int64).ravel()
    found = _core.identify(accs, _multipliers(given).ravel(), outputs, zero_point, low, high)
    return Identification(*found)


# Layers.


class Fold(NamedTuple):
    """The constants of a layer, one for each output channel, and the lowest and the highest accumulator that an input can give."""

    constants: NDArray[np.int64]
    lowest: int
    highest: int


def fold(weights: ArrayLike, bias: Optional[ArrayLike] = None, *, x: DTypeLike = np.int8, x_zero_point: int = 0,
         w_zero_point: int = 0) -> Fold:
    """Folds bias, kernel sums and zero points into one constant for each row of weights: `sum x w - zero.w * sum x + constant`."""
    w = _contiguous(weights)
    rows = w.reshape(w.shape[0], 1, 1, -1)
    return Fold(*_core.fold(rows, _bias(bias, w.shape[0]), np.dtype(x), x_zero_point, w_zero_point))


def same_padding(size: int, kernel: int, stride: int = 1, dilation: int = 1) -> tuple[int, int]:
    """The padding SAME of TFLite along one axis: ceil(size / stride) outputs, and the odd padding after."""
    total = max(0, (-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size)
    return total // 2, total - total // 2


class Layer:
    """A layer that is prepared once and called with activations. `linear`, `conv2d` and `depthwise` make it.

    The sums are computed by the best backend. The backend also rescales them by the schemes that most engines have. Other schemes rescale in
    portable code. The outputs are the same.
    """

    def __init__(self, op: int, weights: ArrayLike, bias: Optional[ArrayLike], scheme_name: Union[str, Scheme, None],
                 scales: Optional[ArrayLike], multipliers: Optional[NDArray], x: DTypeLike, dtype: Optional[DTypeLike], x_zero_point: int,
                 w_zero_point: int, zero_point: int, low: Optional[int], high: Optional[int], axes: tuple[tuple, tuple], groups: int) -> None:
        self.weights = _contiguous(weights)
        self.scheme = None if scheme_name is None else scheme(scheme_name)
        self._op = op
        self._w = self.weights.reshape(self.weights.shape[0], 1, 1, -1) if op == _LINEAR else self.weights
        self._channels = self._w.shape[3 if op == _DEPTHWISE else 0]
        self._bias = _bias(bias, self._channels)
        self._x = np.dtype(x)
        self._zero = (x_zero_point, w_zero_point)
        if self.scheme is None:
            self.dtype = np.dtype(np.int64 if self._x == np.int16 else np.int32)
            self.multipliers = np.zeros(0, _core.multiplier)
            self._range = (0, 0, 0)
        else:
            if (scales is None) == (multipliers is None):
                raise TypeError("a layer with a scheme takes either scales or multipliers")
            self.dtype = np.dtype(self._x if dtype is None else dtype)
            self.multipliers = _multipliers(self.scheme.derive(scales) if multipliers is None else multipliers).ravel()
            self._range = (zero_point, *_bounds(self.dtype, low, high))
        self._core = _core.Layer(op, self._w, self._x, self.dtype, self.scheme and self.scheme._core, self.multipliers, self._bias, self._zero,
                                 self._range, *axes, groups)

    def __call__(self, x: ArrayLike, *, out: Optional[NDArray] = None) -> NDArray:
        """The outputs for activations x: rows of `depth` for a linear layer, else NHWC images. Fills `out` if it is given."""
        x = _contiguous(x)
        images = x.reshape(-1, 1, 1, x.shape[-1]) if self._op == _LINEAR else x
        shape = tuple(self._core.shape(images))
        y = _output(out, (*x.shape[:-1], shape[-1]) if self._op == _LINEAR else shape, self.dtype)
        if self.scheme is None or self._core.is_scaled:
            self._core.run(images, y.reshape(shape))
        else:
            sums = np.empty(shape, np.int64 if self._x == np.int16 else np.int32)
            self._core.run(images, sums)
            zero_point, low, high = self._range
            y.reshape(shape)[...] = self.scheme.apply(sums, self.multipliers, dtype=self.dtype, zero_point=zero_point, low=low, high=high)
        return y

    def row(self, channel: int) -> NDArray:
        """The weights of one output channel, in the order of the taps."""
        return self._w[..., channel].ravel() if self._op == _DEPTHWISE else self._w[channel].ravel()

    def bound(self, channel: int) -> tuple[int, int]:
        """The lowest and the highest accumulator that an input can give to a channel."""
        return self._fold(channel)[1:]

    def agree(self, other: Union[str, Scheme], *, scales: Optional[ArrayLike] = None, multipliers: Optional[NDArray] = None) -> list[Difference]:
        """The differences between the layer's scheme and another, in each channel, over all accumulators within the bound of the channel.

        The other scheme has the layer's multipliers unless scales or multipliers are given. An accumulator within the bound need not have an
        input: `witness` finds one.
        """
        theirs = scheme(other)
        if self.scheme is None:
            raise TypeError("a layer of sums has no scheme to compare")
        m = _multipliers(theirs.derive(scales) if scales is not None else self.multipliers if multipliers is None else multipliers).ravel()
        found = []
        for channel in range(self._channels):
            a, b = (_core.Rule(s._core, _one(n if n.size == 1 else n[channel]), *self._range)
                    for s, n in ((self.scheme, self.multipliers), (theirs, m)))
            found.append(_core.differing_rules(a, b, *self.bound(channel)))
        return found

    def witness(self, channel: int, acc: int) -> NDArray:
        """Stored inputs of one window, in the order of `row(channel)`, that give a channel this accumulator. Raises Error if none is found."""
        return _core.witness(self.row(channel).reshape(1, 1, 1, -1), self._bias[channel:channel + 1], self._x, *self._zero, acc)

    def _fold(self, channel: int) -> tuple[NDArray, int, int]:
        return _core.fold(self.row(channel).reshape(1, 1, 1, -1), self._bias[channel:channel + 1], self._x, *self._zero)


_ONE = (1, 1, 1, 0, 0)


def linear(weights: ArrayLike, *, bias: Optional[ArrayLike] = None, scheme: Union[str, Scheme, None] = None,
           scales: Optional[ArrayLike] = None, multipliers: Optional[NDArray] = None, x: DTypeLike = np.int8,
           dtype: Optional[DTypeLike] = None, x_zero_point: int = 0, w_zero_point: int = 0, zero_point: int = 0,
           low: Optional[int] = None, high: Optional[int] = None) -> Layer:
    """A linear (fully connected) layer. `weights` has one row for each output channel.

    `scales` are real scales, input * weight / output, one or one for each channel. `multipliers` are the integers of a model instead.
    `x` is the type of the activations: int8 or int16 with int8 weights, uint8 with uint8 weights. `dtype` is the type of the outputs, and
    that of x unless it is given. `zero_point`, `low` and `high` are those of the outputs. Without a scheme the outputs are the sums.
    """
    return Layer(_LINEAR, weights, bias, scheme, scales, multipliers, x, dtype, x_zero_point, w_zero_point, zero_point, low, high, (_ONE, _ONE), 1)


def conv2d(weights: ArrayLike, *, bias: Optional[ArrayLike] = None, scheme: Union[str, Scheme, None] = None,
           scales: Optional[ArrayLike] = None, multipliers: Optional[NDArray] = None, x: DTypeLike = np.int8,
           dtype: Optional[DTypeLike] = None, x_zero_point: int = 0, w_zero_point: int = 0, zero_point: int = 0,
           low: Optional[int] = None, high: Optional[int] = None, stride: Pair = 1, dilation: Pair = 1,
           padding: Padding = ((0, 0), (0, 0)), groups: int = 1) -> Layer:
    """A convolution of NHWC images by OHWI weights. The other arguments are those of `linear`."""
    axes = _axes(np.shape(weights)[1:3], stride, dilation, padding)
    return Layer(_CONV2D, weights, bias, scheme, scales, multipliers, x, dtype, x_zero_point, w_zero_point, zero_point, low, high, axes, groups)


def depthwise(weights: ArrayLike, *, bias: Optional[ArrayLike] = None, scheme: Union[str, Scheme, None] = None,
              scales: Optional[ArrayLike] = None, multipliers: Optional[NDArray] = None, x: DTypeLike = np.int8,
              dtype: Optional[DTypeLike] = None, x_zero_point: int = 0, w_zero_point: int = 0, zero_point: int = 0,
              low: Optional[int] = None, high: Optional[int] = None, stride: Pair = 1, dilation: Pair = 1,
              padding: Padding = ((0, 0), (0, 0))) -> Layer:
    """A depthwise convolution of NHWC images by 1HWO weights. The other arguments are those of `linear`."""
    axes = _axes(np.shape(weights)[1:3], stride, dilation, padding)
    return Layer(_DEPTHWISE, weights, bias, scheme, scales, multipliers, x, dtype, x_zero_point, w_zero_point, zero_point, low, high, axes, 1)


# Operators without weights.


def add(a: ArrayLike, b: ArrayLike, *, a_scale: float, b_scale: float, scale: float, a_zero_point: int = 0, b_zero_point: int = 0,
        zero_point: int = 0, low: Optional[int] = None, high: Optional[int] = None, rule: str = "tflite::add",
        out: Optional[NDArray] = None) -> NDArray:
    """The sum of two tensors of one type, broadcast by the rules of numpy. `scale` and `zero_point` are those of the output.

    Rules: `tflite::add`, `executorch::cortex_m::add`, `executorch::arm::add`, `xnnpack::add`.
    """
    return _binary(True, rule, a, b, (a_scale, b_scale, scale), (a_zero_point, b_zero_point), zero_point, low, high, out)


def multiply(a: ArrayLike, b: ArrayLike, *, a_scale: float, b_scale: float, scale: float, a_zero_point: int = 0, b_zero_point: int = 0,
             zero_point: int = 0, low: Optional[int] = None, high: Optional[int] = None, rule: str = "tflite::multiply",
             out: Optional[NDArray] = None) -> NDArray:
    """The product of two tensors of one type, broadcast by the rules of numpy.

    Rules: `tflite::multiply`, `executorch::cortex_m::multiply`, `executorch::arm::multiply`, `xnnpack::multiply`.
    """
    return _binary(False, rule, a, b, (a_scale, b_scale, scale), (a_zero_point, b_zero_point), zero_point, low, high, out)


def average_pool(x: ArrayLike, kernel: Pair, *, stride: Optional[Pair] = None, padding: Padding = ((0, 0), (0, 0)),
                 counts_padding: bool = False, x_zero_point: int = 0, zero_point: Optional[int] = None, low: Optional[int] = None,
                 high: Optional[int] = None, rule: str = "tflite::average", out: Optional[NDArray] = None) -> NDArray:
    """The averages of windows of NHWC images. The stride is the kernel unless it is given.

    Rules: `tflite::average`, `cmsis_nn::average`, `onednn::average`, `tosa::average`.
    """
    x = _contiguous(x)
    axes = _axes(_pair(kernel), kernel if stride is None else stride, 1, padding)
    sides = (max(0, (size + a[3] + a[4] - a[0]) // a[1] + 1) for size, a in zip(x.shape[1:3], axes))
    y = _output(out, (x.shape[0], *sides, x.shape[3]) if x.ndim == 4 else x.shape, x.dtype)
    bounds = (x_zero_point if zero_point is None else zero_point, *_bounds(x.dtype, low, high))
    _core.average_pool(rule, x, y, *axes, counts_padding, x_zero_point, bounds)
    return y


def softmax(x: ArrayLike, scale: float, *, beta: float = 1.0, dtype: Optional[DTypeLike] = None, rule: str = "tflite::softmax",
            out: Optional[NDArray] = None) -> NDArray:
    """The softmax over the last axis. The rule fixes the scale and the zero point of the output: 1/256 and -128 for int8.

    Rules: `tflite::softmax` of int8 and int16, which CMSIS-NN equals for int8; `cmsis_nn::softmax` of int16; `tosa::softmax` of int8.
    """
    x = _contiguous(x)
    y = _output(out, x.shape, np.dtype(x.dtype if dtype is None else dtype))
    rows = (-1, 1, 1, x.shape[-1])
    _core.softmax(rule, x.reshape(rows), y.reshape(rows), scale, beta)
    return y


def populate(function: Callable[[float], float], *, dtype: DTypeLike = np.int8, x_scale: float, x_zero_point: int = 0, scale: float,
             zero_point: int = 0, engine: str = "tflite") -> NDArray:
    """Fills the table of a function as `tflite` or `executorch::arm` does. The functions of this package are correctly rounded."""
    if engine not in ("tflite", "executorch::arm"):
        raise ValueError("the engine of a table is tflite or executorch::arm")
    fill = getattr(_core, f"populate_{np.dtype(dtype).name}")
    return fill(engine != "tflite", function, x_scale, x_zero_point, scale, zero_point)


def table(x: ArrayLike, entries: NDArray, *, rule: str = "tflite::table", out: Optional[NDArray] = None) -> NDArray:
    """The function of a table: 256 entries for x of 8 bits, 513 with interpolation for int16. Rules: `tflite::table`, `tosa::table`."""
    x = _contiguous(x)
    entries = _contiguous(entries)
    y = _output(out, x.shape, entries.dtype)
    _core.look_up(rule, x.reshape(1, 1, 1, -1), y.reshape(1, 1, 1, -1), entries)
    return y


def exp(x: ArrayLike) -> NDArray[np.float32]:
    """exp(x), correctly rounded to binary32."""
    return _core.exp(x)


def sigmoid(x: ArrayLike) -> NDArray[np.float32]:
    """1 / (1 + exp(-x)), correctly rounded to binary32."""
    return _core.sigmoid(x)


def tanh(x: ArrayLike) -> NDArray[np.float32]:
    """The hyperbolic tangent of x, correctly rounded to binary32."""
    return _core.tanh(x)


def erf(x: ArrayLike) -> NDArray[np.float32]:
    """The error function of x, correctly rounded to binary32."""
    return _core.erf(x)


def gelu(x: ArrayLike) -> NDArray[np.float32]:
    """x * (1 + erf(x / sqrt(2))) / 2, correctly rounded to binary32."""
    return _core.gelu(x)


# Arguments.


def _integers(a: ArrayLike) -> NDArray:
    a = np.asarray(a)
    if a.dtype.kind not in "iu":
        raise TypeError(f"integers are needed, not {a.dtype}")
    return a


def _exact(a: ArrayLike, dtype: DTypeLike) -> NDArray:
    """The integers in another type. No conversion drops bits."""
    a = _integers(a)
    made = a.astype(dtype, copy=False)
    if not np.can_cast(a.dtype, dtype) and not np.array_equal(made, a):
        raise OverflowError(f"an integer does not fit {np.dtype(dtype)}")
    return made


def _multipliers(m: NDArray) -> NDArray:
    m = np.asarray(m)
    if m.dtype != _core.multiplier:
        raise TypeError("multipliers are those of derive, multiplier or from_left_shifts")
    return m


def _contiguous(a: ArrayLike) -> NDArray:
    return np.ascontiguousarray(_integers(a))


def _one(multiplier: NDArray) -> NDArray:
    m = _multipliers(multiplier)
    if m.size != 1:
        raise TypeError("one multiplier is needed")
    return m.reshape(1)


def _bounds(dtype: DTypeLike, low: Optional[ArrayLike], high: Optional[ArrayLike]) -> tuple:
    limits = np.iinfo(dtype)
    return int(limits.min) if low is None else low, int(limits.max) if high is None else high


def _bias(bias: Optional[ArrayLike], channels: int) -> NDArray:
    return np.zeros(channels, np.int64) if bias is None else _exact(bias, np.int64)


def _rule(rule: Rule, dtype: DTypeLike, zero_point: int) -> _core.Rule:
    return _core.Rule(scheme(rule[0])._core, _one(rule[1]), zero_point, *_bounds(dtype, None, None))


def _pair(value: Pair) -> tuple[int, int]:
    return (value, value) if isinstance(value, (int, np.integer)) else tuple(value)


def _axes(kernel: Sequence[int], stride: Pair, dilation: Pair, padding: Padding) -> tuple[tuple, tuple]:
    rows, cols = ((k, s, d, *p) for k, s, d, p in zip(kernel, _pair(stride), _pair(dilation), padding))
    return rows, cols


def _output(out: Optional[NDArray], shape: Sequence[int], dtype: np.dtype) -> NDArray:
    if out is None:
        return np.empty(shape, dtype)
    if out.dtype != dtype or out.shape != tuple(shape) or not out.flags.c_contiguous:
        raise Error(f"out must be a contiguous array of {dtype} with the shape {tuple(shape)}")
    return out


def _binary(is_add: bool, rule: str, a: ArrayLike, b: ArrayLike, scales: tuple, zero: tuple, zero_point: int, low: Optional[int],
            high: Optional[int], out: Optional[NDArray]) -> NDArray:
    a, b = _contiguous(a), _contiguous(b)
    if a.dtype != b.dtype:
        raise Error(f"elements of two types: {a.dtype} and {b.dtype}")
    y = _output(out, np.broadcast_shapes(a.shape, b.shape), a.dtype)
    if a.shape == b.shape:
        a4, b4, y4 = (t.reshape(1, 1, 1, -1) for t in (a, b, y))
    elif y.ndim <= 4:
        a4, b4, y4 = (t.reshape((1,) * (4 - t.ndim) + t.shape) for t in (a, b, y))
    else:  # the library broadcasts along four axes
        a4, b4 = (np.ascontiguousarray(np.broadcast_to(t, y.shape)).reshape(1, 1, 1, -1) for t in (a, b))
        y4 = y.reshape(1, 1, 1, -1)
    _core.binary(rule, is_add, a4, b4, y4, scales, zero, (zero_point, *_bounds(a.dtype, low, high)))
    return y
