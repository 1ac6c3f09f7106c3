"""The engine's parameters: read from its listing, checked, written so that it reads them."""

import json
from pathlib import Path

import pytest

from tuning.errors import InputError
from tuning.matches.engine import Engine
from tuning.matches.parameters import read_parameters, read_setting, write_toml

LISTING = [
    {"name": "warmth", "type": "float", "default": 0.5, "min": 0, "max": 4, "step": 0.05, "about": "..."},
    {"name": "plies", "type": "int", "default": 4, "min": 0, "max": 100, "step": 1, "about": "..."},
]


def test_values_are_checked_by_the_listing() -> None:
    table = read_parameters(json.dumps(LISTING))
    assert read_setting(table, "warmth=0.25") == ("warmth", 0.25)
    parameter = table["warmth"]
    assert (parameter.text(1 / 3), table["plies"].text(3.0)) == ("0.333333", "3")
    assert (parameter.clipped(9), parameter.clipped(-1)) == (4, 0)
    for text, message in (
        ("cold=1", "no parameter is called 'cold', expected one of warmth, plies"),
        ("warmth=5", "warmth = 5: expected a value from 0 to 4"),
        ("warmth=nan", "warmth = nan: expected a value from 0 to 4"),
        ("plies=1.5", "plies = 1.5: expected a whole number"),
        ("warmth", "expected warmth=VALUE, a number"),
        ("warmth=", "expected warmth=VALUE, a number"),
        ("warmth=much", "expected warmth=VALUE, a number"),
    ):
        with pytest.raises(InputError, match=message):
            read_setting(table, text)
    for broken in ("[", "[1]", json.dumps([{"name": "x"}])):
        with pytest.raises(InputError, match="expected a list of parameters"):
            read_parameters(broken)


def test_the_engine_reads_what_is_written(engine: Engine, tmp_path: Path) -> None:
    table = engine.parameters(8)
    file = tmp_path / "new" / "tuned.toml"
    values = {name: one.clipped(one.default + one.step) for name, one in table.items() if one.whole}
    values |= {name: one.clipped(one.default - one.step) for name, one in table.items() if not one.whole}
    write_toml(file, table, values, ["as a test has it"])
    told = json.loads(engine.ask("params", "--board", "8", "--params", str(file), "--format", "json"))
    assert {one["name"]: one["value"] for one in told} == pytest.approx(values)
