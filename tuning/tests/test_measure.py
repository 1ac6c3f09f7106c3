"""Tests of the list of experiments, their results, and the reports rendered from them."""

import json
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from conftest import assert_documented, script

from tuning import pages, results
from tuning.commands import measure as command
from tuning.commands.check import games_of
from tuning.errors import InputError
from tuning.experiments import BOARDS, Experiment, RowDefinition, read_experiments
from tuning.matches.engine import Engine
from tuning.measure import CpuLoad, digest_of, ratings_table, read_player
from tuning.provenance import ROOT
from tuning.results import read_result, result_status, write_result

LIST = """
[chain]
question = "Does it get stronger?"
boards = [6]
minutes = 1
chain = ["playouts=2", "playouts=20 exploration=0.7"]
games = 8
batch = 4

[commands]
question = "What does the engine print?"
boards = [6, 8]
minutes = 0.1
rows = [
    { name = "count", command = "perft --board {board} --depth 1" },
    { name = "signature", command = "bench --signature --board {board} --json", keep = ["weights"] },
]

[commands.8]
rows = [{ name = "suite", command = "suite greedy --board 8 --json" }]
"""

MATCH = "match --a quiver --b greedy --playouts 3 --board 6 --games 2 --record {record} --resume --json"


@pytest.fixture
def listed(tmp_path):
    path = tmp_path / "list.toml"
    path.write_text(LIST)
    return path


def line(listed, *more):
    return ["measure", "--experiments", str(listed), "--state", str(listed.parent / "state"), *more]


def result_of(listed, name="chain-6"):
    return read_result(listed.parent / "results" / f"{name}.json")


def records(listed):
    return sorted((listed.parent / "state" / "measure").rglob("*.jsonl"))


def games(listed):
    """Return the games in all records of a run, without the fields that depend on time."""
    return games_of(listed.parent / "state" / "measure")


def test_measures_stale_experiments_cheapest_first(engine, listed, run):
    output = run(*line(listed))
    places = [output.index(f"tuning: {name}: ") for name in ("commands-6", "commands-8", "chain-6")]
    assert places == sorted(places) and "3 of 3 experiments to measure" in output
    chain = result_of(listed)
    (row,) = chain["rows"]
    assert row["games"] == 8 and row["wins"] >= 4 and row["faults"] == 0
    # If player `a` won all eight games, the Elo has no upper bound.
    assert row["elo_high"] is None or row["elo_low"] < row["elo_high"]
    assert (row["a"], row["b"]) == ("playouts=20 exploration=0.7", "playouts=2")
    assert chain["engine"] == engine.about and chain["play"] == engine.checksums(6) and chain["seed"] == 1
    assert chain["command"] == f"tuning/python -m tuning measure --only chain-6 --experiments {listed}"
    commands_6 = result_of(listed, "commands-6")
    printed = commands_6["rows"][0]["value"]
    assert printed["bytes"] > 10 and printed["peak_bytes"] > 1e5
    assert commands_6["rows"][1]["value"]["weights"] == engine.checksums(6)["weights"]
    commands_8 = result_of(listed, "commands-8")
    table = commands_8["tables"]["suite"]
    assert table["heads"][:2] == ["player", "all, 95 %"] and table["rows"][0][0] == "greedy"
    assert "0 of 3 experiments to measure" in run(*line(listed))
    listed.write_text(LIST.replace("games = 8", "games = 12"))
    assert "1 of 1 experiments to measure" in run(*line(listed, "--only", "chain"))


