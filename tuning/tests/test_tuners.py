"""Tests of parameters and tuners, with simulated games or with the engine."""

import json
import tomllib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import optuna
import pytest
from conftest import assert_documented

from tuning.errors import InputError
from tuning.matches.batch import Batch, Side
from tuning.matches.outcome import Outcome
from tuning.matches.parameters import read_parameters, select_parameters
from tuning.results import read_result
from tuning.tuners.spsa import Spsa, max_batches_in_flight
from tuning.tuners.study import Study

LISTING = [
    {"name": "warmth", "type": "float", "value": 0.5, "min": 0, "max": 4, "step": 0.1, "about": "..."},
    {"name": "plies", "type": "int", "value": 4, "min": 0, "max": 100, "step": 1, "about": "..."},
]
TABLE = read_parameters(json.dumps(LISTING))
WARMTH, PLIES = TABLE.values()
PARAMETERS = [replace(WARMTH, high=1.5), replace(PLIES, high=14)]
BEST = {"warmth": 1.0, "plies": 9.0}
BATCH = Batch("tuning", Side(), Side(), 6, 20)


def games(values, other, count, rng):
    """Simulate `count` games. A side's Elo falls with the square of its distance from `BEST`."""

    def elo(side):
        return -sum(3 * ((side[name] - BEST[name]) / TABLE[name].step) ** 2 for name in BEST)

    pairs = rng.binomial(2, 1 / (1 + 10 ** ((elo(other) - elo(values)) / 400)), count // 2)
    lost, split, won = np.bincount(pairs, minlength=3).tolist()
    return Outcome((lost, split, won))


def test_gains_are_the_standard_ones():
    spsa = Spsa(PARAMETERS, 100, 0.02, BATCH)
    assert (spsa.perturbation_factor(100), spsa.gain(100)) == pytest.approx((1, 0.02))
    assert spsa.perturbation_factor(1) == pytest.approx(100**0.101)
    # `gain` times the squared perturbation is Spall's a_k, proportional to (10 + k)^-0.602.
    a = [spsa.gain(k) * spsa.perturbation_factor(k) ** 2 for k in (1, 10, 50)]
    assert [a[0] / a[1], a[1] / a[2]] == pytest.approx([(20 / 11) ** 0.602, (60 / 20) ** 0.602])


def test_whole_parameters_are_rounded_at_random_and_right_on_average():
    spsa = Spsa(PARAMETERS, 400, 0.02, BATCH)
    point = np.array([0.5, 4.3])
    asked, changes = zip(*(spsa.batches_at(point[None], number) for number in range(400)), strict=True)
    asked, directions = [batch for (batch,) in asked], {tuple(np.sign(row[0]).tolist()) for row in changes}
    assert len({batch.number for batch in asked}) == len(asked) == 400
    for batch in asked:
        for side in map(dict, (batch.a.settings, batch.b.settings)):
            assert side["plies"] == round(side["plies"]) and 0 <= side["plies"] <= 14
            assert 0 <= side["warmth"] <= 1.5
    plies = [dict(side.settings)["plies"] for batch in asked for side in (batch.a, batch.b)]
    assert np.mean(plies) == pytest.approx(4.3, abs=0.1)
    assert directions == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    # One call for three batches makes the same batches as three calls. Another seed changes them.
    several, rows = spsa.batches_at(np.array([point] * 3), 7)
    assert several == asked[7:10] and np.array_equal(rows[1:2], changes[8])
    other = Spsa(PARAMETERS, 400, 0.02, BATCH._replace(seed=4))
    assert other.batches_at(point[None], 7)[0] != several[:1]
    ((batch,), _) = spsa.batches_at(np.zeros((1, 2)), 0)
    assert all(dict(side.settings)["warmth"] >= 0 for side in (batch.a, batch.b))


@pytest.mark.parametrize("lag", [1, 20])
def test_spsa_finds_what_is_better(lag):
    course, playing = Spsa(PARAMETERS, 400, 0.01, BATCH, lag), []
    while course.counted_batches < 400:
        while asked := course.ask(3):
            playing += asked
        assert len(playing) <= lag
        batch = playing.pop(0)
        sides = (dict(side.settings) for side in (batch.a, batch.b))
        course.tell(batch, games(*sides, 20, np.random.default_rng(batch.number)))
    point = course.iterates[-1]
    assert len(course.iterates) == 401
    assert abs(point[0] - 1.0) < 0.25 and abs(point[1] - 9) < 2, point


def test_open_batches_are_bounded():
    # At most a fifth of all batches, with at most 10 / r_end games in total, are in flight.
    assert [max_batches_in_flight(steps, 0.01, 20) for steps in (1, 100, 5000)] == [1, 20, 50]
    assert max_batches_in_flight(50_000, 0.005, 2) == 1000


def test_chance_drift_matches_simulation():
    ends = []
    for seed in range(300):
        course, rng = Spsa(PARAMETERS[:1], 40, 0.05, BATCH._replace(seed=seed)), np.random.default_rng(seed)
        while asked := course.ask(1):
            course.tell(*asked, Outcome(tuple(np.bincount(rng.binomial(2, 0.5, 10), minlength=3).tolist())))
        ends.append((course.iterates[-1][0] - WARMTH.default) / WARMTH.step)
    chance, slope = course.chance_drift
    assert 1.96 * np.std(ends) == pytest.approx(chance, rel=0.2)
    # If a step of the parameter adds `slope` Elo, the added strength moves the parameter as far as
    # chance does. With 4 times as many games, `slope` is half as large.
    assert Spsa(PARAMETERS, 160, 0.05, BATCH).chance_drift[1] == pytest.approx(slope / 2, rel=0.05)


def study(folder, most, batches=5, parameters=PARAMETERS, pruner="wilcoxon", sampler="tpe", seed=1):
    """Return a study that begins no further trial after `most` batches of 40 games each."""
    url, batch = f"sqlite:///{folder}/optuna.db", BATCH._replace(seed=seed)
    return Study(url, "test", "me", parameters, batch, sampler, pruner, batches, 40 * most)


def play_trials(played_study, cut=None):
    """Play all batches of a study, or only `cut` batches, which leave a trial unfinished."""
    start, played = {p.name: p.default for p in PARAMETERS}, 0
    while played != cut and (asked := played_study.ask(1)):
        values = dict(asked[0].a.settings)
        played_study.tell(*asked, games(values, start, 40, np.random.default_rng(played)))
        played += 1


@pytest.mark.parametrize("pruner", ["wilcoxon", "median", "none"])
def test_optuna_ends_what_is_not_better(tmp_path, pruner):
    optuna_study = study(tmp_path, 125, pruner=pruner)
    play_trials(optuna_study)
    best = optuna_study.best()
    assert best is not None and best.outcome.score > 0.6, best
    assert all(trial.values["plies"] == round(trial.values["plies"]) for trial in optuna_study.trials())
    assert (len(optuna_study.trials()) == 25) == (pruner == "none")


def test_best_trial_has_largest_lower_bound(tmp_path):
    optuna_study = study(tmp_path, 9, batches=1, pruner="none")
    for pairs in ((0, 0, 2), (10, 40, 50), (40, 40, 20)):
        optuna_study.tell(*optuna_study.ask(1), Outcome(pairs))
    assert len(optuna_study.trials()) == 3
    best = optuna_study.best()
    # The trial that won four games of four has a wide interval, so it must not be chosen.
    assert best is not None and best.outcome.pairs == (10, 40, 50)
    assert best.outcome.elo_statistics.elo_low > 0


def test_seeds_have_no_trial_in_common(tmp_path):
    values = set()
    for seed in (1, 2):
        (folder := tmp_path / f"{seed}").mkdir()
        play_trials(one := study(folder, 4, 1, pruner="none", sampler="random", seed=seed))
        values |= {trial.values["warmth"] for trial in one.trials()}
    assert len(values) == 8


def test_a_study_goes_on_where_it_was(tmp_path):
    play_trials(study(tmp_path, 6, 2, pruner="none"))
    play_trials(study(tmp_path, 8, 2, pruner="none"), cut=1)
    later = study(tmp_path, 8, 2, pruner="none")
    # The games of an interrupted trial do not count. The next trial repeats the trial's settings.
    again = optuna.load_study(study_name="test", storage=f"sqlite:///{tmp_path}/optuna.db").get_trials()
    assert [trial.state.name for trial in again][-2:] == ["FAIL", "WAITING"] and later.games == 6 * 40
    (first,) = later.ask(1)
    cut = {name: float(TABLE[name].text(value)) for name, value in again[-2].params.items()}
    assert dict(first.a.settings) == pytest.approx(cut)
    with pytest.raises(InputError, match="the study has other parameters or ranges"):
        study(tmp_path, 8, parameters=[replace(WARMTH, low=0.4, high=0.6)])


def test_storages_that_cannot_be_used_are_refused(tmp_path):
    (tmp_path / "optuna.db").write_text("rubbish, and more of it than a header is long " * 20)
    with pytest.raises(InputError, match="in a database that Optuna can use"):
        study(tmp_path, 8)
    for url in (f"sqlite:///{tmp_path}/none/optuna.db", "nothing://", f"journal:{tmp_path}/none/log"):
        with pytest.raises(InputError, match=f"--storage {url}"):
            Study(url, "test", "me", PARAMETERS, BATCH, "tpe", "none", 5, 9)


def test_listings_that_cannot_be_read_are_refused():
    for broken in ("[", "[1]", json.dumps([{"name": "x"}])):
        with pytest.raises(InputError, match="expected a list of parameters"):
            read_parameters(broken)


def test_param_options_are_checked():
    table = TABLE | {"warmth": replace(WARMTH, default=3.5)}
    warmth, plies = select_parameters(table, ["warmth", "plies=2:8"])
    assert (warmth.default, warmth.low, warmth.high) == (3.5, 2.5, 4.0) and (plies.low, plies.high) == (2, 8)
    assert (warmth.text(1 / 3), plies.text(3.0)) == ("0.333333", "3")
    assert "as far as the engine lets it go" in warmth.bound_remark(4.0, WARMTH)
    assert (
        "wider --param range" in warmth.bound_remark(2.5, WARMTH) and warmth.bound_remark(3.0, WARMTH) == ""
    )
    for texts, message in (
        ([], "no parameter to tune"),
        (["cold"], "no parameter is called 'cold', expected one of warmth, plies"),
        (["warmth", "warmth=0:1"], "a second range for warmth"),
        (["warmth=0"], "expected NAME or NAME=LOW:HIGH"),
        (["warmth=0:x"], "expected NAME or NAME=LOW:HIGH"),
        (["warmth=0:9"], "expected a range within 0 to 4 that contains the start value 0.5"),
        (["warmth=1:2"], "that contains the start value 0.5"),
        (["plies=2:8.5"], "expected whole numbers"),
    ):
        with pytest.raises(InputError, match=message):
            select_parameters(TABLE, texts)


def line(command, folder, *more):
    few = "--board 6 --playouts 10 --batch 10 --games 60 --confirm-games 20 --sprt 0,10"
    tuned = "--param exploration --param playout_plies=0:8"
    return [command, *few.split(), *tuned.split(), "--state", str(folder / "state"), *more]


@pytest.mark.parametrize("command", ["spsa", "optuna"])
def test_run_ends_with_match_and_file(engine, tmp_path, command, monkeypatch, run, refused):
    more = (
        ("--trial-games", "20", "--pruner", "none")
        if command == "optuna"
        else ("--games", "57", "--batch", "4")
    )
    asked = line(command, tmp_path, *more, "--set", "margin_ms=0")
    output = run(*asked)
    honest = "60 games: at least 3 trials of 20 games; the 95 % interval of a trial is its Elo +-152"
    assert (
        honest if command == "optuna" else "in 60 games noise alone moves a parameter by up to 0."
    ) in output
    assert "the confirming match has up to 20 games" in output
    result = read_result(tmp_path / "state" / "result.json")
    assert_documented(result)
    assert [row["row"] for row in result["rows"]] == ["exploration", "playout_plies"]
    assert result["tables"]["course"]["rows"][-1][0] >= 60
    tuned = tmp_path / "state" / "tuned.toml"
    values = tomllib.loads(tuned.read_text())
    assert values.pop("margin_ms") == 0 and values.keys() == {"exploration", "playout_plies"}
    listing = json.loads(engine.output_of("params", "--params", str(tuned), "--format", "json"))
    assert {p["name"]: p["value"] for p in listing if p["name"] in values} == pytest.approx(values)
    if command == "spsa" or "Chosen: trial" in result["how"][1]:
        assert "Elo over the start after" in result["confirmation"]["said"]
        assert result["confirmation"]["games"] == 20
    # A second run with fewer cores plays no game, since all outcomes are on the disk.
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    outcomes = tmp_path / "state" / "outcomes"
    played = outcomes.read_bytes()
    assert played.count(b'["') >= 6
    run(*asked)
    assert outcomes.read_bytes() == played
    assert tomllib.loads(tuned.read_text()) == values | {"margin_ms": 0}
    # With another limit, only the last batch of the confirming match has another size.
    for most in (26, 32, 20):
        run(*asked, "--confirm-games", most)
        match = read_result(tmp_path / "state" / "result.json")["confirmation"]
        assert (match and match["games"]) == (result["confirmation"] and most)
    assert match == result["confirmation"]
    refused("as in the first run", *asked, "--param", "rave_visits=0:100")


def test_a_match_of_thousands_is_asked_for(engine, tmp_path, run, monkeypatch):
    asked = []
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or "n")
    words = [word if word != "20" else "4000" for word in line("spsa", tmp_path)]
    assert "no match has confirmed these settings" in run(*words)
    assert "up to 4,000 games; its 95 % interval is then its Elo +-11; play it?" in asked[0]


def test_wrong_input_is_refused_before_games(engine, tmp_path, run, refused):
    for more, message in (
        (("--param", "cold"), "no parameter is called 'cold'"),
        (("--sprt", "10,0"), "expected ELO0,ELO1 with ELO0 below ELO1"),
        (("--games", "5"), "expected at least the 10 games of a batch"),
        (("--confirm-time", "0"), "'0', expected a number from 1e-06"),
        (("--confirm-time", "inf"), "'inf', expected a number from 1e-06"),
    ):
        for command in ("spsa", "optuna"):
            refused(message, *line(command, tmp_path, *more))
    run(*line("spsa", tmp_path, "--r-end", "0"), status=2)
    run(*line("optuna", tmp_path, "--trial-games", "5"), status=2)
    assert not (tmp_path / "state").exists()
