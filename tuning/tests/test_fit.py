"""Tests of `fit-weights`: the files of rows that it reads, the fit, and the weight files."""

import json

import numpy as np
import pytest
from conftest import KNOTS, TERMS, TRUE, assert_documented, header, refuse_each, write, written

from tuning.errors import InputError
from tuning.fit import Model, Phase, design, fit, knot_coefficients, loss_and_gradient, quantile_knots
from tuning.matches.worker import Worker
from tuning.results import read_result
from tuning.rows import Column, read_rows, split_games
from tuning.scores import EMPTY_SQUARE_BINS, baseline_odds, group_by_bins, labels, scores
from tuning.weight_file import checksum, read_checksum, read_weights, write_weights

OPTIONS = ("--knots", "contest=0,20,50", "--knots", "empty=15,54", "--commit", "abc")
CONTEST = [Phase(Column("contest", 16, "phase"), KNOTS)]
BOTH = [*CONTEST, Phase(Column("empty", 1, "phase"), np.array([20, 30, 50]))]


@pytest.fixture(scope="module")
def rows(sample):
    return read_rows(sample)


def test_what_is_no_file_of_rows_is_refused(tmp_path):
    def refused(message, size=2 * 28, **changes):
        about = header(2) | changes
        path = write(tmp_path / "rows", about, bytes(size))
        with pytest.raises(InputError, match=message):
            read_rows(path)

    refused("rows of format 2, expected 1", format=2)
    refused("and 3 rows of 28 bytes, and at least one row", rows=3)
    refused("and 0 rows of 28 bytes, and at least one row", rows=0)
    refused("expected a file of rows as 'quiver features' writes it", columns=None)
    refused("expected all of", size=8, fields=[["game", "<u4"]])
    terms = [column for column in header(2)["columns"] if column["role"] != "phase"]
    fields = [field for field in header(2)["fields"] if field[0] not in ("contest", "empty")]
    refused("no columns of role 'phase'", size=48, columns=terms, fields=fields)
    others = (b"", b"\n", b"[]\n", b"notes\n", b"\xff\xfe\n")
    refuse_each(read_rows, tmp_path / "rows", [(content, "expected a file of rows") for content in others])
    with pytest.raises(InputError, match="No such file"):
        read_rows(tmp_path / "nothing")


def test_labels_mix_where_the_result_counts(rows):
    index = np.array([0, 41])
    value = rows.fields["value"][index] / 65535
    result = rows.fields["result"][index]
    assert np.allclose(labels(rows, index, 0.25), [0.25 * value[0] + 0.75 * result[0], value[1]])
    assert np.allclose(labels(rows, index, 1.0), value)
    with pytest.raises(InputError, match="no column 'c3', expected one of contest"):
        rows.column("c3", index)
    fitted, held_out = split_games(rows.fields["game"], 10)
    assert len(fitted) + len(held_out) == len(rows.fields)
    games = [set(rows.fields["game"][part].tolist()) for part in (fitted, held_out)]
    assert not games[0] & games[1] and len(games[1]) == 100


def test_weights_are_constant_beyond_the_outer_knots(rows):
    phase = rows.fields["contest"]
    index = np.array([np.flatnonzero(phase == where)[0] for where in (0, 80, 320, 560, 800, 860)])
    expected = [[1, 0, 0], [0.75, 0.25, 0], [0, 1, 0], [0, 0.5, 0.5], [0, 0, 1], [0, 0, 1]]
    assert np.allclose(knot_coefficients(rows, index, CONTEST), expected)
    assert quantile_knots(np.arange(101), 5).tolist() == [0, 25, 50, 75, 100]
    # If several quantiles are equal, they give only one knot.
    assert quantile_knots(np.array([0] * 90 + list(range(10))), 4).tolist() == [0, 9]


def test_the_gradient_is_that_of_the_loss(rows):
    index = np.arange(500)
    data = design(rows, index, labels(rows, index, 0.3), BOTH)
    assert len(data) == 500 and data.phase_starts == [0, 3, 6]
    rng = np.random.default_rng(1)
    weights, direction = rng.normal(0, 0.3, (2, 6, TRUE.shape[1]))
    step = 1e-2
    ahead, behind = (loss_and_gradient(data, weights + sign * step * direction)[0] for sign in (1, -1))
    _, gradient = loss_and_gradient(data, weights)
    assert (ahead - behind) / (2 * step) == pytest.approx(np.sum(gradient * direction), rel=1e-3)


