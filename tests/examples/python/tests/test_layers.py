"""Layers, operators and tools against plain numpy, and what is refused."""
import tracemalloc

import numpy as np
import pytest

import dyadic

random = np.random.default_rng(20260)
TYPES = [(np.int8, np.int8), (np.uint8, np.uint8), (np.int16, np.int8)]


def draw(dtype, *shape):
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def windows(x, kernel, stride, dilation, padding, zero):
    """All windows of images: n, rows, columns, taps of rows, taps of columns, channels. Outside of an image is the zero point."""
    padded = np.full((x.shape[0], x.shape[1] + sum(padding[0]), x.shape[2] + sum(padding[1]), x.shape[3]), zero, np.int64)
    padded[:, padding[0][0]:padding[0][0] + x.shape[1], padding[1][0]:padding[1][0] + x.shape[2]] = x
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    found = np.lib.stride_tricks.sliding_window_view(padded, reach, (1, 2))
    return np.moveaxis(found[:, ::stride[0], ::stride[1], :, ::dilation[0], ::dilation[1]], 3, 5)


@pytest.mark.parametrize("x_type, w_type", TYPES)
def test_sums_are_those_of_the_definition(x_type, w_type):
    zero = (5, 7) if w_type == np.uint8 else (5, 0)
    x, w, bias = draw(x_type, 3, 4, 37), draw(w_type, 11, 37), random.integers(-1000, 1000, 11)
    expected = (x.astype(np.int64) - zero[0]) @ (w.astype(np.int64) - zero[1]).T + bias
    np.testing.assert_array_equal(dyadic.linear(w, bias=bias, x=x_type, x_zero_point=zero[0], w_zero_point=zero[1])(x), expected)

    arguments = dict(stride=(2, 1), dilation=(1, 2), padding=((1, 0), (2, 1)))
    image, kernels = draw(x_type, 2, 7, 9, 6), draw(w_type, 4, 3, 2, 6)
    of_x = windows(image, (3, 2), *arguments.values(), zero[0]) - zero[0]
    conv = dyadic.conv2d(kernels, x=x_type, x_zero_point=zero[0], w_zero_point=zero[1], **arguments)
    np.testing.assert_array_equal(conv(image), np.einsum("nijabc,oabc->nijo", of_x, kernels.astype(np.int64) - zero[1]))
    if w_type == np.int8:
        each = draw(w_type, 1, 3, 2, 6)
        got = dyadic.depthwise(each, x=x_type, x_zero_point=zero[0], **arguments)(image)
        np.testing.assert_array_equal(got, np.einsum("nijabc,abc->nijc", of_x, each[0].astype(np.int64)))


@pytest.mark.parametrize("name", dyadic.schemes())
def test_a_layer_gives_what_apply_gives_for_its_sums(name):
    x, w, scales = draw(np.int8, 5, 20), draw(np.int8, 3, 20), [0.002, 0.0035, 0.00051]
    scheme, sums = dyadic.scheme(name), dyadic.linear(w, x_zero_point=-3)(x)
    expected = scheme.apply(sums, scheme.derive(scales), dtype=np.int8, zero_point=4, low=-100)
    got = dyadic.linear(w, scheme=name, scales=scales, x_zero_point=-3, zero_point=4, low=-100)(x)
    np.testing.assert_array_equal(got, expected)
    assert len(np.unique(got)) > 5


def test_shapes_are_broadcast_by_the_rules_of_numpy():
    scheme = dyadic.scheme("tosa::scale32")
    m, acc = scheme.derive([[0.5], [0.25]]), np.array([3, 5, 7, -9], np.int32)
    np.testing.assert_array_equal(scheme.apply(acc, m), [[2, 3, 4, -4], [1, 1, 2, -2]])
    assert scheme.apply(3, scheme.derive(0.5)) == 2
    a, b = draw(np.int8, 2, 1, 3, 1, 5), draw(np.int8, 4, 1, 6, 1)
    got = dyadic.add(a, b, a_scale=0.5, b_scale=0.5, scale=0.5)
    np.testing.assert_array_equal(got, np.clip(a.astype(int) + b, -128, 127))
    row = dyadic.add(a[0, 0], b[0], a_scale=0.5, b_scale=0.5, scale=0.5)
    np.testing.assert_array_equal(row, np.clip(a[0, 0].astype(int) + b[0], -128, 127))


