#!/usr/bin/env python3
"""plot.py FIGURES.json... ROOFLINE.svg: draws the figures that dyadic_limits, dyadic_linear and dyadic_conv stored with --json.

The picture is a roofline. Two limits bound the multiply-adds per second of a layer: the speed of its instructions, and the speed at which
memory delivers its bytes.
"""
import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "dyadic", "font.family": "sans-serif", "font.size": 9})
from matplotlib import pyplot

FORMATS = {"a16w8": ("int16", "int16 activations, int8 weights"), "a8w8": ("int8", "int8 activations, int8 weights")}
COLOURS = {"avx512vnni": "#c1272d", "avxvnni": "#cc79a7", "avx2": "#0072b2", "sse41": "#009e73", "scalar": "#777777"}
MARKERS = {"linear": "o", "conv": "s", "depthwise": "^"}
LEVELS = {"256 KB": "loads from 256 KB", "4 MB": "from 4 MB", "256 MB": "from 256 MB"}


def benchmarks(paths):
    for path in paths:
        with open(path, encoding="utf-8") as figures:
            yield from json.load(figures)["benchmarks"]


def read(paths):
    """Returns the points, the largest rates of multiply-adds and the largest rates of loads, all in 10^9 per second."""
    points, multiply_adds, loads = [], {}, {}
    for b in benchmarks(paths):
        operation, rest = b["name"].split("<", 1)
        backend, rest = rest.split(">/", 1)
        speed = b["items_per_second"] / 1e9
        if operation == "limits" and rest.startswith("loads/"):
            level = rest.split("/")[1]
            loads[level] = max(loads.get(level, 0), speed)
        elif operation == "limits":
            multiply_adds[backend, rest.split("/")[0]] = speed
        elif operation in ("linear", "conv"):
            number_format, shape = rest.split("/")[:2]
            kind = "depthwise" if shape.startswith("depthwise") else operation
            points.append((number_format, backend, kind, b["items_per_byte"], speed))
    return points, multiply_adds, loads


def draw(axes, number_format, points, multiply_adds, loads):
    operand, title = FORMATS[number_format]
    low, high = 0.4, 400
    roof = max((speed for (_, bits), speed in multiply_adds.items() if bits == operand), default=high)
    for level, label in LEVELS.items():
        if level in loads:
            ends = [low, min(high, roof / loads[level])]
            axes.plot(ends, [loads[level] * x for x in ends], color="#bbbbbb", linewidth=1, zorder=1)
            axes.annotate(label, (low * 1.05, loads[level] * low * 1.12), color="#777777", fontsize=7, rotation=34,
                          rotation_mode="anchor", zorder=1)
    for backend, colour in COLOURS.items():
        limit = multiply_adds.get((backend, operand))
        if limit:
            axes.plot([low, high], [limit, limit], color=colour, linewidth=1, linestyle="--", zorder=1)
            axes.annotate(f"{backend} {limit:.0f}", (high, limit), color=colour, fontsize=7, ha="right", va="bottom")
        for kind, marker in MARKERS.items():
            at = [(x, y) for f, b, k, x, y in points if (f, b, k) == (number_format, backend, kind)]
            if at:
                axes.scatter(*zip(*at), s=16, color=colour, marker=marker, linewidths=0, zorder=2)
    axes.set(title=title, xscale="log", yscale="log", xlim=(low, high), ylim=(0.8, 900), xlabel="multiply-adds per byte")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)


def main():
    *figures, picture = sys.argv[1:]
    points, multiply_adds, loads = read(figures)
    figure, both = pyplot.subplots(1, 2, figsize=(9, 4), sharey=True)
    for axes, number_format in zip(both, FORMATS):
        draw(axes, number_format, points, multiply_adds, loads)
    both[0].set_ylabel("10⁹ multiply-adds per second")
    handles = [pyplot.Line2D([], [], color=c, marker="o", linestyle="", markersize=4, label=b) for b, c in COLOURS.items()]
    handles += [pyplot.Line2D([], [], color="black", marker=m, linestyle="", markersize=4, label=k) for k, m in MARKERS.items()]
    figure.legend(handles=handles, loc="lower center", ncol=len(handles), frameon=False, fontsize=8)
    figure.subplots_adjust(left=0.06, right=0.99, top=0.93, bottom=0.2, wspace=0.05)
    figure.savefig(picture, metadata={"Date": None, "Creator": None})


main()
