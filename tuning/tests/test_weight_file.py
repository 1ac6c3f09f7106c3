"""Weight files: written, read back, and refused when their numbers have changed."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import KNOTS, TERMS, TRUE

from tuning.errors import InputError
from tuning.model import Model, Phase
from tuning.rows import Column
from tuning.weight_file import checksum, read_weights, write_weights


def model(weights: np.ndarray = TRUE) -> Model:
    terms = [Column(name, 1, "term") for name in TERMS]
    phases = [
        Phase(Column("contest", 16, "phase"), KNOTS),
        Phase(Column("empty", 1, "phase"), np.array([10, 40])),
    ]
    return Model((8, 8), phases, terms, np.concatenate((weights, weights[1:] / 2)))


def test_weights_survive_their_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    write_weights(path, model(), 1000, {"date": "today"})
    again = read_weights(path)
    assert (again.board, again.terms) == (model().board, model().terms)
    for found, written in zip(again.phases, model().phases, strict=True):
        assert found.column == written.column and (found.knots == written.knots).all()
    assert np.allclose(again.weights, model().weights)
    fields = json.loads(path.read_text())
    assert fields["contest"][0] == [300, 100, 0, 0] and fields["provenance"] == {"date": "today"}
    assert "\n  [300, 100, 0, 0],\n" in path.read_text()
    # The published FNV-1a of the byte "a" alone, after which a zero byte only multiplies.
    expected = 0xAF63DC4C8601EC8C * 0x100000001B3 & (2**64 - 1)
    assert checksum(ord("a"), 0, [], np.zeros((0, 0))) == f"{expected * 0x100000001B3**2 & (2**64 - 1):016x}"


def test_numbers_that_changed_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    write_weights(path, model(), 1000, {})
    text = path.read_text()
    for old, new, message in (
        ("[300, 100", "[301, 100", "checksum .*, expected"),
        ("[0, 20, 50]", "[0, 20]", r"expected 2 ascending knots x 4"),
        ("[0, 20, 50]", "[0, 50, 20]", "ascending"),
        ("quiver weights 1", "quiver weights 2", "'quiver weights 2', expected 'quiver weights 1'"),
        ('"scale": 1000,', "", "expected a weight file"),
        ("{", "", "expected a weight file"),
    ):
        path.write_text(text.replace(old, new, 1))
        with pytest.raises(InputError, match=message):
            read_weights(path)
    with pytest.raises(InputError, match="expected a smaller scale"):
        write_weights(path, model(1e6 * TRUE), 1 << 20, {})
