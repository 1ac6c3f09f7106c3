"""Weight files: what the engine embeds.

A file is JSON: `format` (1); `board`, width and height; `phase`, the column over which weights are interpolated;
`columns`, the terms; `knots`, phases in units of the phase column, ascending; `scale`; `weights`, a row a knot, each
the log-odds for one unit of a column times `scale`, rounded; `checksum`, the CRC-32 (zlib's, eight hex digits) of
scale, knots and weights in this order as 32-bit integers, little endian; `provenance`.
"""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tuning.errors import InputError
from tuning.model import Model
from tuning.rows import Column


def whole_weights(model: Model, scale: int) -> np.ndarray:
    """Return the weights as whole numbers of 1 / `scale`."""
    weights = np.rint(model.weights * scale)
    if np.abs(weights).max() >= 2**31:
        raise InputError(f"--scale {scale}: weights beyond 32 bits, expected a smaller scale")
    return weights.astype(np.int64)


def checksum(scale: int, knots: np.ndarray, weights: np.ndarray) -> str:
    """Return the checksum of a weight file's numbers."""
    numbers = np.concatenate(([scale], knots, weights.ravel())).astype("<i4")
    return f"{zlib.crc32(numbers.tobytes()):08x}"


def write_weights(path: Path, model: Model, scale: int, provenance: dict[str, Any]) -> None:
    """Write a weight file, whole or not at all; a line a knot, for those who read differences."""
    weights = whole_weights(model, scale)
    fields = {
        "format": 1,
        "board": list(model.board),
        "phase": {"name": model.phase.name, "unit": model.phase.unit},
        "columns": [{"name": column.name, "unit": column.unit} for column in model.terms],
        "knots": model.knots.tolist(),
        "scale": scale,
        "weights": weights.tolist(),
        "checksum": checksum(scale, model.knots, weights),
        "provenance": provenance,
    }
    lines = []
    for name, value in fields.items():
        if name in ("columns", "weights"):
            inner = ",\n".join("    " + json.dumps(one) for one in value)
            lines.append(f'  "{name}": [\n{inner}\n  ]')
        else:
            lines.append(f'  "{name}": {json.dumps(value)}')
    part = path.with_name(path.name + ".part")
    part.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    part.replace(path)


def read_weights(path: Path) -> Model:
    """Read a weight file, and see that its numbers are those that were written."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}, expected a weight file") from error
    try:
        if fields["format"] != 1:
            raise InputError(f"{path}: a weight file of format {fields['format']}, expected 1")
        scale, knots = int(fields["scale"]), np.array(fields["knots"], dtype=np.int64)
        weights = np.array(fields["weights"], dtype=np.int64)
        width, height = fields["board"]
        phase = Column(fields["phase"]["name"], fields["phase"]["unit"], "phase")
        terms = [Column(one["name"], one["unit"], "term") for one in fields["columns"]]
        written = fields["checksum"]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{path}: {error!r}, expected a weight file") from error
    if weights.shape != (len(knots), len(terms)) or len(knots) < 2 or (np.diff(knots) <= 0).any():
        raise InputError(
            f"{path}: weights {weights.shape}, expected {len(knots)} ascending knots x {len(terms)}"
        )
    if checksum(scale, knots, weights) != written:
        raise InputError(f"{path}: checksum {checksum(scale, knots, weights)}, expected {written}")
    return Model((width, height), phase, terms, knots, weights / scale)