def test_weights_are_found_again(rows):
    index = np.arange(len(rows.fields))
    messages = []
    data = design(rows, index, labels(rows, index, 1.0), CONTEST)
    result = fit(data, 0.0, 0.0, tell=messages.append)
    assert np.allclose(result.weights, TRUE, atol=2e-3), result
    # With weights of 0, the loss is log 2 = 0.693. The first message has the loss of iteration 10.
    assert 10 <= result.iterations < 40 and 0.3 < float(messages[0].split()[-1]) < 0.69, messages
    model = Model(8, CONTEST, rows.columns_of_role("term"), result.weights)
    truth = rows.fields["odds:truth"] / 1024
    assert np.allclose(model.log_odds(rows, index), truth, atol=0.05)
    # A fit to the results of games is less exact than a fit to the search's values.
    result = fit(design(rows, index, labels(rows, index, 0.0), CONTEST), 0.0, 1.0)
    assert np.allclose(result.weights[:, :2], TRUE[:, :2], atol=0.03), result
    # Strong smoothing makes the weights at all knots equal.
    stiff = fit(data, 1e9, 0.0)
    assert np.allclose(stiff.weights, stiff.weights[0], atol=1e-3), stiff
    # A large ridge pulls the weights to 0.
    assert np.abs(fit(data, 0.0, 1e9).weights).max() < 1e-3


def test_scores_are_those_of_quiver_evaluate():
    measured = scores(np.log([4.0, 4.0, 1.0]), np.array([True, False, True]))
    assert measured.log_loss == pytest.approx(-np.log([0.8, 0.2, 0.5]).mean())
    assert (measured.rows, measured.accuracy) == (3, 0.5)
    assert scores(np.array([800.0]), np.array([False])).log_loss == pytest.approx(-np.log(1e-6))
    groups = group_by_bins(np.array([0, 19, 20, 34, 35, 92], dtype=np.uint16), EMPTY_SQUARE_BINS, 1)
    sizes = {name: int(chosen.sum()) for name, chosen in groups.items()}
    assert list(sizes.items()) == [("80 to 94", 1), ("35 to 49", 1), ("20 to 34", 2), ("0 to 19", 2)]
    groups = group_by_bins(np.array([0, 319, 320, 900]) / 16, KNOTS / 16)
    assert [(name, int(chosen.sum())) for name, chosen in groups.items()] == [("20 to 50", 2), ("0 to 20", 2)]


def test_the_baseline_is_the_best_line_of_each_bin(rows):
    fitted, held_out = split_games(rows.fields["game"], 10)
    odds = baseline_odds(rows, "t1", fitted, held_out)
    won = rows.fields["result"][held_out] == 1
    measured = scores(odds, won)
    truth = scores(rows.fields["odds:truth"][held_out] / 1024, won)
    assert truth.log_loss < measured.log_loss < np.log(2)
    slopes = odds[rows.fields["t1"][held_out] == 10] - odds[rows.fields["t1"][held_out] == 0].mean()
    assert (slopes > 0).all()


def model(weights=TRUE):
    terms = [Column(name, 1, "term") for name in TERMS]
    return Model(8, BOTH, terms, np.concatenate((weights, weights / 2)))


def test_weights_survive_their_file(tmp_path):
    path = tmp_path / "weights.json"
    write_weights(path, model(), 1000, {"date": "today"})
    again = read_weights(path)
    assert (again.board, again.terms) == (model().board, model().terms)
    for read, wrote in zip(again.phases, model().phases, strict=True):
        assert read.column == wrote.column and (read.knots == wrote.knots).all()
    assert np.allclose(again.weights, model().weights)
    fields = json.loads(path.read_text())
    assert fields["contest"][0] == [300, 100, 0, 0] and fields["provenance"] == {"date": "today"}
    assert "\n  [300, 100, 0, 0],\n" in path.read_text()
    # The first number is the published FNV-1a of "a". A zero byte multiplies a hash by FNV's prime.
    expected = 0xAF63DC4C8601EC8C * 0x100000001B3 & (2**64 - 1)
    assert checksum(ord("a"), 0, [], np.zeros((0, 0))) == f"{expected * 0x100000001B3**2 & (2**64 - 1):016x}"


def test_numbers_that_changed_are_refused(tmp_path):
    path = tmp_path / "weights.json"
    write_weights(path, model(), 1000, {})
    data = path.read_bytes()
    changes = (
        (b"[300, 100", b"[301, 100", "checksum .*, expected"),
        (b"[0, 20, 50]", b"[0, 20]", r"expected 2 ascending knots x 4"),
        (b"[0, 20, 50]", b"[0, 50, 20]", "ascending"),
        (b"quiver weights 1", b"quiver weights 2", "'quiver weights 2', expected 'quiver weights 1'"),
        (b'"scale": 1000,', b"", "expected a weight file"),
        (b"{", b"", "expected a weight file"),
    )
    refuse_each(read_weights, path, [(data.replace(old, new, 1), message) for old, new, message in changes])
    with pytest.raises(InputError, match="expected a smaller scale"):
        write_weights(path, model(1e6 * TRUE), 1 << 20, {})


