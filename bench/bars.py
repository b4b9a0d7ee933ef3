#!/usr/bin/env python3
"""bars.py FIGURES.json PICTURE.svg: draws the figures that dyadic_networks stored with --json: a bar for each network and contender."""
import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "dyadic", "font.family": "sans-serif", "font.size": 9})
from matplotlib import pyplot

FORMATS = {"a8w8": "int8 activations, int8 weights", "a16w8": "int16 activations, int8 weights"}
COLOURS = {"scalar": "#777777", "sse41": "#009e73", "avx2": "#0072b2", "avxvnni": "#cc79a7", "avx512vnni": "#c1272d",
           "avx512vnni, proved": "#ef8a80", "XNNPACK": "#e6b84f", "oneDNN": "#8c6d31"}
NETWORKS = ["MobileNetV2 224", "ResNet-18 224", "person detection 96", "keywords DS-CNN", "speech NSNet2"]


def read(path):
    """Returns the multiply-adds and the seconds of each format, contender and network, for contenders that run all layers of the network.
    Also returns the names of contenders with wrong outputs."""
    with open(path, encoding="utf-8") as file:
        figures = json.load(file)
    wrong = {name.split("<")[1].split(">")[0] for name in figures["context"].get("wrong", "").split("; ") if name}
    sums = {}
    for row in figures["benchmarks"]:
        contender, layer = row["name"].removeprefix("networks<").split(">/", 1)
        number_format = layer.split("/", 1)[0]
        for network in set(NETWORKS) & row.keys():
            work = row["multiply_adds"] * row[network]
            of = sums.setdefault((number_format, contender, network), [0, 0])
            of[0] += work
            of[1] += work / row["items_per_second"]
    most = {network: max((work for key, (work, _) in sums.items() if key[2] == network), default=0) for network in NETWORKS}
    return {key: of for key, of in sums.items() if of[0] == most[key[2]]}, sorted(wrong)


def draw(axes, number_format, sums):
    here = [c for c in COLOURS if any((number_format, c, n) in sums for n in NETWORKS)]
    width = 0.85 / len(here)
    for i, contender in enumerate(here):
        for place, network in enumerate(NETWORKS):
            if (number_format, contender, network) not in sums:
                continue
            work, seconds = sums[number_format, contender, network]
            at, speed = place + (i - (len(here) - 1) / 2) * width, work / seconds / 1e9
            axes.bar(at, speed, width * 0.92, color=COLOURS[contender])
            axes.annotate(f"{1e3 * seconds:#.3g}".rstrip("."), (at, speed), ha="center", va="bottom", fontsize=6, rotation=90,
                          xytext=(0, 2), textcoords="offset points")
    axes.margins(y=0.13)
    axes.set_xticks(range(len(NETWORKS)), [n.replace(" ", "\n", 1) for n in NETWORKS], fontsize=7)
    axes.set_title(FORMATS[number_format])
    axes.tick_params(axis="x", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    return here


def main():
    figures, picture = sys.argv[1:]
    sums, wrong = read(figures)
    figure, both = pyplot.subplots(1, 2, figsize=(9, 3.4), sharey=True, width_ratios=[7, 5])
    shown = [set(draw(axes, number_format, sums)) for axes, number_format in zip(both, FORMATS)]
    both[0].set_ylabel("10⁹ multiply-adds per second")
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=COLOURS[c], label=c) for c in COLOURS if c in set.union(*shown)]
    figure.legend(handles=handles, loc="lower left", ncol=len(handles), frameon=False, fontsize=8)
    figure.text(0.99, 0.03, "above a bar: milliseconds", ha="right", fontsize=7)
    if wrong:
        both[0].text(0.99, 0.99, "not drawn where wrong: " + ", ".join(wrong), ha="right", va="top", fontsize=7,
                     transform=both[0].transAxes)
    figure.subplots_adjust(left=0.06, right=0.99, top=0.92, bottom=0.22, wspace=0.05)
    figure.savefig(picture, metadata={"Date": None, "Creator": None})


main()
