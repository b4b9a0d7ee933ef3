"""What the engines' own code computed, through the package, row by row."""
import numpy as np
import pytest

import dyadic
from golden import Rows

PAIRS = [
    ("tflite::double_rounding", "tflite_double_i32", "shift"),
    ("tflite::double_rounding", "tflite_double_i32_negative_multiplier", "shift"),
    ("tflite::single_rounding", "tflite_single_i32", "shift"),
    ("tflite::neon_double_rounding", "tflite_neon_double_i32", "shift"),
    ("tflite::neon_single_rounding", "tflite_neon_single_i32", "shift"),
    ("tflite::avx2", "tflite_avx2_i32", "shift"),
    ("tflite::reduced_int64", "tflite_reduced_i64", "shift"),
    ("cmsis_nn::double_rounding", "cmsis_double_i32", "shift"),
    ("cmsis_nn::single_rounding", "cmsis_single_i32", "shift"),
    ("cmsis_nn::mve_double_rounding", "cmsis_mve_double_i32", "shift"),
    ("cmsis_nn::mve_single_rounding", "cmsis_mve_single_i32", "shift"),
    ("cmsis_nn::mve_predicated_single_rounding", "cmsis_mve_single_predicated_i32", "shift"),
    ("ruy::reference", "ruy_reference_i32", "exponent"),
]


@pytest.mark.parametrize("name, file, shift", PAIRS)
def test_apply_gives_what_the_engine_computed(name, file, shift):
    rows, scheme = Rows(f"requantize/{file}.csv"), dyadic.scheme(name)
    m = dyadic.from_left_shifts(rows["multiplier"], rows[shift], scheme.mantissa_bits)
    assert len(rows) >= 1000
    np.testing.assert_array_equal(scheme.apply(rows["acc"], m), rows["expected"])


def test_cmsis_nn_in_64_bits_is_refused_where_it_wraps():
    rows, scheme = Rows("requantize/cmsis_requantize_s64.csv"), dyadic.scheme("cmsis_nn::requantize_s64")
    m = dyadic.from_left_shifts(rows["multiplier"], rows["shift"], scheme.mantissa_bits)
    np.testing.assert_array_equal(m["mantissa"], rows["reduced_multiplier"])
    refused = 0
    for acc, one, expected in zip(rows["acc"], m, rows["expected"]):
        try:
            assert scheme.apply(acc, one) == expected
        except dyadic.Error as error:
            assert "overflow" in str(error)
            assert abs(int(acc) * int(one["mantissa"])) >> int(one["right_shift"]) >= 2**30 - 1
            refused += 1
    assert 0 < refused < len(rows) // 2


@pytest.mark.parametrize("name, file", [("tosa::scale16", "16"), ("tosa::scale32", "32_single"), ("tosa::scale32_double_round", "32_double")])
def test_tosa_gives_what_its_model_computed(name, file):
    rows = Rows(f"requantize/tosa_apply_scale_{file}.csv")
    rows = rows.where(rows["require_failed"] == 0)
    m = dyadic.multiplier(rows["multiplier"], rows["shift"])
    np.testing.assert_array_equal(dyadic.scheme(name).apply(rows["value"], m), rows["expected"])


@pytest.mark.parametrize("name, file", [("fp32", "qs8_fp32"), ("fp32", "qu8_fp32"), ("rndnu", "qs8_rndnu"), ("rndnu", "qu8_rndnu"),
                                        ("rndnu16", "qu8_rndnu16"), ("rndnu_neon", "qs8_rndnu_neon"), ("rndna", "qs8_rndna_removed"),
                                        ("gemmlowp", "qs8_gemmlowp_removed")])
def test_xnnpack_derives_and_gives_what_its_kernels_computed(name, file):
    rows, scheme = Rows(f"requantize/xnnpack_{file}.csv"), dyadic.scheme(f"xnnpack::{name}")
    got = scheme.apply(rows["acc"], scheme.derive(rows["scale_hex"]), dtype=np.uint8 if file[1] == "u" else np.int8,
                       zero_point=rows["zero_point"], low=rows["min"], high=rows["max"])
    np.testing.assert_array_equal(got, rows["expected"])


@pytest.mark.parametrize("name, file, shift", [("tflite::double_rounding", "derive_tflite_double", "shift"),
                                               ("fbgemm::fixed", "derive_fbgemm_fixed", "right_shift")])
