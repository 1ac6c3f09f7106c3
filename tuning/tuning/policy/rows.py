"""The rows that `quiver features --policy` writes; `src/training/policy_rows.rs` says what the fields mean."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tuning.errors import InputError
from tuning.rows import read_header

_FIELDS = {"game", "ply", "half", "empties", "value", "from", "legal", "moves", "shares"}
_FIELDS |= {"content", "queen", "king"}


@dataclass(frozen=True)
class PolicyRows:
    """A file of rows, mapped into memory: training reads only the pages that it needs."""

    path: Path
    about: dict[str, Any]
    fields: np.ndarray
    """The rows, by the names of their fields."""

    @property
    def board(self) -> int:
        """Return the squares along a side of the board."""
        return int(self.about["board"])

    def split(self, every: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows to train on and the rows of every `every`-th game, to validate on."""
        held_out = self.fields["game"] % np.uint32(every) == 0
        return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def read_policy_rows(path: Path) -> PolicyRows:
    """Map a file of rows into memory, after checking that it is one and whole."""
    line, size = read_header(path)
    try:
        about = json.loads(line)["policy_rows"]
        if about["format"] != 1:
            raise InputError(f"{path}: policy rows of format {about['format']}, expected 1")
        kind = np.dtype([(str(name), str(one), tuple(shape)) for name, one, shape in about["fields"]])
        count = int(about["rows"])
        board = int(about["board"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: {error!r}, expected rows of 'quiver features --policy'") from error
    if missing := _FIELDS - set(kind.names or ()):
        raise InputError(f"{path}: no fields {sorted(missing)}, expected all of {sorted(_FIELDS)}")
    if kind["content"].shape != (board * board,):
        raise InputError(
            f"{path}: {kind['content'].shape} squares a row, expected those of a board of {board}"
        )
    if size != len(line) + count * kind.itemsize or count == 0:
        raise InputError(
            f"{path}: {size} bytes, expected {count} > 0 rows of {kind.itemsize} after {len(line)}"
        )
    fields = np.memmap(path, dtype=kind, mode="r", offset=len(line), shape=(count,))
    return PolicyRows(path, about, fields)