def test_contiguous_arrays_are_read_and_written_in_place():
    x, y = draw(np.int8, 4096, 512), np.empty((4096, 2), np.int8)
    acc, w = draw(np.int32, 1 << 20) >> 8, draw(np.int8, 2, 512)
    layer, scheme = dyadic.linear(w, scheme="tflite::double_rounding", scales=0.001), dyadic.scheme("tflite::double_rounding")
    m = scheme.derive(0.001)
    assert layer.weights is w
    tracemalloc.start()
    assert layer(x, out=y) is y
    dyadic.average_pool(x.reshape(1, 64, 64, 512), 64)
    assert tracemalloc.get_traced_memory()[1] < x.nbytes // 8
    tracemalloc.reset_peak()
    scheme.apply(acc, m, dtype=np.int8)
    assert tracemalloc.get_traced_memory()[1] < acc.size + acc.nbytes // 8  # the outputs, and no copy of the accumulators
    tracemalloc.stop()
    np.testing.assert_array_equal(layer(x[:, ::-1]), layer(np.ascontiguousarray(x[:, ::-1])))


def test_agree_counts_what_a_sweep_counts_and_a_witness_shows_it():
    w, bias = draw(np.int8, 2, 6), np.array([17, -5])
    layer = dyadic.linear(w, bias=bias, scheme="tflite::double_rounding", scales=[0.0104, 0.25], x_zero_point=3)
    ours, theirs = layer.scheme, dyadic.scheme("tosa::scale32")
    for channel, found in enumerate(layer.agree("tosa::scale32")):
        low, high = layer.bound(channel)
        accs, m = np.arange(low, high + 1), layer.multipliers[channel]
        a, b = (s.apply(accs, m.reshape(1), dtype=np.int8) for s in (ours, theirs))
        assert (found.compared, found.differing) == (accs.size, np.count_nonzero(a != b))
        assert found.differing > 0
        acc, of_a, of_b = found.smallest
        x = layer.witness(channel, acc)
        assert dyadic.linear(w, bias=bias, x_zero_point=3)(x)[channel] == acc
        assert layer(x)[channel] == of_a
        assert dyadic.linear(w, bias=bias, scheme="tosa::scale32", multipliers=layer.multipliers, x_zero_point=3)(x)[channel] == of_b != of_a


def test_a_depthwise_witness_has_the_order_of_the_taps():
    w = draw(np.int8, 1, 2, 3, 4)
    layer = dyadic.depthwise(w, scheme="tflite::double_rounding", scales=0.03)
    x = layer.witness(2, 77)
    image = np.zeros((1, 2, 3, 4), np.int8)
    image[0, :, :, 2] = x.reshape(2, 3)
    assert dyadic.depthwise(w)(image)[0, 0, 0, 2] == 77


def test_differing_rules_and_arrays():
    double, single = (("tflite::double_rounding", dyadic.scheme("tflite::double_rounding").derive(0.0235)),
                      ("tosa::scale32", dyadic.scheme("tosa::scale32").derive(0.0235)))
    found = dyadic.differing(double, single, -10000, 10000)
    accs = np.arange(-10000, 10001)
    a, b = (dyadic.scheme(s).apply(accs, m) for s, m in (double, single))
    assert (found.differing, found.compared) == (np.count_nonzero(a != b), 20001)
    arrays = dyadic.differing(a, b)
    assert (arrays.differing, arrays.first[0] - 10000) == (found.differing, found.first[0])
    assert str(arrays).startswith(f"{found.differing} of 20001 differ; the first at ")
    assert str(dyadic.differing([1, 2], [1, 2])) == "none of 2 differ"


def test_explain_shows_the_steps():
    assert dyadic.scheme("tflite::double_rounding").explain(1, dyadic.multiplier(1 << 30, 32)) == (
        "times 1073741824: 1073741824; rounding at bit 31: tie, up to 1; rounding at bit 1: tie, up to 1")