def test_derive_gives_the_multipliers_of_the_engine(name, file, shift):
    rows, scheme = Rows(f"requantize/{file}.csv"), dyadic.scheme(name)
    if shift == "shift":
        expected = dyadic.from_left_shifts(rows["multiplier"], rows["shift"])
    else:
        expected = dyadic.multiplier(rows["multiplier"], rows["right_shift"])
    for scale, m in zip(rows["scale_hex"], expected):
        try:
            assert scheme.derive(scale) == m
        except dyadic.Error as refused:  # the engine returns a multiplier that its own rule does not take
            assert "scale" in str(refused) or "multiplier" in str(refused)


def test_average_pools_give_what_the_engines_computed():
    for rule, file in (("tflite", "tflite_average_pool"), ("cmsis_nn", "cmsis_avgpool")):
        for dtype, bits in ((np.int8, "s8"), (np.int16, "s16")):
            rows = Rows(f"elementwise/{file}_{bits}.csv")
            for total, count, low, high, expected in zip(*(rows[c] for c in ("sum", "count", "min", "max", "expected"))):
                x = np.full((1, 1, count, 1), total // count, dtype)
                x[0, 0, : total - count * (total // count)] += 1
                got = dyadic.average_pool(x, (1, int(count)), low=int(low), high=int(high), rule=f"{rule}::average")
                assert got.item() == expected


@pytest.mark.parametrize("file, x, y", [("s8", np.int8, np.int8), ("s8_s16", np.int8, np.int16), ("s16", np.int16, np.int16)])
def test_softmax_gives_what_tflite_computed(file, x, y):
    made = Rows(f"elementwise/derive_tflite_softmax_{'s16' if x == np.int16 else 's8'}.csv")
    scales = {(m, shift): pair for m, shift, *pair in zip(made["input_multiplier"], made["input_left_shift"], made["input_scale_bits"],
                                                          made["beta_bits"])}
    computed = 0
    for row in Rows(f"elementwise/tflite_softmax_{file}.csv").rows:
        found = scales.get((int(row["input_multiplier"]), int(row["input_left_shift"])))
        if found is None:
            continue
        count = int(row["count"])
        inputs = np.array([int(row[f"x{i}"]) for i in range(count)], x)
        got = dyadic.softmax(inputs, found[0], beta=found[1], dtype=y)
        np.testing.assert_array_equal(got, [int(row[f"expected{i}"]) for i in range(count)])
        computed += 1
    assert computed >= 200


def test_xnnpack_adds_and_multiplies_as_its_kernels_did():
    rows = Rows("requantize/xnnpack_qs8_vadd.csv")
    columns = [rows[c] for c in ("a", "a_scale_hex", "a_zero_point", "b", "b_scale_hex", "b_zero_point", "output_scale_hex",
                                 "output_zero_point", "expected")]
    for a, a_scale, a_zero, b, b_scale, b_zero, scale, zero, expected in zip(*columns):
        got = dyadic.add(np.int8(a), np.int8(b), a_scale=a_scale, b_scale=b_scale, scale=scale, a_zero_point=a_zero, b_zero_point=b_zero,
                         zero_point=zero, rule="xnnpack::add")
        assert got == expected
    rows = Rows("elementwise/xnnpack_qs8_vmul_fp32.csv")
    columns = [rows[c] for c in ("a", "a_zero_point", "b", "b_zero_point", "a_scale_bits", "b_scale_bits", "output_scale_bits",
                                 "output_zero_point", "min", "max", "expected")]
    for a, a_zero, b, b_zero, a_scale, b_scale, scale, zero, low, high, expected in zip(*columns):
        got = dyadic.multiply(np.int8(a), np.int8(b), a_scale=a_scale, b_scale=b_scale, scale=scale, a_zero_point=a_zero, b_zero_point=b_zero,
                              zero_point=zero, low=low, high=high, rule="xnnpack::multiply")
        assert got == expected


def test_a_layer_in_which_the_bias_is_the_accumulator_gives_what_tflite_computed():
    rows = Rows("requantize/tflite_double_i32.csv")
    rows = rows.where(np.abs(rows["acc"]) < 2**30)
    layer = dyadic.linear(np.zeros((len(rows), 1), np.int8), bias=rows["acc"], scheme="tflite::double_rounding",
                          multipliers=dyadic.from_left_shifts(rows["multiplier"], rows["shift"]))
    np.testing.assert_array_equal(layer(np.zeros(1, np.int8)), np.clip(rows["expected"], -128, 127))