def line(sample, folder, *more):
    return ["fit-weights", "--rows", sample, "--out", folder / "weights.json", *more]


def test_rows_become_weights_and_a_report(sample, tmp_path, run):
    usual = (*OPTIONS, "--date", "2020-02-02", "--mix", "0.5", "--smooth", "1")
    assert "rows held out" in run(*line(sample, tmp_path, *usual))
    weights, rows = tmp_path / "weights.json", read_rows(sample)
    odds = read_weights(weights).log_odds(rows, np.arange(len(rows.fields)))
    assert np.abs(odds - rows.fields["odds:truth"] / 1024).mean() < 0.1
    about = json.loads(weights.read_text())["provenance"]
    assert (about["commit"], about["date"], about["fit"]["games"]) == ("abc", "2020-02-02", 900)
    assert about["games"][0]["playouts"] == 100 and 0.2 < about["held_out"]["log_loss"] < 0.7
    result = read_result(tmp_path / "weights.result.json")
    assert_documented(result)
    assert result["play"]["weights"] == read_checksum(weights)
    assert result["experiment"] == "weights-8" and result["engine"]["commit"] == "abc"
    heads = result["tables"]["positions, by empty squares"]["heads"]
    assert heads == ["empty squares", "rows", "fit", "t1 alone", "truth"]
    assert {"half plies, by empty squares", "both, by contest"} < set(result["tables"])
    # A second fit gives the same weights. With --previous, its tables compare both fits.
    before = weights.read_bytes()
    run(*line(sample, tmp_path, *usual, "--previous", weights))
    assert weights.read_bytes() == before
    result = read_result(tmp_path / "weights.result.json")
    table = result["tables"]["positions, by empty squares"]
    assert table["heads"][2:] == ["fit", "t1 alone", "previous", "truth"]
    row = next(row for row in table["rows"] if row[0] == "all")
    assert row[2] == row[4] != row[3]


def test_hold_keeps_weights_and_fits_missing_ones(sample, tmp_path, run):
    run(*line(sample, tmp_path, *OPTIONS, "--smooth", "1"))
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


def test_a_phase_alone_is_the_only_one_that_counts(sample, tmp_path, run):
    run(*line(sample, tmp_path, *OPTIONS, "--phase", "empty"))
    weights = read_weights(tmp_path / "weights.json").weights
    assert (weights[:3] == 0).all() and (weights[3:] != 0).any()


def test_invalid_input_is_refused(sample, tmp_path, refused):
    for more, message in (
        (("--out", "none/weights.json"), "expected a file in a folder that exists"),
        (("--out", "."), "expected a file in a folder that exists"),
        (("--knots", "contest=5"), "expected two or more, ascending"),
        (("--knots", "empty=5,4"), "expected two or more, ascending"),
        (("--knots", "empty=-5,20"), "expected two or more, ascending, from 0 to 64"),
        (("--knots", "empty=20,40000"), "expected two or more, ascending, from 0 to 64"),
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


def test_games_become_weights(engine, tmp_path, monkeypatch, run, refused):
    few = ["--board", "6", "--playouts", "20", "--batch", "40"]
    asked = ["selfplay", *few, "--state", tmp_path / "state"]
    run(*asked, "--games", "50")
    games = tmp_path / "state" / "games"
    first = written(games)[games / "0000.jsonl"]
    run(*asked, "--games", "60")
    assert written(games)[games / "0000.jsonl"] == first and len(written(games)) == 2
    with monkeypatch.context() as context:
        context.setattr(Worker, "run", lambda *_: pytest.fail("complete files need no jobs"))
        run(*asked, "--games", "60")
    refused("seed 2, expected 1 as in the first run", *asked, "--games", "60", "--seed", "2")
    refused("'0', expected a whole number from 1", *asked, "--games", "0")
    files = map(str, sorted(games.iterdir()))
    engine.output_of("features", "--games", *files, "--out", str(tmp_path / "rows"))
    run(*line(tmp_path / "rows", tmp_path, "--knot-count", "3", "--holdout", "4", "--ridge", "0"))
    assert read_weights(tmp_path / "weights.json").board == 6
    about = json.loads((tmp_path / "weights.json").read_text())["provenance"]
    assert sum(part["games"] for part in about["games"]) == 60 and about["fit"]["games"] == 45
    assert about["held_out"]["accuracy"] > 0.6
    result = read_result(tmp_path / "weights.result.json")
    assert result["about"]["games"][0]["version"]["evaluator"]
