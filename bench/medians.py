#!/usr/bin/env python3
"""medians.py PROCESSES FIGURES.json PROGRAM ARGUMENT...: runs a benchmark program PROCESSES times. Stores for each row the figures of the
median process, and prints the table of medians.

The placement of memory differs between processes. It may favour a row by ten percent, and repetitions in one process do not reveal that.
"""
import json
import os
import subprocess
import sys
import tempfile


def speed(row):
    """Returns the speed of a row, relative to the limit that was sampled next to the row if there is one."""
    return row["items_per_second"] / row.get("limit_per_second", 1)


def middle(rows):
    assert len({row["name"] for row in rows}) == 1
    return sorted(rows, key=speed)[len(rows) // 2]


def measure(command, path):
    subprocess.run([*command, f"--json={path}"], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as figures:
        return json.load(figures)


def main(processes, path, *command):
    with tempfile.TemporaryDirectory() as directory:
        runs = []
        for i in range(int(processes)):
            print(f"process {i + 1} of {processes}", flush=True)
            runs.append(measure(command, os.path.join(directory, "one.json")))
        rows = [middle(same) for same in zip(*(run["benchmarks"] for run in runs))]
        with open(path, "w", encoding="utf-8") as figures:
            json.dump({**runs[0], "benchmarks": rows}, figures, indent=1)
        lines = os.path.join(directory, "rows")
        with open(lines, "w", encoding="utf-8") as file:
            for row in rows:
                name = row["name"].split("/iterations:")[0]
                print(name, row["items_per_second"], row.get("limit_per_second", 0), sep="\t", file=file)
        subprocess.run([*command, f"--rows={lines}"], check=True)
        print(f"medians of {processes} processes")


main(*sys.argv[1:])
