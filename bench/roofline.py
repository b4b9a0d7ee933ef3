#!/usr/bin/env python3
"""roofline.py LIMITS.json LINEAR.json CONV.json PICTURE.svg: draws how close layers come to the limits of the machine.

A layer can do no more multiply-adds per second than its instructions do. It can also do no more than the bytes that it needs arrive.
"""
import json
import math
import statistics
import sys

from svg import COLOURS, Picture, machine

TYPES = {"a8w8": "int8 activations, int8 weights", "a16w8": "int16 activations, int8 weights"}
LEVELS = {"16 KB": 2**14, "256 KB": 2**18, "4 MB": 2**22, "256 MB": 2**28}
ROW, NAMES, PANEL, TOP = 20, 240, 315, 104


def read(paths):
    """Returns the layers, the most multiply-adds as they were sampled beside the layers, the most loads, and the context of the
    figures. Speeds are 10^9 per second."""
    layers, limits, loads = {}, {}, {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            figures = json.load(file)
        for row in figures["benchmarks"]:
            table, rest = row["name"].split("<", 1)
            backend, rest = rest.split(">/", 1)
            operation, types, shape = rest.split("/iterations")[0].split("/", 2)
            speed = row["items_per_second"] / 1e9
            if operation == "loads":
                loads[shape] = max(loads.get(shape, 0), speed)
            elif table != "limits":
                if "limit_per_second" in row:
                    limits.setdefault((backend, types), []).append(row["limit_per_second"] / 1e9)
                layer = layers.setdefault((operation, shape), {})
                layer[types, backend] = speed
                layer[types] = (row["items_per_byte"], row["bytes"])
    limits = {key: statistics.median(speeds) for key, speeds in limits.items()}
    return layers, limits, loads, figures["context"]


def main():
    *paths, to = sys.argv[1:]
    layers, limits, loads, context = read(paths)
    speeds = [v for layer in layers.values() for key, v in layer.items() if isinstance(key, tuple)]
    low, high = math.log10(0.8 * min(speeds)), math.log10(1.15 * max(*limits.values(), *speeds))
    bottom = TOP + ROW * len(layers)
    picture = Picture(NAMES + 2 * PANEL + 5, bottom + 68)
    picture.text(8, 20, "Layers beside the limits of the machine", style="title")
    picture.text(8, 36, machine(context), style="faint")
    picture.legend(8, bottom + 42, [c for c in COLOURS if any(c == key[1] for layer in layers.values() for key in layer)])
    picture.text(8, bottom + 60, "Dots: layers, higher is better. Dashed: multiply-adds whose operands stay in registers. "
                 "Bars |: as many as loads of the layer's bytes allow.", style="faint")
    for i, (operation, shape) in enumerate(layers):
        picture.text(8, TOP + ROW * (i + 0.5) + 4, f"{operation} {shape}")
    for p, (types, title) in enumerate(TYPES.items()):
        left = NAMES + PANEL * p

        def place(speed):
            return left + (PANEL - 15) * (math.log10(speed) - low) / (high - low)

        picture.text(left, 54, title, style="title")
        for exponent in range(math.ceil(low), math.floor(high) + 1):
            at = place(10**exponent)
            picture.line(at, TOP, at, bottom, "grid")
            picture.text(at, bottom + 14, f"{10**exponent:g}", "middle", "small")
        picture.text(left + PANEL - 15, bottom + 26, "10⁹ multiply-adds per second", "end", "small faint")
        picture.line(left, bottom, left + PANEL - 15, bottom)
        ends = [math.inf] * 4  # the left end of the labels on each level
        for backend in reversed(COLOURS):
            if (backend, types) not in limits:
                continue
            at, label = place(limits[backend, types]), f"{backend} {limits[backend, types]:.0f}"
            level = next((n for n in range(4) if at + 8 < ends[n]), 3)
            ends[level] = at - 6 * len(label)
            picture.text(at + 3, TOP - 5 - 11 * level, label, "end", "small", COLOURS[backend])
            picture.line(at, TOP, at, bottom, colour=COLOURS[backend], dash="4 3")
        for i, layer in enumerate(layers.values()):
            y = TOP + ROW * (i + 0.5)
            picture.line(left, y, left + PANEL - 15, y, "grid")
            per_byte, size = layer[types]
            level = next((name for name, most in LEVELS.items() if size <= most), "256 MB")
            ceiling = per_byte * loads[level]
            if ceiling < 10**high:
                picture.line(place(ceiling), y - 6, place(ceiling), y + 6, "roof")
            for backend, colour in COLOURS.items():
                if (types, backend) in layer:
                    picture.dot(place(layer[types, backend]), y, colour)
    picture.save(to)


main()
