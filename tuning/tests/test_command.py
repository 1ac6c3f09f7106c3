"""The whole path, from games or rows to weights and a report."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Refused, Run, written

from tuning.matches.engine import Engine
from tuning.model import Model
from tuning.results import read_result
from tuning.rows import read_rows
from tuning.weight_file import checksum_in, read_weights, write_weights

KNOTS = ("--knots", "contest=0,20,50", "--knots", "empty=15,54", "--commit", "abc")


def line(sample: Path, folder: Path, *more: object) -> list[object]:
    return ["fit-weights", "--rows", sample, "--out", folder / "weights.json", *more]


def test_rows_become_weights_and_a_report(sample: Path, tmp_path: Path, run: Run) -> None:
    usual = (*KNOTS, "--date", "2020-02-02", "--mix", "0.5", "--smooth", "1")
    assert "rows held out" in run(*line(sample, tmp_path, *usual))
    weights, rows = tmp_path / "weights.json", read_rows(sample)
    odds = read_weights(weights).log_odds(rows, np.arange(len(rows)))
    assert np.abs(odds - rows.fields["odds:truth"] / 1024).mean() < 0.1
    about = json.loads(weights.read_text())["provenance"]
    assert (about["commit"], about["date"], about["fit"]["games"]) == ("abc", "2020-02-02", 900)
    assert about["games"][0]["playouts"] == 100 and 0.2 < about["held_out"]["log_loss"] < 0.7
    result = read_result(tmp_path / "weights.result.json")
    assert result["play"]["weights"] == checksum_in(weights)
    assert result["experiment"] == "weights-8" and result["engine"]["commit"] == "abc"
    heads = result["tables"]["positions, by empty squares"]["heads"]
    assert heads == ["empty squares", "rows", "fit", "t1 alone", "truth"]
    assert {"half plies, by empty squares", "both, by contest"} < set(result["tables"])
    # Once more, compared with themselves: the same bytes, and one column more.
    before = weights.read_bytes()
    run(*line(sample, tmp_path, *usual, "--previous", weights))
    assert weights.read_bytes() == before
    result = read_result(tmp_path / "weights.result.json")
    table = result["tables"]["positions, by empty squares"]
    assert table["heads"][2:] == ["fit", "t1 alone", "previous", "truth"]
    row = next(row for row in table["rows"] if row[0] == "all")
    assert row[2] == row[4] != row[3]


def test_weights_that_are_held_stay_and_the_missing_are_found(sample: Path, tmp_path: Path, run: Run) -> None:
    run(*line(sample, tmp_path, *KNOTS, "--smooth", "1"))
    whole = read_weights(tmp_path / "weights.json")
    part, fewer = tmp_path / "part.json", [0, *range(2, len(whole.terms))]
    terms = [whole.terms[place] for place in fewer]
    write_weights(part, Model(whole.board, whole.phases, terms, whole.weights[:, fewer]), 2048, {})
    run(*line(sample, tmp_path, "--hold", part, "--smooth", "1"))
    again = read_weights(tmp_path / "weights.json")
    assert [column.name for column in again.terms] == [column.name for column in whole.terms]
    assert (again.weights[:, fewer] == whole.weights[:, fewer]).all()
    assert again.weights[:, 1] == pytest.approx(whole.weights[:, 1], abs=0.05)
    about = json.loads((tmp_path / "weights.json").read_text())["provenance"]
    assert about["fit"]["held"] == json.loads(part.read_text())["checksum"]


def test_a_phase_alone_is_the_only_one_that_counts(sample: Path, tmp_path: Path, run: Run) -> None:
    run(*line(sample, tmp_path, *KNOTS, "--phase", "empty"))
    weights = read_weights(tmp_path / "weights.json").weights
    assert (weights[:3] == 0).all() and (weights[3:] != 0).any()


def test_input_that_is_wrong_is_refused_in_a_sentence(sample: Path, tmp_path: Path, refused: Refused) -> None:
    for more, message in (
        (("--knots", "contest=5"), "expected two or more, ascending"),
        (("--knots", "empty=5,4"), "expected two or more, ascending"),
        (("--knots", "t1=4,5"), "no such phase, expected one of contest, empty"),
        (("--knots", "empty"), "expected PHASE=A,B,... in whole squares"),
        (("--holdout", "1"), "'1', expected a whole number from 2, or more; see 'tuning fit-weights --help'"),
        (("--previous", sample), "expected a weight file"),
        (("--hold", sample), "expected a weight file"),
        (("--phase", "t1"), "no such phase, expected one of contest, empty"),
        (("--mix", "1.5"), "'1.5', expected a number from 0 to 1"),
        (("--smooth", "much"), "'much', expected a number from 0 to"),
        (("--smoth", "1"), "unrecognized arguments: --smoth 1"),
    ):
        refused(message, *line(sample, tmp_path, *more))
    assert not (tmp_path / "weights.json").exists()


def test_games_become_weights(engine: Engine, tmp_path: Path, run: Run, refused: Refused) -> None:
    few = ["--board", "6", "--playouts", "20", "--batch", "40"]
    asked = ["selfplay", *few, "--state", tmp_path / "state"]
    run(*asked, "--games", "50")
    games = tmp_path / "state" / "games"
    first = written(games)[games / "0000.jsonl"]
    # Ten more games: only what is missing is played.
    run(*asked, "--games", "60")
    assert written(games)[games / "0000.jsonl"] == first and len(written(games)) == 2
    refused("seed 2, expected 1 as it was begun with", *asked, "--games", "60", "--seed", "2")
    refused("'0', expected a whole number from 1", *asked, "--games", "0")
    engine.ask("features", "--games", *map(str, sorted(games.iterdir())), "--out", str(tmp_path / "rows"))
    run(*line(tmp_path / "rows", tmp_path, "--knot-count", "3", "--holdout", "4"))
    assert read_weights(tmp_path / "weights.json").board == 6
    about = json.loads((tmp_path / "weights.json").read_text())["provenance"]
    assert sum(part["games"] for part in about["games"]) == 60 and about["fit"]["games"] == 45
    assert about["held_out"]["accuracy"] > 0.6
    result = read_result(tmp_path / "weights.result.json")
    assert result["about"]["games"][0]["version"]["evaluator"]


def test_a_book_is_that_of_the_engine(engine: Engine, tmp_path: Path, run: Run, refused: Refused) -> None:
    asked = ["--board", "6", "--playouts", "30", "--positions"]
    alone, out = tmp_path / "alone.txt", tmp_path / "6.txt"
    engine.ask("book", "make", "--out", str(alone), "--concurrency", "2", *asked, "6")
    # Rounds of 1, 2, 2 and 1 searches.
    for positions in ("3", "6"):
        told = run("book", "--out", out, "--concurrency", "2", "--workers", "2", "--", *asked, positions)
        assert told.startswith(f"{positions} positions, ") and told.count("tuning: searched ") == 2
    assert out.read_bytes() == alone.read_bytes()
    refused("quiver book make", "book", "--out", out, "--", "--positions", "0")
