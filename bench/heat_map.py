#!/usr/bin/env python3
"""heat_map.py FIGURES.json PICTURE.svg: draws what dyadic_agree or dyadic_model kept with --json: how often outputs differ."""
import json
import math
import sys

from svg import Picture

CELL, ROW = 47, 21
SHADES = ["#fbe3dc", "#f6bda9", "#ee8f72", "#d9583f", "#a8201f"]  # up to 0.001, 0.01, 0.1, 1, 100 percent


def shade(percent):
    return SHADES[min(4, max(0, math.ceil(math.log10(percent)) + 3))]


def height_of_columns(table):
    return ROW if "columns" in table else 0


def draw(picture, left, top, table):
    """Draws a row for each engine. The engine's name stands where the column of the same engine begins."""
    picture.text(left, top, table["title"], style="title")
    for j, column in enumerate(table.get("columns", [])):
        picture.text(left + CELL * (j + 0.5), top + 22, column, "middle", "small")
    top += height_of_columns(table)
    for i, (name, cells) in enumerate(zip(table["engines"], table["percent"])):
        y = top + 10 + ROW * i
        for j, cell in enumerate(cells):
            equal = cell == "="
            unknown = cell in ("?", "-")
            percent = 0.0001 if cell.startswith("<") else 0 if equal or unknown else float(cell)
            picture.box(left + CELL * j, y, CELL - 1, ROW - 1, "#3fa37a" if equal else "#eaeef2" if unknown else shade(percent))
            ink = "#ffffff" if equal or percent > 0.1 else "#24292f"
            picture.text(left + CELL * (j + 0.5), y + 14, "equal" if equal else cell, "middle", "small", ink)
        picture.text(left + CELL * len(cells) + 4, y + 14, name)


def main():
    figures, path = sys.argv[1:]
    with open(figures, encoding="utf-8") as kept:
        tables = json.load(kept)
    if isinstance(tables, dict):
        tables = tables["tables"]
    heights = [ROW * len(table["engines"]) + height_of_columns(table) for table in tables]
    picture = Picture(740, 80 + sum(heights) + 34 * (len(tables) - 1))
    top = 18
    for table, height in zip(tables, heights):
        draw(picture, 8, top, table)
        top += height + 34
    notes = ["A cell compares the engine of its row with the engine whose name is above its column.",
             "equal: the same outputs for every input, as decided. A number: percent of the outputs that differ, for random inputs.",
             "<0.0001: some input shows a difference, but none of a million random outputs does."]
    notes = tables[0].get("notes", notes)
    for i, note in enumerate(notes):
        picture.text(8, top - 2 + 14 * i, note, style="faint")
    picture.save(path)


main()