def test_killed_run_keeps_its_games(engine, listed, run):
    listed.write_text(LIST.replace("games = 8", "games = 40").replace("playouts=20", "playouts=400"))
    asked = [sys.executable, "-m", "tuning", *line(listed, "--only", "chain", "--workers", "2")]
    for stop in (signal.SIGKILL, signal.SIGTERM):
        before, begun = games(listed), len(records(listed))
        process = subprocess.Popen(asked, stderr=subprocess.PIPE, text=True)
        while len(records(listed)) < begun + 2 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(stop)
        _, messages = process.communicate(timeout=60)
        assert process.returncode != 0 and ("run the same command again" in messages) == (
            stop == signal.SIGTERM
        )
        assert not (listed.parent / "results" / "chain-6.json").exists()
        assert before.items() <= games(listed).items()
    run(*line(listed, "--only", "chain"))
    result = result_of(listed)
    assert result["rows"][0]["games"] == 40
    assert result["records"] == digest_of(records(listed)[0].parents[1])
    again = listed.parent / "again" / listed.name
    again.parent.mkdir()
    again.write_bytes(listed.read_bytes())
    run(*line(again, "--only", "chain", "--workers", "1"))
    assert games(again) == games(listed)
    row, other = result["rows"][0], result_of(again)["rows"][0]
    assert (row["pairs"], row["playouts"]) == (other["pairs"], other["playouts"])


def test_games_begin_with_shipped_openings(engine, listed, run):
    listed.write_text(LIST.replace("batch = 4", "batch = 4\nshipped_openings = true"))
    run(*line(listed, "--only", "chain"))
    heads = [json.loads(path.read_text().splitlines()[0]) for path in records(listed)]
    assert [head["contest"]["openings"]["count"] for head in heads] == [100, 100]


def test_a_match_is_played_until_its_error_is_small(engine, listed, run):
    text = LIST.replace("games = 8", "games = 8\nmost = 200\nerror = 150")
    listed.write_text(text.replace("playouts=20", "playouts=4"))
    run(*line(listed, "--only", "chain"))
    (row,) = result_of(listed)["rows"]
    assert 8 <= row["games"] < 200 and row["elo_error"] <= 150


def test_the_budget_ends_a_run(engine, listed, run, refused):
    text = LIST.replace("perft --board {board} --depth 1", MATCH.replace("games 2", "games 400000"))
    listed.write_text(text.replace("games = 8", "games = 400000"))
    # If the engine still ran after a command, the record would stay locked for the next command.
    for name in ("chain-6", "commands-6", "commands-6"):
        output = run(*line(listed, "--only", name, "--budget", "2s"), status=1)
        assert "the 2 s of --budget have passed" in output and f"left: {name}; run the same" in output
    for text in ("soon", "0s", "10001h"):
        message = f"{text}, expected a time of up to 10000h, as in 90s, 15m or 2h"
        refused(message, *line(listed, "--budget", text))


def test_nothing_is_timed_on_a_busy_machine(engine, listed, monkeypatch, run):
    listed.write_text(LIST.replace('"playouts=2"', '"time=0.001"').replace("playouts=20", "time=0.002"))
    monkeypatch.setattr(CpuLoad, "other_busy_cores", lambda _: 1.5)
    output = run(*line(listed, "--only", "chain"), status=1)
    assert "other processes keep 1.5 cores busy, expected an idle machine or --busy" in output
    run(*line(listed, "--only", "chain", "--busy"))
    assert result_of(listed)["busy_cores"] == 1.5


def test_change_of_board_stales_its_results(engine, monkeypatch):
    def current():
        return {name for name, e in listed.items() if result_status(e, fields[name], engine)[0] == "current"}

    listed = {e.name: e for e in read_experiments()}
    play = {board: engine.checksums(board) for board in BOARDS}
    fields = {
        name: {"key": e.definition_hash, "play": play[e.board], "engine": {"tree": "clean"}}
        for name, e in listed.items()
    }
    assert current() == set(listed)
    other = {**play[8], "signature": "0" * 16, "network": "0" * 8}
    monkeypatch.setattr(Engine, "checksums", lambda _, board: other if board == 8 else play[board])
    assert set(listed) - current() == {name for name in listed if name.endswith("-8")} - {"weights-8"}
    fields["playouts-10"]["engine"]["tree"] = "changed"
    assert "playouts-10" not in current()


