#!/usr/bin/env python3
"""medians.py PROCESSES FIGURES.json PROGRAM ARGUMENT...: runs a program of benchmarks in several processes, keeps for each row the
figures of the process in the middle, and prints the table of these figures.

Memory addresses stay the same while a process lives. They may favour a row by ten percent, however often the row is repeated.
"""
import json
import os
import subprocess
import sys
import tempfile


def speed(row):
    """Returns the speed over the limit that was sampled beside the row, or the speed if there is no limit."""
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
            runs.append(measure(command, os.path.join(directory, "one.json")))
            print(f"process {i + 1} of {processes} is done", flush=True)
        rows = [middle(same) for same in zip(*(run["benchmarks"] for run in runs))]
        with open(path, "w", encoding="utf-8") as figures:
            json.dump({**runs[0], "benchmarks": rows}, figures, indent=1)
        lines = os.path.join(directory, "rows")
        with open(lines, "w", encoding="utf-8") as file:
            for row in rows:
                name = row["name"].split("/iterations:")[0]
                figures_of_row = [row["items_per_second"], row.get("limit_per_second", 0), row.get("instructions_per_cycle", 0)]
                print(name, *figures_of_row, sep="\t", file=file)
        subprocess.run([*command, f"--rows={lines}"], check=True)
        print(f"medians of {processes} processes")


try:
    main(*sys.argv[1:])
except subprocess.CalledProcessError as error:  # the program has said why
    sys.exit(error.returncode)
