"""Reads and writes the weight files that the engine embeds.

A weight file is a JSON object with these fields:

- `format`, `board` (squares along a side), `columns` (names of the terms), `scale`, `provenance`.
- `NAME_knots` for each phase: its knots in ascending order, as numbers of squares.
- `NAME` for each phase: for each knot a list of the columns' weights, which are integers. A weight
  times the column's integer, divided by `scale`, is in log-odds.
- `checksum`: the 64-bit FNV-1a, in sixteen hex digits, of board, scale, the knots of all phases and
  the weights of all phases, in this order. Each number has two bytes in little-endian order.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from tuning.errors import InputError, reading
from tuning.files import json_bytes, replace
from tuning.fit import Model, Phase, starts_of_phases
from tuning.rows import Column

FORMAT = "quiver weights 1"

PHASE_UNITS = {"contest": 16, "empty": 1}
"""The phases in a weight file's order, each with its unit. The value of a phase is in squares, and
training rows store the value times the unit."""


def integer_weights(model: Model, scale: int) -> np.ndarray:
    weights = np.rint(model.weights * scale)
    if np.abs(weights).max() >= 2**15:
        raise InputError(f"--scale {scale}: weights beyond 16 bits, expected a smaller scale")
    return weights.astype(np.int64)


def checksum(board: int, scale: int, knots: list[int], weights: np.ndarray) -> str:
    """Return a weight file's checksum. `knots` has every phase's knots, as numbers of squares."""
    numbers = np.concatenate(([board, scale], knots, weights.ravel())).astype(np.int64)
    mixed = 0xCBF29CE484222325
    for byte in (numbers & 0xFFFF).astype("<u2").tobytes():
        mixed = (mixed ^ byte) * 0x100000001B3 & (2**64 - 1)
    return f"{mixed:016x}"


def write_weights(path: Path, model: Model, scale: int, provenance: dict[str, Any]) -> None:
    names = [phase.column.name for phase in model.phases]
    if names != list(PHASE_UNITS):
        raise InputError(f"a fit with the phases {names}: expected {list(PHASE_UNITS)}")
    weights = integer_weights(model, scale)
    knots = [(phase.knots // phase.column.unit).tolist() for phase in model.phases]
    columns = [column.name for column in model.terms]
    fields: dict[str, Any] = {"format": FORMAT, "board": model.board, "columns": columns, "scale": scale}
    fields |= {f"{name}_knots": ours for name, ours in zip(names, knots, strict=True)}
    parts = np.split(weights, starts_of_phases(model.phases)[1:-1])
    fields |= {name: part.tolist() for name, part in zip(names, parts, strict=True)}
    fields["provenance"] = provenance
    fields["checksum"] = checksum(model.board, scale, [knot for line in knots for knot in line], weights)
    replace(path, json_bytes(fields))


def read_weights(path: Path) -> Model:
    with reading(path, "a weight file"):
        fields = json.loads(path.read_text(encoding="utf-8"))
        if fields["format"] != FORMAT:
            raise InputError(f"{path}: a weight file of format '{fields['format']}', expected '{FORMAT}'")
        board, scale = int(fields["board"]), int(fields["scale"])
        knots = {name: np.array(fields[f"{name}_knots"], dtype=np.int64) for name in PHASE_UNITS}
        tables = {name: np.array(fields[name], dtype=np.int64) for name in PHASE_UNITS}
        terms = [Column(str(name), 1, "term") for name in fields["columns"]]
        written = fields["checksum"]
    for name, ours in knots.items():
        shape = tables[name].shape
        if shape != (len(ours), len(terms)) or len(ours) < 2 or (np.diff(ours) <= 0).any():
            raise InputError(f"{path}: {name} {shape}, expected {len(ours)} ascending knots x {len(terms)}")
    weights = np.concatenate(list(tables.values()))
    computed = checksum(board, scale, np.concatenate(list(knots.values())).tolist(), weights)
    if computed != written:
        raise InputError(f"{path}: checksum {computed}, expected {written}")
    phases = [Phase(Column(name, unit, "phase"), knots[name] * unit) for name, unit in PHASE_UNITS.items()]
    return Model(board, phases, terms, weights / scale)


def read_checksum(path: Path) -> str:
    return str(json.loads(path.read_text(encoding="utf-8"))["checksum"])