def test_engine_of_other_sources_is_told(monkeypatch, capsys):
    for played, tree, here, expected in (
        ("unknown", "unknown", "b" * 40, "names no commit"),
        ("a" * 40, "changed", "a" * 40, "has uncommitted changes"),
        ("a" * 40, "clean", "b" * 40, "is of commit aaaaaaa, the sources here are of bbbbbbb\n"),
        ("a" * 40, "clean", "a" * 40 + "+", "the sources here are of aaaaaaa with changes\n"),
        ("a" * 40, "clean", "a" * 40, ""),
        ("a" * 40, "clean", "unknown", ""),
    ):
        monkeypatch.setattr(command, "commit", lambda here=here: here)
        command.warn_of_other_sources(SimpleNamespace(about={"commit": played, "tree": tree}))
        messages = capsys.readouterr().err
        assert expected in messages and bool(expected) == bool(messages), messages


def test_invalid_experiment_lists_are_refused(engine, listed, refused):
    for change, message in (
        (("seed = 1\n", "sead = 1\n"), "[chain]: unknown key 'sead', expected one of question, minutes"),
        (("seed = 1\n", "seed = 'a'\n"), "[chain]: seed = 'a', expected a value of another type"),
        (("boards = [6]", "boards = 6"), "[chain]: boards = 6, expected a value of another type"),
        (("seed = 1\n", "6 = 3\n"), "[chain]: 6 = 3, expected a table for one of the boards"),
        (("[commands.8]", "[commands.10]"), "[commands]: 10 = {'rows': "),
        (("exploration=0.7", "exploration='0.7"), "No closing quotation, expected a closing quote"),
        (("seed = 1\n", "shipped_openings = true\nrandom_plies = 2\n"), "and no random_plies"),
        (("boards = [6]", "shipped_openings = true\nboards = [4]"), "shipped_openings on 4x4, expected 6x6"),
        (("boards = [6]", "boards = [7]"), "[chain]: boards = [7], expected a list of 4, 5, 6, 8 and 10"),
        (("games = 8", "games = 7"), "row 'playouts=20 exploration=0.7': 7 games, expected an even number"),
        (('"playouts=2", ', ""), "chain: expected two or more players"),
        (('"playouts=2", ', '"random", "a *2", "a /2", '), "'a *2', 'a /2', 'playouts=20 exploration=0.7': "),
        (("exploration=0.7", "cold=1"), "no parameter is called 'cold'"),
        (("exploration=0.7", "exploration=x"), "exploration = 'x': expected a number from 0 to 4"),
        (("exploration=0.7", "reuse=false"), "expected NAME=VALUE with a number as the value"),
        (("playouts=20", "commit:nothing playouts=20"), "'nothing': expected a commit of this repository"),
        (("seed = 1\n", "seed = -1\n"), "seed = -1, expected a number from 0"),
        (("batch = 4", "batch = 3"), "batch = 3, expected an even number from 2"),
        (("seed = 1\n", "error = -1\n"), "expected a number above 0"),
        (("seed = 1\n", "error = 9\nmost = 6\n"), "most = 6, expected at least the 8 games of a row"),
        (('"playouts=2"', '"playouts=2 threads=0"'), "threads '0': expected a number of threads"),
        (("seed = 1\n", "set = ['warmth=1']\n"), "no parameter is called 'warmth'"),
        (("seed = 1\n", "clock = 'sun'\n"), "clock = 'sun', expected cpu or wall"),
        (('"perft', '"pert'), "quiver pert --board 6"),
        (('["weights"]', '["wheels"]'), "the engine's JSON lacks wheels"),
    ):
        text = LIST.replace("batch = 4", "batch = 4\nseed = 1")
        assert change[0] in text
        listed.write_text(text.replace(*change))
        refused(message, *line(listed))
    assert result_of(listed)
    listed.write_text(LIST)
    for words, message in (
        (("--results", f"{listed}/results"), "Not a directory"),
        (("--against", "HEAD"), "--against without --quick: expected both options"),
        (
            ("--only", "chains"),
            "no experiment is called 'chains', expected one of chain (6), commands (6, 8)",
        ),
        (("--engine", "/nonexistent"), "expected the path in --engine"),
        (("--engine", str(listed)), "expected an engine that runs here"),
        (("--engine", "/bin/true"), "expected the signature of a board"),
        (("--workers", "0"), "'0', expected a whole number from 1"),
    ):
        refused(message, *line(listed, *words))


