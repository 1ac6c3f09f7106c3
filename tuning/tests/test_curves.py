"""Tests of `plot`, which draws the results of an experiment as a curve."""

import re
from pathlib import Path

import pytest

from tuning.curves import picture_of
from tuning.provenance import ROOT
from tuning.results import read_result


def test_commands_of_readme_draw_a_curve(engine, run):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    own, commands = re.findall(r"cat > mine.toml << END\n(.*?)END\n(.*?)```", readme, re.DOTALL)[0]
    Path("mine.toml").write_text(own.replace("= 200", "= 4"))
    measure, draw = (text.split()[3:] for text in commands.splitlines() if " -m tuning " in text)
    run(*measure, "--engine", engine.path, "--state", "state", "--workers", "2")
    result = read_result(Path("results") / "curve-8.json")
    assert result["command"] == "tuning/python -m tuning measure --only curve-8 --experiments mine.toml"
    assert "are current; --force" in run(*measure, "--engine", engine.path)
    picture = Path(draw[2])
    for form, begin in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        drawn = []
        for name in ("curve", "curve-8"):
            run("plot", name, picture.with_suffix(f".{form}"), *draw[3:])
            drawn.append(picture.with_suffix(f".{form}").read_bytes())
        assert drawn[0].startswith(begin) and drawn[0] == drawn[1]


def match(a, b, elo):
    return {"row": f"`{a}`", "a": a, "b": b, "elo": elo, "elo_error": 3.0}


def test_chain_is_drawn_over_the_factor_of_its_players():
    matches = [
        match("playouts=200 x=1", "playouts=50 x=1", 100),
        match("playouts=400 x=1", "playouts=200 x=1", 50),
    ]
    drawn = picture_of("t", {"8x8": matches})
    assert drawn.lines == {"8x8": [(50, 0, 0), (200, 100, 3), (400, 150, pytest.approx(18**0.5))]}
    assert (drawn.across, drawn.logarithmic, drawn.names) == ("playouts a move", True, [])
    # The curve of a chain ends before the first match that has no finite Elo.
    lost = [*matches, match("playouts=800 x=1", "playouts=400 x=1", None)]
    assert picture_of("t", {"8x8": lost}).lines == drawn.lines
    levels = picture_of("t", {"8x8": [match("level2", "level1", 9), match("level3 x=1", "level2", 9)]})
    assert levels.lines["8x8"][2][:2] == (2, 18) and levels.names == ["level1", "level2", "level3 x=1"]


def test_matches_are_drawn_as_a_sweep():
    players = ("quiver:rave=30 playouts=9", "playouts=9 rave=10")
    drawn = picture_of(
        "t",
        {"6x6": [match(one, "playouts=9 rave=20", elo) for one, elo in zip(players, (4, -5), strict=True)]},
    )
    assert drawn.lines == {"6x6": [(10, -5, 3), (20, 0, 0), (30, 4, 3)]}
    assert (drawn.across, drawn.up, drawn.joined) == ("rave", "Elo", True)
    others = picture_of("t", {"6x6": [match("x=1", "x=2", 1), match("y=1", "y=2", 2)]})
    assert others.names == ["x=1", "y=1"] and not others.joined


def test_a_curve_that_cannot_be_drawn_is_refused(tmp_path, refused):
    (tmp_path / "results").mkdir()
    for name, picture, message in (
        ("playouts", "curve.gif", "expected a file name that ends with .svg, .pdf or .png"),
        (
            "none",
            "curve.svg",
            "no experiment is called 'none', expected one of progress (8, 10), long (8, 10)",
        ),
        ("weights", "curve.svg", "has results of commands, expected matches between two players"),
        ("speed", "curve.svg", "has results of commands, expected matches between two players"),
        ("playouts", "none/curve.svg", "expected a file in a folder that exists"),
    ):
        refused(message, "plot", name, tmp_path / picture)
    nothing = "no levels-8.json, levels-10.json, expected a result by: measure --only levels"
    refused(nothing, "plot", "levels", "curve.svg", "--results", tmp_path / "results")
