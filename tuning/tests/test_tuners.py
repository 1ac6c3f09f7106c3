"""Tuners: their arithmetic on made-up games, and whole runs with the engine on a small board."""

import json
import random
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tuning.command import main
from tuning.errors import InputError
from tuning.matches.engine import Engine
from tuning.matches.parameters import Parameter
from tuning.matches.record import Outcome
from tuning.matches.statistics import Standing
from tuning.tuners.course import Course, most_open
from tuning.tuners.knobs import Knob, read_knobs
from tuning.tuners.search import Search
from tuning.tuners.spsa import Question, Spsa
from tuning.tuners.study import MEMORY, Study

WARMTH = Parameter("warmth", False, 0.5, 0.0, 4.0, 0.1, "")
PLIES = Parameter("plies", True, 4, 0, 100, 1, "")
TABLE = {one.name: one for one in (WARMTH, PLIES)}
KNOBS = [Knob(WARMTH, 0.5, 0.0, 1.5), Knob(PLIES, 4, 0, 14)]
BEST = {"warmth": 1.0, "plies": 9.0}


def games(
    values: dict[str, float], other: dict[str, float], count: int, rng: np.random.Generator
) -> Standing:
    """Play games whose Elo falls by the square of the steps that a side is away from the best."""

    def elo(side: dict[str, float]) -> float:
        return -sum(3 * ((side[name] - BEST[name]) / TABLE[name].step) ** 2 for name in BEST)

    pairs = rng.binomial(2, 1 / (1 + 10 ** ((elo(other) - elo(values)) / 400)), count // 2)
    lost, split, won = np.bincount(pairs, minlength=3).tolist()
    return Standing((lost, split, won))


def test_gains_are_the_standard_ones() -> None:
    spsa = Spsa(KNOBS, 100, 0.02, 1)
    assert spsa.perturbation(100) == pytest.approx([0.1, 1.0]) and spsa.gain(100) == pytest.approx(0.02)
    assert spsa.perturbation(1) == pytest.approx([0.1 * 100**0.101, 100**0.101])
    # a_k and c_k as Spall has them, for any k.
    a = [spsa.gain(k) * (spsa.perturbation(k)[1]) ** 2 for k in (1, 10, 50)]
    assert a[0] / a[1] == pytest.approx((20 / 11) ** 0.602) and a[1] / a[2] == pytest.approx(
        (60 / 20) ** 0.602
    )


def test_whole_parameters_are_rounded_at_random_and_right_on_average() -> None:
    spsa = Spsa(KNOBS, 400, 0.02, 3)
    place = np.array([0.5, 4.3])
    asked = [spsa.question(place, number) for number in range(400)]
    assert len({one.number for one in asked}) == len(asked) == 400
    for one in asked:
        for side in (one.plus, one.minus):
            assert side["plies"] == round(side["plies"]) and 0 <= side["plies"] <= 14
            assert 0 <= side["warmth"] <= 1.5
    middle = np.mean([one.plus["plies"] + one.minus["plies"] for one in asked]) / 2
    assert middle == pytest.approx(4.3, abs=0.1)
    assert {one.directions for one in asked} == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    # The same questions another time, and others by another seed.
    assert spsa.question(place, 7) == spsa.question(place, 7)
    assert spsa.question(place, 7) != Spsa(KNOBS, 400, 0.02, 4).question(place, 7)
    # At a bound nothing is asked beyond it.
    one = spsa.question(np.array([0, 0]), 0)
    assert one.minus["warmth"] >= 0 and one.plus["warmth"] >= 0


@pytest.mark.parametrize("most", [1, 20])
def test_spsa_finds_what_is_better(most: int) -> None:
    """Answers arrive in any order, at places that have moved meanwhile."""
    course = Course(Spsa(KNOBS, 400, 0.01, 5), most)
    rng, shuffled = np.random.default_rng(1), random.Random(1)
    while not course.done:
        while (asked := course.ask()) is not None:
            assert asked.number in course.open
        assert len(course.open) <= most
        number = shuffled.choice(list(course.open))
        question = course.open[number]
        course.tell(number, games(question.plus, question.minus, 20, rng))
    assert len(course.places) == 401 and not course.open
    assert abs(course.place[0] - 1.0) < 0.25 and abs(course.place[1] - 9) < 2, course.place


def test_a_course_goes_on_from_its_journal(tmp_path: Path) -> None:
    spsa, answers = Spsa(KNOBS, 12, 0.02, 5), {}

    def answer(question: Question) -> Standing:
        return answers[question.number]

    def step(course: Course, number: int) -> None:
        question = course.open[number]
        answers[number] = games(question.plus, question.minus, 20, np.random.default_rng(number))
        course.tell(number, answers[number])

    journal = tmp_path / "spsa.jsonl"
    course = Course(spsa, 4, journal)
    while course.ask() is not None:
        pass
    for number in (2, 0):
        step(course, number)
    course.ask()
    # The last line was cut short: that question had not been begun.
    journal.write_bytes(journal.read_bytes() + b'{"ask')
    later = Course(spsa, 4, journal)
    later.resume(answer)
    assert later.open == course.open and list(later.open) == [1, 3, 4] and later.told == 2
    assert (later.place == course.place).all() and later.ask() == course.ask()
    with pytest.raises(KeyError):
        step(later, 0)
    good = journal.read_text()
    for wrong in ('{"told": 0}', '{"asked": 9}', '{"lost": 1}', "[]", "rubbish"):
        journal.write_text(good + wrong + "\n")
        with pytest.raises(InputError, match=r"line 9: .* expected a question asked or told in order"):
            Course(spsa, 4, journal).resume(answer)


def test_open_questions_are_bounded() -> None:
    # By the share of all, and by the gain of the games in flight.
    assert [most_open(Spsa(KNOBS, steps, 0.01, 1), 20) for steps in (1, 100, 5000)] == [1, 20, 50]
    assert most_open(Spsa(KNOBS, 50_000, 0.005, 1), 2) == 1000


def study(folder: Path, batches: int = 5, knobs: list[Knob] = KNOBS, pruner: str = "wilcoxon") -> Study:
    return Study(f"sqlite:///{folder}/optuna.db", "test", "me", knobs, "tpe", pruner, 1, batches)


def search(where: Study, count: int, cut: int | None = None) -> list[tuple[str, int]]:
    """Let a study try so many batches of 40 games, in the order in which they are asked for; return them."""
    asked = []
    looking = Search(where, count * where.batches * 40, 40, cores=1)
    start = {knob.name: knob.start for knob in KNOBS}
    while (wanted := looking.ask()) is not None and len(asked) != cut:
        trial, number = wanted
        asked.append((trial.name, number))
        looking.tell(trial, number, Outcome(games(trial.values, start, 40, np.random.default_rng(number))))
    return asked


@pytest.mark.parametrize("pruner", ["wilcoxon", "median", "none"])
def test_optuna_finds_what_is_better_and_ends_what_is_not(engine: Engine, pruner: str) -> None:
    found = Study(MEMORY, "test", "me", KNOBS, "tpe", pruner, 1, 5)
    asked = search(found, 25)
    best = found.best()
    assert best is not None and best.standing.score > 0.6, best
    assert all(trial.values["plies"] == round(trial.values["plies"]) for trial in found.trials())
    trials = len(found.trials())
    assert (len(asked) == trials * 5 and trials == 25) == (pruner == "none")
    assert found.games == 40 * len(asked)


def test_several_trials_are_open_at_a_time() -> None:
    found = Study(MEMORY, "test", "me", KNOBS, "tpe", "none", 1, 5)
    assert [Search(found, 4000, 40, cores).most_open for cores in (1, 3, 100)] == [1, 3, 4]
    looking = Search(found, 4000, 40, cores=6)
    start = {knob.name: knob.start for knob in KNOBS}
    rng, playing, most = random.Random(3), [], 0
    while True:
        while len(playing) < 6 and (wanted := looking.ask()) is not None:
            playing.append(wanted)
        if not playing:
            break
        open_now = {trial.trial.number for trial, _ in playing}
        most = max(most, len(open_now))
        assert len({(trial.name, number) for trial, number in playing}) == len(playing)
        trial, number = playing.pop(rng.randrange(len(playing)))
        outcome = Outcome(games(trial.values, start, 40, np.random.default_rng([trial.trial.number, number])))
        looking.tell(trial, number, outcome)
    assert most == 4 and found.games == 4000 and len(found.trials()) == 20
    assert all(trial.standing.games == 200 for trial in found.trials())


@pytest.mark.parametrize("pruner", ["wilcoxon", "none"])
def test_open_trials_of_the_same_settings_never_play_the_same_batch_at_once(pruner: str) -> None:
    found = Study(MEMORY, "test", "me", [Knob(PLIES, 4, 3, 5)], "random", pruner, 1, 5)
    looking = Search(found, 4000, 40, cores=12, most_open=5)
    rng, playing, twins = random.Random(3), [], False
    records: dict[tuple[str, int], Outcome] = {}
    while True:
        while len(playing) < 12 and (wanted := looking.ask()) is not None:
            trial, number = wanted
            key = (trial.name, number)
            assert key not in {(other.name, batch) for other, batch in playing}
            if key in records:
                looking.tell(trial, number, records[key])
            else:
                playing.append(wanted)
        if not playing:
            break
        names = {trial.trial.number: trial.name for trial, _ in playing if not trial.over}
        twins |= len(set(names.values())) < len(names)
        trial, number = playing.pop(rng.randrange(len(playing)))
        chances = [4 - trial.values["plies"] % 3, 3, 2 + trial.values["plies"] % 3]
        lost, split, won = np.random.default_rng(number).multinomial(20, np.array(chances) / sum(chances))
        records[trial.name, number] = Outcome(Standing((int(lost), int(split), int(won))))
        looking.tell(trial, number, records[trial.name, number])
    assert twins and found.games >= 4000 and len(found.trials()) >= 20
    assert {trial.values["plies"] for trial in found.trials()} == {3, 4, 5}


def test_the_best_trial_has_the_greatest_lower_end_of_its_interval(engine: Engine) -> None:
    found = Study(MEMORY, "test", "me", KNOBS, "random", "none", 1, 1)
    for pairs in ((0, 0, 2), (10, 40, 50), (40, 40, 20)):
        found.add(found.begin(), 0, Outcome(Standing(pairs)))
    best = found.best()
    # Four games won of four have no error bar, which is not certainty.
    assert best is not None and best.standing.pairs == (10, 40, 50)
    assert best.assured == best.standing.interval[0] > 0


def test_a_study_goes_on_where_it_was(tmp_path: Path) -> None:
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()
    whole = study(tmp_path / "whole", 2, pruner="none")
    search(whole, 4)
    expected = [trial.values for trial in whole.trials()]
    search(study(tmp_path / "cut", 2, pruner="none"), 3)
    assert len(search(study(tmp_path / "cut", 2, pruner="none"), 4, cut=1)) == 1
    later = study(tmp_path / "cut", 2, pruner="none")
    search(later, 4)
    # The trial that was cut is asked again first; nothing of it is counted twice.
    assert [trial.values for trial in later.trials()] == expected
    assert later.games == 4 * 2 * 40
    with pytest.raises(InputError, match="expected a study of"):
        study(tmp_path / "cut", knobs=[Knob(WARMTH, 0.5, 0.4, 0.6)])


def test_storages_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    (tmp_path / "optuna.db").write_text("rubbish, and more of it than a header is long " * 20)
    with pytest.raises(InputError, match="expected a database that Optuna can use"):
        study(tmp_path)
    for url in (f"sqlite:///{tmp_path}/none/optuna.db", "nothing://", f"journal:{tmp_path}/none/log"):
        with pytest.raises(InputError, match=f"--storage {url}"):
            Study(url, "test", "me", KNOBS, "tpe", "none", 1, 5)


def test_knobs_are_checked() -> None:
    one, other = read_knobs(TABLE, ["warmth", "plies=2:8"], [("warmth", 3.5)])
    assert (one.start, one.low, one.high) == (3.5, 2.5, 4.0) and (other.low, other.high) == (2, 8)
    assert "as far as the engine lets it go" in one.at_bound(4.0)
    assert "wider --param range" in one.at_bound(2.5) and one.at_bound(3.0) == ""
    for texts, message in (
        ([], "no parameter to tune"),
        (["cold"], "no parameter is called 'cold'"),
        (["warmth", "warmth=0:1"], "warmth again"),
        (["warmth=0"], "expected NAME or NAME=LOW:HIGH"),
        (["warmth=0:x"], "expected NAME or NAME=LOW:HIGH"),
        (["warmth=0:9"], "warmth = 9: expected a value from 0 to 4"),
        (["warmth=1:2"], "expected a range around 0.5"),
        (["plies=2:8.5"], "expected a whole number"),
    ):
        with pytest.raises(InputError, match=message):
            read_knobs(TABLE, texts, [])


def line(command: str, folder: Path, *more: str) -> list[str]:
    places = ["--state", str(folder / "state"), "--report", str(folder / "report")]
    few = ["--board", "6", "--playouts", "10", "--batch", "10", "--games", "60", *places]
    tuned = ["--param", "exploration", "--param", "playout_plies=0:8"]
    return [command, *few, *tuned, "--confirm-games", "20", "--sprt", "0,300", *more]


@pytest.mark.parametrize("command", ["spsa", "optuna"])
def test_a_run_ends_with_a_match_and_a_file_that_the_engine_reads(
    engine: Engine, tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--trial-games", "20", "--pruner", "none") if command == "optuna" else ()
    asked = line(command, tmp_path, *more)
    assert main(asked) == 0
    report = (tmp_path / "report" / "report.md").read_text()
    assert "| `exploration` |" in report and (tmp_path / "report" / "courses.svg").exists()
    tuned = tmp_path / "report" / "tuned.toml"
    values = tomllib.loads(tuned.read_text())
    assert values.keys() == {"exploration", "playout_plies"}
    told = json.loads(engine.ask("params", "--params", str(tuned), "--format", "json"))
    assert {one["name"]: one["value"] for one in told if one["name"] in values} == pytest.approx(values)
    if command == "spsa" or "Chosen: trial" in report:
        assert "**Confirming match:** " in report and "Elo over the start after" in report
    # Once more: everything is on disk, nothing is played.
    played = {path: path.stat().st_mtime_ns for path in (tmp_path / "state" / "games").rglob("*.jsonl")}
    assert len(played) >= 6
    capsys.readouterr()
    assert main(asked) == 0
    assert {path: path.stat().st_mtime_ns for path in played} == played
    assert tomllib.loads(tuned.read_text()) == values
    # Something else is another experiment.
    assert main([*asked, "--param", "rave_visits=0:100"]) == 2
    assert "as it was begun with" in capsys.readouterr().err


def test_input_that_is_wrong_is_refused_before_anything_is_played(
    engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more, message in (
        (("--param", "cold"), "no parameter is called 'cold'"),
        (("--sprt", "10,0"), "expected ELO0,ELO1 with ELO0 below ELO1"),
        (("--games", "5"), "expected a batch at least"),
        (("--playouts", "0"), "expected one above 0"),
        (("--confirm-time", "0"), "expected one above 0"),
    ):
        for command in ("spsa", "optuna"):
            assert main(line(command, tmp_path, *more)) == 2
            assert message in capsys.readouterr().err
    assert main(line("spsa", tmp_path, "--r-end", "0")) == 2
    assert main(line("optuna", tmp_path, "--trial-games", "5")) == 2
    assert not (tmp_path / "state").exists()


def test_sweeps_are_tables_and_pictures(engine: Engine, tmp_path: Path) -> None:
    few = ["--board", "6", "--playouts", "10", "--batch", "10", "--games", "10"]
    places = ["--state", str(tmp_path / "state"), "--report", str(tmp_path / "report")]
    assert main(["sweep", *few, *places, "--param", "exploration=0.2,0.6"]) == 0
    report = (tmp_path / "report" / "report.md").read_text()
    assert "| 0.2 | 10 |" in report and "| 0.6 | 10 |" in report
    one = (tmp_path / "report" / "sweep.svg").read_bytes()
    assert (
        main(["sweep", *few, *places, "--param", "exploration=0.2,0.6", "--param", "playout_plies=2,4"]) == 0
    )
    report = (tmp_path / "report" / "report.md").read_text()
    assert "| exploration | playout_plies | games |" in report and "| 0.2 | 4 | 10 |" in report
    assert (tmp_path / "report" / "sweep.svg").read_bytes() != one
    for wrong in (
        ["exploration=9"],
        ["exploration=1,1"],
        ["exploration=1", "exploration=2"],
        [],
        ["a=1", "b=2"],
    ):
        words = [word for text in wrong for word in ("--param", text)]
        assert main(["sweep", *few, *places, *words]) == 2