def test_pages_are_as_results_and_templates_render_them():
    rendered = pages.render()
    for path, text in rendered.items():
        advice = f"{path}: run 'tuning/python -m tuning reports --write'"
        assert path.read_text(encoding="utf-8") == text, advice
    files = set(pages.REPORTS.iterdir())
    assert files == set(rendered) - {pages.README}
    assert sum(path.suffix == ".md" for path in files) <= 11
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= 6000
    own = SimpleNamespace(results=None, experiments=ROOT / "tests" / ".." / "tuning" / "experiments.toml")
    assert command.options.results_of(own) == results.RESULTS
    known = {e.name for e in read_experiments()}
    for path in results.RESULTS.glob("*.json"):
        result = read_result(path)
        assert_documented(result)
        assert result["experiment"] == path.stem
        assert path.stem in known or path.stem.startswith("earlier-")


def test_report_shows_figures_of_results(tmp_path):
    for path in results.RESULTS.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    fields = json.loads((tmp_path / "levels-8.json").read_text())
    fields["rows"][0] |= {"wins": 311, "games": 400}
    write_result(tmp_path / "levels-8.json", fields)
    page = pages.render(tmp_path)[pages.REPORTS / "strength.md"]
    assert "| 311 - 89 |" in page
    (tmp_path / "earlier-policy.json").unlink()
    with pytest.raises(InputError, match="expected a result that a template uses"):
        pages.render(tmp_path)


def test_a_player_is_a_spec_with_limits_and_settings(engine):
    for text, expected, is_repeatable in (
        ("playouts=5", "quiver playouts=5", True),
        ("quiver:reuse=0 time=0.5", "quiver:reuse=0 time={seconds:0.5}", False),
        ("quiver:reuse=0 playouts=5", "quiver:reuse=0 playouts=5", True),
        ("level3", "level3", True),
        ("rave_visits=0 threads=2", "quiver:rave_visits=0 threads=2", False),
        ("endgame=0 margin_ms=7", "quiver:endgame=0,margin_ms=7", True),
        ("'cmd:sh bot.sh' playouts=5", "'cmd:sh bot.sh' playouts=5", False),
        ("te''xt:bot", "text:bot", False),
    ):
        rows = (RowDefinition("row", text, "greedy"),)
        assert Experiment("name", 8, rows=rows).is_repeatable == is_repeatable
        assert read_player(text, engine, 8, {}).as_player(()) == expected
    program = read_player("playouts=5 rave_visits=0", engine, 8, {})._replace(program="engine")
    expected = '"uci:{engine} uci --threads 1 --set playout_plies=3 --set rave_visits=0" playouts=5'
    assert program.as_player((("playout_plies", 3.0),)) == expected


def test_the_record_of_a_command_is_kept_to_resume(engine, listed, run):
    listed.write_text(LIST.replace("perft --board {board} --depth 1", MATCH).replace('"count"', '"1/2"'))
    for again in ((), ("--force", "--state", "state")):
        run(*line(listed, "--only", "commands-6", *again))
        result = result_of(listed, "commands-6")
        (record,) = records(listed)
        assert result["records"] == digest_of(record.parent)
        assert result["rows"][0]["value"]["games"] == 2 and len(record.read_text().splitlines()) == 3
    # If the file of `engine` changes, the command begins a new record.
    other = listed.parent / "other"
    listed.write_text(listed.read_text().replace('--json" }', f'--json", engine = "{other}" }}', 1))
    for count, comment in ((2, ""), (3, "#")):
        script(other, f'exec {engine.path} "$@" {comment}\n')
        run(*line(listed, "--only", "commands-6", "--force"))
        assert len(records(listed)) == count


