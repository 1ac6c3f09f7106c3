"""Reads the files of rows that `quiver features` writes.

A row has the data of one position. The first line of a file is JSON that describes the fields of a
row, padded with spaces. Binary rows of equal length follow, in little-endian order.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tuning.errors import InputError, reading

HALF_PLY, RESULT_USABLE = 1, 2
"""Bits of a row's `flags`. `HALF_PLY`: the position is after a queen move and before its arrow.
`RESULT_USABLE`: no deliberate blunder follows the position, and no fault ended the game."""

_FIELDS = {"game", "ply", "flags", "result", "value", "empties"}
_POLICY_FIELDS = {"game", "ply", "half", "empties", "value", "from", "legal", "moves", "shares", "planes"}
_MAX_HEADER_BYTES = 1 << 22


@dataclass(frozen=True)
class Column:
    """A column of features: its name, its unit and its role.

    The column has integers: features times `unit`. A fit finds a weight for each column of the role
    "term", and lets the weights depend on columns of the role "phase". A column of the role "odds"
    has an evaluator's log-odds, for comparison. Other roles are ignored.
    """

    name: str
    unit: int
    role: str


@dataclass(frozen=True)
class TrainingRows:
    """The training rows of a file, which is mapped into memory."""

    path: Path
    about: dict[str, Any]
    fields: np.ndarray
    """The rows as a structured NumPy array. A feature is a field of type int16."""
    board: int
    columns: Sequence[Column] = ()
    """The columns of features. Empty for policy rows, see `src/training/policy_rows.rs`."""

    def columns_of_role(self, role: str) -> list[Column]:
        return [column for column in self.columns if column.role == role]

    def column(self, name: str, index: np.ndarray | slice) -> np.ndarray:
        known = [column.name for column in self.columns]
        if name not in known:
            raise InputError(f"{self.path}: no column '{name}', expected one of {', '.join(known)}")
        return self.fields[name][index]

    def feature_matrix(self, columns: list[Column], index: np.ndarray) -> np.ndarray:
        """Return the values of features in the rows at `index`: float32 [rows, columns]."""
        return np.stack([self.column(column.name, index) for column in columns], axis=1, dtype=np.float32)

    def is_half_ply(self, index: np.ndarray | slice) -> np.ndarray:
        return (self.fields["flags"][index] & HALF_PLY) != 0

    def has_usable_result(self, index: np.ndarray) -> np.ndarray:
        return (self.fields["flags"][index] & RESULT_USABLE) != 0


def map_rows(path: Path, key: str, command: str, names: set[str]) -> tuple[dict[str, Any], np.ndarray]:
    """Map a file of rows into memory; return its header and the rows.

    The header is the value of `key` in the file's first line. The file must have as many rows as
    the header says, and all fields in `names`. Error messages say that `command` writes such files.
    """
    with reading(path, f"a file of rows as '{command}' writes it"):
        with path.open("rb") as file:
            line, size = file.readline(_MAX_HEADER_BYTES), path.stat().st_size
        about = json.loads(line)[key]
        if about["format"] != 1:
            raise InputError(f"{path}: rows of format {about['format']}, expected 1")
        kind = np.dtype(
            [(str(name), str(code), *map(tuple, shape)) for name, code, *shape in about["fields"]]
        )
        count = int(about["rows"])
    if size != len(line) + count * kind.itemsize or count == 0:
        expected = f"a header of {len(line)} and {count} rows of {kind.itemsize} bytes, and at least one row"
        raise InputError(f"{path}: {size} bytes, expected {expected}")
    if missing := names - set(kind.names or ()):
        raise InputError(f"{path}: no fields {sorted(missing)}, expected all of {sorted(names)}")
    return about, np.memmap(path, dtype=kind, mode="r", offset=len(line), shape=(count,))


def read_policy_rows(path: Path) -> TrainingRows:
    about, fields = map_rows(path, "policy_rows", "quiver features --policy", _POLICY_FIELDS)
    shape, board = fields.dtype["planes"].shape, about.get("board")
    if not isinstance(board, int) or shape != (board * board, 3):
        raise InputError(f"{path}: planes {shape}, expected the squares of board {board}, 3 bytes each")
    return TrainingRows(path, about, fields, board)


def split_games(game: np.ndarray, every: int) -> tuple[np.ndarray, np.ndarray]:
    """Return row indices for the fit and for validation. Validation gets each `every`-th game."""
    validating = game % np.uint32(every) == 0
    return np.flatnonzero(~validating), np.flatnonzero(validating)


def read_rows(path: Path) -> TrainingRows:
    about, data = map_rows(path, "features", "quiver features", _FIELDS)
    with reading(f"{path}: columns", "a file of rows as 'quiver features' writes it"):
        columns = [Column(str(c["name"]), int(c["unit"]), str(c["role"])) for c in about["columns"]]
        board = int(about["board"][0])
        fit = all(data.dtype[column.name] == "<i2" and column.unit >= 1 for column in columns)
    if not fit:
        raise InputError(f"{path}: columns {data.dtype}, expected type <i2 and a unit from 1 for all")
    if missing := {"phase", "term"} - {column.role for column in columns}:
        raise InputError(f"{path}: no columns of role '{missing.pop()}', expected phases and terms")
    return TrainingRows(path, about, data, board, columns)
