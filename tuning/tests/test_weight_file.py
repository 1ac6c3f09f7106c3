"""Weight files: written, read back, and refused when their numbers have changed."""

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from conftest import KNOTS, TERMS, TRUE

from tuning.errors import InputError
from tuning.model import Model
from tuning.rows import Column
from tuning.weight_file import checksum, read_weights, write_weights


def model(weights: np.ndarray = TRUE) -> Model:
    terms = [Column(name, 1, "term") for name in TERMS]
    return Model((8, 8), Column("contest", 2, "phase"), terms, KNOTS, weights)


def test_weights_survive_their_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    write_weights(path, model(), 1000, {"date": "today"})
    again = read_weights(path)
    assert (again.board, again.phase, again.terms) == (model().board, model().phase, model().terms)
    assert (again.knots == KNOTS).all() and np.allclose(again.weights, TRUE)
    fields = json.loads(path.read_text())
    assert fields["weights"][0] == [300, 100, 0, 0] and fields["provenance"] == {"date": "today"}
    assert "    [300, 100, 0, 0],\n" in path.read_text()
    numbers = bytes([1, 0, 0, 0, 2, 0, 0, 0, 253, 255, 255, 255])
    assert checksum(1, np.array([2]), np.array([[-3]])) == f"{zlib.crc32(numbers):08x}"


def test_numbers_that_changed_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    write_weights(path, model(), 1000, {})
    text = path.read_text()
    for old, new, message in (
        ("[300, 100", "[301, 100", "checksum .*, expected"),
        ("[0, 40, 100]", "[0, 40]", r"expected 2 ascending knots x 4"),
        ("[0, 40, 100]", "[0, 100, 40]", "ascending"),
        ('"format": 1', '"format": 2', "format 2, expected 1"),
        ('"scale": 1000,', "", "expected a weight file"),
        ("{", "", "expected a weight file"),
    ):
        path.write_text(text.replace(old, new, 1))
        with pytest.raises(InputError, match=message):
            read_weights(path)
    with pytest.raises(InputError, match="expected a smaller scale"):
        write_weights(path, model(1e6 * TRUE), 1 << 20, {})
