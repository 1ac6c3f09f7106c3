"""The rows of features that `quiver features` writes.

A file is one line of JSON, filled up with spaces, and then rows of one length, little endian. The line says what the
fields of a row are; nothing about columns is known here but what it says.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tuning.errors import InputError, reading

HALF_PLY, RESULT_USABLE = 1, 2
"""Flags: the row is of a half ply; the result of the game says something about it."""

_FIELDS = {"game", "ply", "flags", "result", "value", "empties"}
_POLICY_FIELDS = {"game", "ply", "half", "empties", "value", "from", "legal", "moves", "shares", "planes"}
_LONGEST_HEADER = 1 << 22


@dataclass(frozen=True)
class Column:
    """A column of features: its name, how many of its units make one, and what it is for.

    Roles are "term" (fitted), "phase" (over which weights are interpolated) and "odds" (the log-odds
    of a whole evaluator, to compare with); a column of any other role is there to look at.
    """

    name: str
    unit: int
    role: str


@dataclass(frozen=True)
class Rows:
    """A file of rows, mapped into memory."""

    path: Path
    about: dict[str, Any]
    fields: np.ndarray
    """The rows, by the names of their fields; columns are int16."""
    board: int
    """Squares along a side."""
    columns: Sequence[Column] = ()
    """None in rows for the policy network, whose fields `src/training/policy_rows.rs` explains."""

    def __len__(self) -> int:
        return len(self.fields)

    def of_role(self, role: str) -> list[Column]:
        return [column for column in self.columns if column.role == role]

    def column(self, name: str, index: np.ndarray | slice) -> np.ndarray:
        """Return the column of this name of these rows: int16."""
        known = [column.name for column in self.columns]
        if name not in known:
            raise InputError(f"{self.path}: no column '{name}', expected one of {', '.join(known)}")
        return self.fields[name][index]

    def table(self, columns: list[Column], index: np.ndarray) -> np.ndarray:
        """Return these columns of these rows: float32, a row a row."""
        return np.stack([self.column(one.name, index) for one in columns], axis=1, dtype=np.float32)

    def half(self, index: np.ndarray | slice) -> np.ndarray:
        return (self.fields["flags"][index] & HALF_PLY) != 0

    def result_usable(self, index: np.ndarray) -> np.ndarray:
        """Return for which of these rows the result of the game counts."""
        return (self.fields["flags"][index] & RESULT_USABLE) != 0


def read_fields(path: Path, key: str, command: str, names: set[str]) -> tuple[dict[str, Any], np.ndarray]:
    """Map a file of rows into memory, after checking that it is one and whole, with fields of these names.

    Return what it says of itself too.
    """
    with reading(path, f"a file of rows as '{command}' writes it"):
        with path.open("rb") as file:
            line, size = file.readline(_LONGEST_HEADER), path.stat().st_size
        about = json.loads(line)[key]
        if about["format"] != 1:
            raise InputError(f"{path}: rows of format {about['format']}, expected 1")
        kind = np.dtype([(str(name), str(one), *map(tuple, shape)) for name, one, *shape in about["fields"]])
        count = int(about["rows"])
    if size != len(line) + count * kind.itemsize or count == 0:
        expected = f"{count} > 0 rows of {kind.itemsize} after {len(line)}"
        raise InputError(f"{path}: {size} bytes, expected {expected}")
    if missing := names - set(kind.names or ()):
        raise InputError(f"{path}: no fields {sorted(missing)}, expected all of {sorted(names)}")
    return about, np.memmap(path, dtype=kind, mode="r", offset=len(line), shape=(count,))


def read_policy_rows(path: Path) -> Rows:
    """Map a file of rows of `quiver features --policy` into memory."""
    about, fields = read_fields(path, "policy_rows", "quiver features --policy", _POLICY_FIELDS)
    shape, board = fields.dtype["planes"].shape, about.get("board")
    if not isinstance(board, int) or shape != (board * board, 3):
        raise InputError(f"{path}: {shape} squares a row, expected those of a board of {board}")
    return Rows(path, about, fields, board)


def split(game: np.ndarray, every: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to fit on and the rows to validate on, those of every `every`-th game, by each row's game.

    No game is in both.
    """
    validating = game % np.uint32(every) == 0
    return np.flatnonzero(~validating), np.flatnonzero(validating)


def read_rows(path: Path) -> Rows:
    """Map a file of rows of features into memory."""
    about, data = read_fields(path, "features", "quiver features", _FIELDS)
    with reading(f"{path}: columns", "a file of rows as 'quiver features' writes it"):
        columns = [Column(str(one["name"]), int(one["unit"]), str(one["role"])) for one in about["columns"]]
        board = int(about["board"][0])
        fit = all(data.dtype[column.name] == "<i2" and column.unit >= 1 for column in columns)
    if not fit:
        raise InputError(f"{path}: columns {data.dtype}, expected <i2 for all, and whole units that make one")
    if missing := {"phase", "term"} - {column.role for column in columns}:
        raise InputError(f"{path}: no columns of role '{missing.pop()}', expected phases and terms to fit")
    return Rows(path, about, data, board, columns)
