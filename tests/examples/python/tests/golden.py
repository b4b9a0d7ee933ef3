"""Reads the recorded rows of the engines' own code."""
import csv
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "golden"


class Rows:
    """The rows of a file. A column is an array of integers, or of floats if its name ends with `_hex` or `_bits`."""

    def __init__(self, name: str) -> None:
        with open(FOLDER / name, newline="") as file:
            self.rows = list(csv.DictReader(file))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, column: str) -> np.ndarray:
        texts = [row[column] for row in self.rows]
        if column.endswith("_hex"):
            return np.array([float.fromhex(t) for t in texts])
        if column.endswith("_bits"):
            return np.array([int(t) for t in texts], np.uint32).view(np.float32).astype(np.float64)
        return np.array([int(t) for t in texts])

    def where(self, keep: np.ndarray) -> "Rows":
        """The rows for which `keep` is true."""
        some = object.__new__(Rows)
        some.rows = [row for row, kept in zip(self.rows, keep) if kept]
        return some