def test_ratings_stand_strongest_first():
    names = {"weak": -50.0, "strong": 50.0, "unmet": 0.0}
    players = [{"name": name, "elo": elo, "elo_error": 9.96} for name, elo in names.items()]
    table = ratings_table({"players": players, "wins": [[0, 3, 0], [7, 0, 1], [0, 1, 0]]})
    assert table["rows"][0] == ["1.", "strong", "50.0", "10.0", "12", "0.667"]
    assert table["rows"][2] == ["3.", "weak", "-50.0", "10.0", "10", "0.300"]


def test_a_quick_comparison_prints_what_a_commit_message_holds(engine, tmp_path, monkeypatch, run, refused):
    monkeypatch.setattr(command, "QUICK_GAMES", 2)
    monkeypatch.setattr(command, "QUICK_TIME", 0.002)
    monkeypatch.setattr(CpuLoad, "other_busy_cores", lambda _: 1.5)
    monkeypatch.setattr(Engine, "speed", lambda *_: 900.0)
    asked = ("measure", "--quick", "--against", engine.path)
    refused("expected an idle machine or --busy", *asked)
    printed = run(*asked, "--busy", "--state", tmp_path).splitlines()
    assert printed[0] == f"Against {engine.path}, 2 ms of CPU time a move, 2 paired games a board:"
    for board, text in zip((8, 10), printed[1:3], strict=True):
        assert text.startswith(f"{board}x{board}: Elo ") and "playouts a second, before" in text
        assert text.endswith(f"signature {engine.checksums(board)['signature']}")
    # The state folder names both engines, so a changed file of --against begins anew.
    assert len(list((tmp_path / "measure").glob(f"quick-*-{engine.digest[:6]}-{engine.digest[:6]}"))) == 2


def test_an_archive_is_replayed_to_the_bit(engine, listed, tmp_path, run, refused):
    listed.write_text(LIST.replace("batch = 4", "batch = 4\nseed = 0\nrandom_plies = 0"))
    run(*line(listed))
    packed = tmp_path / "chain.tar.xz"
    where = ["--experiments", listed, "--state", tmp_path / "state", "--out", packed]
    # `archive` finds games even if the state folder's name ends with the hash of another build.
    (played,) = (tmp_path / "state" / "measure").glob("chain-*")
    played.rename(played.with_name(f"{played.name[:-6]}another"))
    run("archive", "chain", *where)
    assert "8 of 8 games are the same" in run("check", packed, "--engine", engine.path)
    # `check` also finds a changed game whose checksums the test has computed again.
    (record, *_) = records(listed)
    lines = record.read_text().splitlines()
    game = json.loads(lines[1])
    lines[1] = json.dumps(game | {"playouts": [None, *game["playouts"][1:]]})
    record.write_text("\n".join(lines) + "\n")
    refused("expected its games", "archive", "chain", *where)
    refused("no experiment is called 'weights-8'", "archive", "weights-8")
    path = tmp_path / "results" / "chain-6.json"
    write_result(path, json.loads(path.read_text()) | {"records": digest_of(record.parents[1])})
    run("archive", "chain", *where)
    assert "7 of 8 games are the same" in run("check", packed, "--engine", engine.path, status=1)
    refused("Is a directory", "archive", "chain", *where, "--out", tmp_path)
    # If the result is of commands and not of matches, `check` verifies only the checksums.
    run("archive", "commands-6", *where)
    assert "not replayed" in run("check", packed)
    packed.write_bytes(packed.read_bytes()[:-99])
    for wrong, message in (
        (listed, "could not be opened successfully, expected an archive that 'tuning archive' wrote"),
        (packed, "expected an archive that"),
        (tmp_path / "none", "No such file"),
    ):
        text = run("check", wrong, status=2)
        assert text.startswith(f"tuning: {wrong}: ") and message in text and text.count("\n") == 1, text
