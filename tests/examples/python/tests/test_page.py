"""The programs of the page run, are as short as the page says, and have the numbers of the engine."""
import pathlib
import re

import numpy as np

import dyadic
from golden import Rows

PAGE = (pathlib.Path(__file__).resolve().parents[1] / "README.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.S)


def lines_of_code(program):
    return [line for line in program.splitlines() if line.strip() and not line.strip().startswith("#")]


def test_each_program_of_the_page_runs():
    assert len(PROGRAMS) >= 2
    names = {}
    for program in PROGRAMS:
        exec(compile(program, "README.md", "exec"), names)


def test_the_layer_of_tflite_takes_15_lines():
    assert len(lines_of_code(PROGRAMS[0])) <= 15


def test_a_tolerance_of_0_takes_ten_lines():
    assert len(lines_of_code(PROGRAMS[1])) <= 10


def test_tflite_computed_each_output_of_the_layer():
    names = {}
    exec(compile(PROGRAMS[0], "README.md", "exec"), names)
    rows = Rows("requantize/tflite_double_i32.csv")
    computed = set(zip(rows["acc"], rows["multiplier"], rows["shift"], rows["expected"]))
    sums = (names["x"].astype(int) - names["x_zero_point"]) @ names["weights"].astype(int).T + names["bias"]
    assert len(names["y"]) == 4
    for row in zip(sums, names["multipliers"], names["shifts"], names["y"]):
        assert row in computed
    other = dyadic.linear(names["weights"], bias=names["bias"], scheme="tosa::scale32", x_zero_point=names["x_zero_point"],
                          multipliers=dyadic.from_left_shifts(names["multipliers"], names["shifts"]))
    assert np.all(other(names["x"]) != names["y"])  # each output shows that the rounding is TFLite's
