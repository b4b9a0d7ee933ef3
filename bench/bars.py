#!/usr/bin/env python3
"""bars.py FIGURES.json PICTURE.svg: draws the figures that dyadic_networks stored with --json: a bar for each network and contender."""
import json
import sys

from svg import COLOURS, Picture, machine

TYPES = {"a8w8": "int8 activations, int8 weights", "a16w8": "int16 activations, int8 weights"}
NETWORKS = ["MobileNetV2 224", "ResNet-18 224", "person detection 96", "keywords DS-CNN", "speech NSNet2"]
ROW, NAMES, BARS, PANEL = 13, 112, 205, 425


def read(rows):
    """Returns the multiply-adds and the seconds of each pair of types, contender and network, if the contender has all layers."""
    sums = {}
    for row in rows:
        contender, layer = row["name"].removeprefix("networks<").split(">/", 1)
        types = layer.split("/")[1]
        for network in set(NETWORKS) & row.keys():
            work = row["multiply_adds"] * row[network]
            of = sums.setdefault((types, contender, network), [0, 0])
            of[0] += work
            of[1] += work / row["items_per_second"]
    most = {network: max((work for key, (work, _) in sums.items() if key[2] == network), default=0) for network in NETWORKS}
    return {key: of for key, of in sums.items() if of[0] == most[key[2]]}


def digits(x):
    return f"{x:#.3g}".rstrip(".")


def draw(picture, left, types, sums, wrong, rows_of_network):
    here = [c for c in COLOURS if any((types, c, n) in sums for n in NETWORKS)]
    fastest = max(work / seconds for work, seconds in sums.values())
    y = 62
    picture.text(left, y, TYPES[types], style="title")
    picture.text(left + NAMES, y + 17, "10⁹ multiply-adds/s: higher is better", style="small faint")
    picture.text(left + PANEL - 20, y + 17, "milliseconds", "end", "small faint")
    y += 34
    for network in NETWORKS:
        picture.text(left, y, network)
        for i, contender in enumerate(here):
            at = y + 6 + ROW * i
            picture.text(left + NAMES - 6, at + 8.5, contender, "end", "small")
            if (types, contender, network) not in sums:
                why = "wrong outputs" if contender in wrong else "not measured"
                picture.text(left + NAMES, at + 8.5, why, style="small faint")
                continue
            work, seconds = sums[types, contender, network]
            length = BARS * work / seconds / fastest
            picture.box(left + NAMES, at, length, ROW - 3, COLOURS[contender])
            picture.text(left + NAMES + length + 4, at + 8.5, digits(work / seconds / 1e9), style="small")
            picture.text(left + PANEL - 20, at + 8.5, digits(1e3 * seconds), "end", "small")
        y += 25 + ROW * rows_of_network
    return y


def main():
    path, to = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        figures = json.load(file)
    sums = read(figures["benchmarks"])
    wrong = {name.split("<")[1].split(">")[0] for name in figures["context"].get("wrong", "").split("; ") if name}
    rows = max(len({c for t, c, _ in sums if t == types}) for types in TYPES)
    picture = Picture(2 * PANEL + 10, 92 + (25 + ROW * rows) * len(NETWORKS) + 34)
    picture.text(8, 20, "Whole networks", style="title")
    picture.text(8, 36, machine(figures["context"]), style="faint")
    for i, types in enumerate(TYPES):
        y = draw(picture, 8 + PANEL * i, types, sums, wrong, rows)
    picture.text(8, y, "not measured: portable code (scalar) in networks of more than 10⁷ multiply-adds. "
                 "XNNPACK and oneDNN have no layers of int16 by int8.", style="faint")
    picture.text(8, y + 15, "proved: the cheaper epilogue of prove_epilogue, which gives the same outputs. "
                 "Outputs of XNNPACK and oneDNN may differ by 1; all others are exact.", style="faint")
    picture.save(to)


main()
