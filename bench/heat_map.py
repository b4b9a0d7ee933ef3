#!/usr/bin/env python3
"""heat_map.py FIGURES.json PICTURE.svg: draws the table that dyadic_agree stored with --json: which engines give the same outputs."""
import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "dyadic", "font.family": "sans-serif", "font.size": 8})
from matplotlib import pyplot


def draw(axes, table):
    engines, rows = table["engines"], table["percent"]
    size = len(engines)
    cells = [[rows[max(i, j)][min(i, j)] if i != j else 0 for j in range(size)] for i in range(size)]
    axes.imshow(cells, cmap="Reds", vmin=0, vmax=130)
    for i in range(size):
        for j in range(size):
            text = "" if i == j else "=" if cells[i][j] == 0 else str(cells[i][j])
            axes.annotate(text, (j, i), ha="center", va="center", color="white" if cells[i][j] > 80 else "black", fontsize=7)
    axes.set_xticks(range(size), [chr(ord("a") + i) for i in range(size)])
    axes.set_yticks(range(size), [f"{name}  {chr(ord('a') + i)}" for i, name in enumerate(engines)])
    axes.tick_params(length=0)
    axes.set_title(table["title"], fontsize=9, loc="right")
    axes.spines[:].set_visible(False)


def main():
    figures, picture = sys.argv[1:]
    with open(figures, encoding="utf-8") as kept:
        tables = json.load(kept)
    sizes = [len(table["engines"]) for table in tables]
    figure, parts = pyplot.subplots(1, len(tables), figsize=(10, 3.6), width_ratios=sizes)
    for axes, table in zip(parts, tables):
        draw(axes, table)
    figure.text(0.5, 0.02, "percent of channels in which some input may show a difference; =: none", ha="center", fontsize=8)
    figure.subplots_adjust(left=0.22, right=0.99, top=0.92, bottom=0.12, wspace=0.9)
    figure.savefig(picture, metadata={"Date": None, "Creator": None})


main()
