#!/usr/bin/env python3
"""bars.py FIGURES.json KEPT.csv DIRECTORY: draws whole networks on two kinds of machine, in a panel each.

FIGURES.json has what dyadic_networks stored with --json on one machine. The other panel keeps its last figures, which KEPT.csv has.
Writes the figures of both panels to DIRECTORY/networks.csv, and the picture to DIRECTORY/networks.svg.
"""
import csv
import json
import os
import sys

from svg import COLOURS, Picture

TYPES = {"a8w8": "int8 activations, int8 weights", "a16w8": "int16 activations, int8 weights"}
NETWORKS = ["MobileNetV2 224", "ResNet-18 224", "person detection 96", "keywords DS-CNN", "speech NSNet2"]
PANELS = {"AVX-512": ["avx512vnni"], "AVX2": ["avx2", "avxvnni"]}  # each with the widest backends of its machines
COLUMNS = "panel,processor,backend,left_out,not_limited,day,network,types,contender,giga_per_second,milliseconds".split(",")
INEXACT = ", inexact"
ROW, NAMES, BARS, PANEL, TOP = 13, 118, 200, 425, 60


def sums_of(rows):
    """Returns for each network, pair of types and contender the multiply-adds, the seconds, and whether a layer is inexact. Leaves
    out a contender that lacks a layer."""
    sums = {}
    for row in rows:
        name, layer = row["name"].removeprefix("networks<").split(">/", 1)
        types = layer.split("/")[1]
        for network in set(NETWORKS) & row.keys():
            work = row["multiply_adds"] * row[network]
            of = sums.setdefault((network, types, name.removesuffix(INEXACT)), [0, 0, False])
            of[0] += work
            of[1] += work / row["items_per_second"]
            of[2] = of[2] or name.endswith(INEXACT)
    most = {network: max((of[0] for key, of in sums.items() if key[0] == network), default=0) for network in NETWORKS}
    return {key: of for key, of in sums.items() if of[0] == most[key[0]]}


def lines_of(figures):
    """Returns the lines of one panel for networks.csv."""
    context = figures["context"]
    backend = context["backends"].split()[0]
    panel = next((panel for panel, widest in PANELS.items() if backend in widest), None)
    if panel is None:
        print(f"networks.svg has no panel for {backend}", file=sys.stderr)
        return []
    machine = {"panel": panel, "processor": context["processor"], "backend": backend, "left_out": context["left_out"],
               "not_limited": context.get("not_limited", ""), "day": context["date"][:10]}
    sums = sums_of(figures["benchmarks"])
    return [{**machine, "network": network, "types": types, "contender": contender + (INEXACT if inexact else ""),
             "giga_per_second": digits(work / seconds / 1e9), "milliseconds": digits(1e3 * seconds)}
            for (network, types, contender), (work, seconds, inexact) in sums.items()]


def digits(x):
    return f"{x:#.3g}".rstrip(".") if x < 1000 else f"{x:.0f}"


def bars_of(lines, network, types):
    """Returns the lines of a network and a pair of types, in the order of COLOURS. Leaves out contenders without a colour."""
    order = list(COLOURS)
    found = [line for line in lines if line["network"] == network and line["types"] == types
             and line["contender"].removesuffix(INEXACT) in order]
    return sorted(found, key=lambda line: order.index(line["contender"].removesuffix(INEXACT)))


def draw(picture, left, panel, lines, rows):
    """Draws a panel. `rows` is the number of bars of each network and pair of types."""
    picture.text(left, TOP - 16, f"{panel}", style="title")
    if not lines:
        picture.text(left, TOP, "not measured", style="small faint")
        return
    first = lines[0]
    picture.text(left, TOP, f'{first["processor"]}, {first["backend"]}, {first["day"]}', style="faint")
    if first["left_out"]:
        picture.text(left, TOP + 13, f'Measured with DYADIC_BACKEND={first["backend"]} on a processor that also has',
                     style="small faint")
        others = f' Not limited: {first["not_limited"]}.' if first["not_limited"] else " The other engines are limited, too."
        picture.text(left, TOP + 25, first["left_out"].replace(" ", ", ") + "." + others, style="small faint")
    y = TOP + 44
    picture.text(left + NAMES, y, "10⁹ multiply-adds/s: higher is better", style="small faint")
    picture.text(left + PANEL - 20, y, "milliseconds", "end", "small faint")
    fastest = max(float(line["giga_per_second"]) for line in lines)
    for network in NETWORKS:
        y += 17
        picture.text(left, y, network)
        for types, title in TYPES.items():
            picture.text(left + NAMES, y, title, style="small faint")
            for i, line in enumerate(bars_of(lines, network, types)):
                at = y + 4 + ROW * i
                length = BARS * float(line["giga_per_second"]) / fastest
                inexact = line["contender"].endswith(INEXACT)
                picture.text(left + NAMES - 6, at + 8.5, line["contender"], "end", "small")
                picture.box(left + NAMES, at, length, ROW - 3, COLOURS[line["contender"].removesuffix(INEXACT)], hollow=inexact)
                picture.text(left + NAMES + length + 4, at + 8.5, line["giga_per_second"], style="small")
                picture.text(left + PANEL - 20, at + 8.5, line["milliseconds"], "end", "small")
            y += 14 + ROW * rows[network, types]


def main():
    path, kept, to = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        new = lines_of(json.load(file))
    with open(kept, encoding="utf-8", newline="") as file:
        lines = [line for line in csv.DictReader(file) if not new or line["panel"] != new[0]["panel"]] + new
    panels = {panel: [line for line in lines if line["panel"] == panel] for panel in PANELS}
    with open(os.path.join(to, "networks.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for of in panels.values():
            writer.writerows(of)
    rows = {(network, types): max(len(bars_of(of, network, types)) for of in panels.values())
            for network in NETWORKS for types in TYPES}
    bottom = TOP + 58 + sum(17 + sum(14 + ROW * rows[network, types] for types in TYPES) for network in NETWORKS)
    picture = Picture(len(PANELS) * PANEL + 10, bottom + 40)
    picture.text(8, 20, "Whole networks, one thread", style="title")
    for i, (panel, of) in enumerate(panels.items()):
        draw(picture, 8 + PANEL * i, panel, of, rows)
    picture.text(8, bottom, "Each panel has its own scale. proved: the cheaper epilogue of prove_epilogue, which gives the same outputs.",
                 style="faint")
    picture.text(8, bottom + 15, "Outputs of XNNPACK and oneDNN may differ by 1. inexact, an outlined bar: they differ by more. "
                 "All others are exact.", style="faint")
    picture.save(os.path.join(to, "networks.svg"))


main()
