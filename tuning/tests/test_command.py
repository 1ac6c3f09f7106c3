"""The whole path, from games or rows to weights and a report."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tuning.command import main
from tuning.model import Model
from tuning.results import read_result
from tuning.rows import read_rows
from tuning.weight_file import checksum_in, read_weights, write_weights

KNOTS = ("--knots", "contest=0,20,50", "--knots", "empty=15,54")


def line(sample: Path, folder: Path, *more: str) -> list[str]:
    out = ["--out", str(folder / "weights.json")]
    return ["fit-weights", "--rows", str(sample), *out, *more]


def test_rows_become_weights_and_a_report(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = (*KNOTS, "--commit", "abc", "--date", "2020-02-02", "--mix", "0.5", "--smooth", "1")
    assert main(line(sample, tmp_path, *usual)) == 0
    assert "rows held out" in capsys.readouterr().out
    weights = tmp_path / "weights.json"
    first = read_weights(weights)
    rows = read_rows(sample)
    odds = first.log_odds(rows, np.arange(len(rows)))
    assert np.abs(odds - rows.fields["odds:truth"] / 1024).mean() < 0.1
    about = json.loads(weights.read_text())["provenance"]
    assert (about["commit"], about["date"], about["fit"]["games"]) == ("abc", "2020-02-02", 900)
    assert about["games"][0]["playouts"] == 100 and 0.2 < about["held_out"]["log_loss"] < 0.7
    result = read_result(tmp_path / "weights.result.json")
    assert result is not None and result["play"]["weights"] == checksum_in(weights)
    assert result["experiment"] == "weights-8" and result["engine"]["commit"] == "abc"
    heads = result["tables"]["positions, by empty squares"]["heads"]
    assert heads == ["empty squares", "rows", "fit", "t1 alone", "truth"]
    assert {"half plies, by empty squares", "both, by contest"} < set(result["tables"])
    # Once more, compared with themselves: the same bytes, and one column more.
    before = weights.read_bytes()
    assert main(line(sample, tmp_path, *usual, "--previous", str(weights))) == 0
    assert weights.read_bytes() == before
    result = read_result(tmp_path / "weights.result.json")
    assert result is not None
    table = result["tables"]["positions, by empty squares"]
    assert table["heads"][2:] == ["fit", "t1 alone", "previous", "truth"]
    row = next(row for row in table["rows"] if row[0] == "all")
    assert row[2] == row[4] != row[3]


def test_weights_that_are_held_stay_and_the_missing_are_found(sample: Path, tmp_path: Path) -> None:
    usual = (*KNOTS, "--commit", "abc", "--smooth", "1")
    assert main(line(sample, tmp_path, *usual)) == 0
    whole = read_weights(tmp_path / "weights.json")
    part, fewer = tmp_path / "part.json", [0, *range(2, len(whole.terms))]
    terms = [whole.terms[place] for place in fewer]
    write_weights(part, Model(whole.board, whole.phases, terms, whole.weights[:, fewer]), 2048, {})
    assert main(line(sample, tmp_path, "--hold", str(part), "--smooth", "1")) == 0
    again = read_weights(tmp_path / "weights.json")
    assert [column.name for column in again.terms] == [column.name for column in whole.terms]
    assert (again.weights[:, fewer] == whole.weights[:, fewer]).all()
    assert again.weights[:, 1] == pytest.approx(whole.weights[:, 1], abs=0.05)
    about = json.loads((tmp_path / "weights.json").read_text())["provenance"]
    assert about["fit"]["held"] == json.loads(part.read_text())["checksum"]


def test_a_phase_alone_is_the_only_one_that_counts(sample: Path, tmp_path: Path) -> None:
    usual = (*KNOTS, "--commit", "abc")
    assert main(line(sample, tmp_path, *usual, "--phase", "empty")) == 0
    weights = read_weights(tmp_path / "weights.json").weights
    assert (weights[:3] == 0).all() and (weights[3:] != 0).any()


def test_input_that_is_wrong_is_refused_in_a_sentence(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more, message in (
        (("--knots", "contest=5"), "expected two or more, ascending"),
        (("--knots", "empty=5,4"), "expected two or more, ascending"),
        (("--knots", "t1=4,5"), "no such phase, expected one of contest, empty"),
        (("--holdout", "1"), "expected --holdout and --knot-count from 2"),
        (("--holdout", "5000", "--knot-count", "1"), "expected --holdout and --knot-count from 2"),
        (("--previous", str(sample)), "expected a weight file"),
        (("--hold", str(sample)), "expected a weight file"),
        (("--phase", "t1"), "no such phase, expected one of contest, empty"),
        (("--rows", str(tmp_path / "nothing")), "No such file"),
    ):
        assert main(line(sample, tmp_path, *more)) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and error.startswith("tuning: ") and message in error, error
    for more in (("--mix", "1.5"), ("--smooth", "-1"), ("--smooth", "much"), ("--knots", "empty")):
        with pytest.raises(SystemExit) as ended:
            main(line(sample, tmp_path, *more))
        assert ended.value.code == 2
    assert not (tmp_path / "weights.json").exists()


@pytest.mark.skipif("QUIVER" not in os.environ, reason="QUIVER names no engine")
def test_games_become_weights(tmp_path: Path) -> None:
    def quiver(*words: str) -> None:
        subprocess.run([os.environ["QUIVER"], *words], check=True, cwd=tmp_path, capture_output=True)

    few = ["--board", "6", "--playouts", "20", "--batch", "40"]
    asked = ["selfplay", *few, "--state", str(tmp_path / "state")]
    assert main([*asked, "--games", "50"]) == 0
    folders = sorted((tmp_path / "state" / "games").iterdir())
    first = {path: path.stat().st_mtime_ns for path in folders[0].iterdir()}
    # Ten more games: only what is missing is played.
    assert main([*asked, "--games", "60"]) == 0
    assert {path: path.stat().st_mtime_ns for path in first} == first and len(folders) == 2
    assert main([*asked, "--games", "60", "--seed", "2"]) == 2 and main([*asked, "--games", "0"]) == 2
    quiver("features", "--games", *map(str, folders), "--out", "rows")
    assert main(line(tmp_path / "rows", tmp_path, "--knot-count", "3", "--holdout", "4")) == 0
    found = read_weights(tmp_path / "weights.json")
    assert found.board == (6, 6)
    about = json.loads((tmp_path / "weights.json").read_text())["provenance"]
    assert sum(part["games"] for part in about["games"]) == 60 and about["fit"]["games"] == 45
    assert about["held_out"]["accuracy"] > 0.6
    result = read_result(tmp_path / "weights.result.json")
    assert result is not None and result["about"]["games"][0]["version"]["evaluator"]
