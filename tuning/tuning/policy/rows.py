"""The rows that `quiver features --policy` writes; `src/training/policy_rows.rs` says what the fields mean."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tuning.errors import InputError
from tuning.rows import read_fields

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


def read_policy_rows(path: Path) -> PolicyRows:
    """Map a file of rows into memory, after checking that it is one and whole."""
    about, fields = read_fields(path, "policy_rows", "quiver features --policy")
    kind, board = fields.dtype, about.get("board")
    if missing := _FIELDS - set(kind.names or ()):
        raise InputError(f"{path}: no fields {sorted(missing)}, expected all of {sorted(_FIELDS)}")
    if not isinstance(board, int) or kind["content"].shape != (board * board,):
        raise InputError(
            f"{path}: {kind['content'].shape} squares a row, expected those of a board of {board}"
        )
    return PolicyRows(path, about, fields)