def test_identify_names_the_scheme_of_recorded_outputs():
    scheme, accs = dyadic.scheme("cmsis_nn::double_rounding"), np.arange(-3000, 3000)
    outputs = scheme.apply(accs, scheme.derive(0.25))
    for given in (scheme.derive(0.25), 0.25):
        found = dyadic.identify(accs, given, outputs)
        assert "cmsis_nn::double_rounding" in found.remaining and "tosa::scale32" not in found.remaining
        assert f"{len(found.remaining)} of 32 schemes equal it" in found.text


def test_fold_gives_the_constants_and_the_bound():
    w, bias = draw(np.int8, 3, 9), np.array([1, 2, 3])
    found = dyadic.fold(w, bias, x_zero_point=-7)
    np.testing.assert_array_equal(found.constants, bias + 7 * w.sum(1, dtype=np.int64))
    ends = np.where(w > 0, w.astype(int) * (127 + 7), w.astype(int) * (-128 + 7)).sum(1) + bias
    assert found.highest == ends.max()


def test_a_table_is_the_function_at_each_input():
    entries = dyadic.populate(dyadic.tanh, x_scale=1 / 32, scale=1 / 128)
    x = np.arange(-128, 128).astype(np.int8)
    expected = np.clip(np.floor(np.abs(np.tanh(x / 32)) * 128 + 0.5) * np.sign(x), -128, 127)
    np.testing.assert_array_equal(dyadic.table(x, entries), expected)
    arm = dyadic.populate(lambda v: v, x_scale=1.0, scale=2.0, engine="executorch::arm")
    np.testing.assert_array_equal(dyadic.table(x, arm, rule="tosa::table"), np.rint(x / 2))
    with pytest.raises(ZeroDivisionError):
        dyadic.populate(lambda v: 1 / 0, x_scale=1.0, scale=1.0)


@pytest.mark.parametrize("rule", ["tflite::average", "cmsis_nn::average", "onednn::average", "tosa::average"])
@pytest.mark.parametrize("counts_padding", [False, True])
def test_an_average_is_the_rounded_quotient(rule, counts_padding):
    x, padding = draw(np.int8, 2, 7, 8, 3), ((1, 0), (0, 1))
    of_x = windows(x, (2, 3), (2, 1), (1, 1), padding, 0)
    ones = windows(np.ones_like(x), (2, 3), (2, 1), (1, 1), padding, 0)
    total, count = of_x.sum((3, 4)), 6 if counts_padding else ones.sum((3, 4))
    low, rest = np.divmod(total, count)
    tie = low % 2 == 1 if rule == "onednn::average" else total > 0  # half even, else half away from zero
    expected = low + np.where(2 * rest == count, tie, 2 * rest > count)
    got = dyadic.average_pool(x, (2, 3), stride=(2, 1), padding=padding, counts_padding=counts_padding, rule=rule)
    np.testing.assert_array_equal(got, expected)
    assert dyadic.average_pool(x, 2).shape == (2, 3, 4, 3)
    if rule != "tosa::average":  # the others average stored values, and x and y have one zero point
        np.testing.assert_array_equal(dyadic.average_pool(x, 2, x_zero_point=9, rule=rule), dyadic.average_pool(x, 2, rule=rule))


@pytest.mark.parametrize("engine", ["tflite", "executorch::cortex_m", "executorch::arm", "xnnpack"])
def test_each_engine_adds_and_multiplies(engine):
    a, b = draw(np.int8, 3, 1, 50), draw(np.int8, 4, 1)
    added = dyadic.add(a, b, a_scale=0.5, b_scale=0.25, scale=0.75, a_zero_point=3, b_zero_point=-4, zero_point=5, low=-90, rule=f"{engine}::add")
    real = ((a.astype(float) - 3) * 0.5 + (b.astype(float) + 4) * 0.25) / 0.75 + 5
    assert np.abs(added - np.clip(real, -90, 127)).max() < 0.51
    product = dyadic.multiply(a, b, a_scale=0.5, b_scale=0.25, scale=9.0, a_zero_point=3, b_zero_point=-4, zero_point=5, high=60,
                              rule=f"{engine}::multiply")
    real = (a.astype(float) - 3) * 0.5 * (b.astype(float) + 4) * 0.25 / 9 + 5
    assert np.abs(product - np.clip(real, -128, 60)).max() < 0.51


def test_an_engine_rounds_a_sum_its_own_way():
    arguments = dict(a_scale=0.25, b_scale=0.25, scale=0.5)
    assert dyadic.add(np.int8(-3), np.int8(0), **arguments) == -2  # -1.5, away from zero
    assert dyadic.add(np.int8(-3), np.int8(0), rule="executorch::arm::add", **arguments) == -1  # up


def test_a_table_of_int16_interpolates():
    entries = dyadic.populate(dyadic.sigmoid, dtype=np.int16, x_scale=2**-12, scale=2**-15)
    x = draw(np.int16, 3, 1000)
    real = np.clip(2**15 / (1 + np.exp(-x / 4096)), None, 32767)
    assert entries.shape == (513,)
    assert np.abs(dyadic.table(x, entries) - real).max() < 3


def test_same_padding_has_the_size_of_tflite():
    assert dyadic.same_padding(8, 3) == (1, 1)
    assert dyadic.same_padding(8, 3, stride=2) == (0, 1)
    assert dyadic.same_padding(7, 3, stride=2, dilation=2) == (2, 2)


@pytest.mark.parametrize("text, use", [
    ("no scheme has this name", lambda: dyadic.scheme("tflite::rounding")),
    ("scale is not finite", lambda: dyadic.scheme("tosa::scale32").derive(np.inf)),
    ("multiplier outside the range of its scheme", lambda: dyadic.scheme("tosa::scale32").apply(1, dyadic.multiplier(1, 99))),
    ("accumulator may overflow for some input", lambda: dyadic.scheme("tosa::scale32").apply(2**40, dyadic.multiplier(1 << 30, 31))),
    ("activation range outside the output type", lambda: dyadic.linear(np.ones((1, 1), np.int8), scheme="tosa::scale32", scales=1, low=-200)),
    ("zero point outside its type", lambda: dyadic.linear(np.ones((1, 1), np.int8), x_zero_point=300)),
    ("sizes of two arguments do not match", lambda: dyadic.linear(np.ones((1, 3), np.int8))(np.ones(4, np.int8))),
    ("not one multiplier for each output channel", lambda: dyadic.linear(np.ones((3, 1), np.int8), scheme="tosa::scale32", scales=[1, 1])),
    ("elements of another type than the layer's", lambda: dyadic.linear(np.ones((1, 1), np.int8))(np.ones(1, np.int16))),
    ("window with an impossible kernel", lambda: dyadic.conv2d(np.ones((1, 1, 1, 1), np.int8), stride=0)),
    ("no such input was found", lambda: dyadic.linear(np.full((1, 3), 2, np.int8)).witness(0, 1)),
    ("no kind that is linked", lambda: dyadic.softmax(np.zeros(3, np.uint8), 1.0)),
])
def test_an_error_has_the_text_of_the_status(text, use):
    with pytest.raises(dyadic.Error, match=text):
        use()


def test_no_conversion_drops_bits():
    scheme, m = dyadic.scheme("tflite::reduced_int64"), dyadic.multiplier(16384, 34)
    assert scheme.apply(2**33, m) == scheme.apply(np.int64(2**33), m) == 2**13
    assert scheme.apply(np.array([2**33]), m[()], dtype=np.int16, zero_point=1) == [2**13 + 1]
    for use in (lambda: dyadic.multiplier(1, 2**40), lambda: scheme.apply(1, m, dtype=np.int8, zero_point=2**32),
                lambda: dyadic.differing(np.array([2**63], np.uint64), [1])):
        with pytest.raises(OverflowError):
            use()
    with pytest.raises(dyadic.Error, match="multiplier outside"):
        dyadic.linear(np.ones((1, 1), np.int8), scheme="tosa::scale32", multipliers=dyadic.multiplier(2**32 + 2**30, 31))
    for use in (lambda: scheme.apply(1.5, m), lambda: scheme.apply(1, 0.5), lambda: scheme.apply(1, m, dtype=np.int8, zero_point=0.5),
                lambda: scheme.apply(1, m, dtype=np.int64), lambda: dyadic.linear(np.ones((1, 1)))):
        with pytest.raises(TypeError):
            use()
