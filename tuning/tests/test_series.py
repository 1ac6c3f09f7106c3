"""Outcomes by the figures of `quiver elo`, and series: what is played, when they stop; each game counts once."""

import json
import random
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest

from tuning.matches.batch import Batch, Side
from tuning.matches.engine import Engine
from tuning.matches.outcome import Outcome, Sprt
from tuning.matches.series import Series, play


def outcome(number: int) -> Outcome:
    """Return the result of a batch of twenty games, by its number alone."""
    won = random.Random(number).choices(range(3), (1, 2, 3), k=10)
    return Outcome((won.count(0), won.count(1), won.count(2)), 0, 161, (0, 0), (5.0, 5.0))


class Paper:
    """State and executor in one, whose games are made up; batches end in any order."""

    place = "paper"

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self.begun: list[Batch] = []
        self._ended = 0
        self._threads = ThreadPoolExecutor(cores)

    def job(self, batch: Batch) -> Batch:
        return batch

    def submit(self, batch: Batch) -> Future[str]:
        assert len(self.begun) - self._ended < self.cores
        self.begun.append(batch)
        return self._threads.submit(self._played, batch)

    def _played(self, batch: Batch) -> str:
        time.sleep(0.002 * random.random())
        side = {"moves": 10, "mean_time": 0.5, "playouts_per_second": None}
        told = {"games": 20, "mean_plies": 8.05, "faults": 0, "players": [side, side]}
        self._ended += 1
        return json.dumps(told | {"score": {"pairs": outcome(batch.number).pairs}})


@pytest.mark.parametrize("stop", [(100, 100), (40, 4000, 45), (2, 4000, None, Sprt(0, 60))])
def test_counts_depend_on_no_order(engine: Engine, stop: tuple, capsys: pytest.CaptureFixture[str]) -> None:
    sides = Side(playouts=2), Side(playouts=1)
    alone, number = Series(Batch("alone", *sides, 6, 20), *stop), 0
    while alone.missing:
        alone.counted += outcome(number)
        number += 1
    expected = alone.counted
    assert number > 2
    for cores in (1, 2, 7):
        paper = Paper(cores)
        several = [Series(Batch(name, *sides, 6, 20), *stop) for name in ("one", "other")]
        capsys.readouterr()
        play(several, paper, paper)
        told = capsys.readouterr().err
        assert [series.counted for series in several] == [expected] * 2
        ends = [told.count(f"tuning: {name}: {expected} Elo after") for name in ("one", "other")]
        assert ends == [1, 1] and len(set(paper.begun)) == len(paper.begun)
        # What is begun in vain is bounded by what was in flight.
        assert cores > 1 or len(paper.begun) == 2 * number


def test_one_sided_games_are_not_played_to_the_end(engine: Engine) -> None:
    series = Series(Batch("one", Side(), Side(), 6, 20), 20, 1000, error=10, counted=Outcome((0, 0, 10)))
    assert series.missing == 0 < replace(series, counted=Outcome((0, 1, 9))).missing


def test_figures_without_a_bound_are_left_out(engine: Engine) -> None:
    assert str(Outcome((96, 111, 136))) == "+41 +-30"
    none, all_won = Outcome(), Outcome((0, 0, 10))
    assert none.row["games"] == 0 and none.row["elo_low"] is none.row["elo_high"] is None and str(none) == ""
    assert all_won.row["elo"] is all_won.row["elo_error"] is all_won.row["elo_high"] is None
    assert str(all_won).startswith("above +") and str(Outcome((3, 0, 0))).startswith("below -")
    # Near a score of 1 an error to both sides has no bound.
    few, row = Outcome((0, 1, 1)), Outcome((0, 1, 1)).row
    assert row["elo_error"] is None and row["elo_low"] < row["elo"] < row["elo_high"] < 2000
    assert str(few) == "{elo:+.0f} ({elo_low:+.0f} to {elo_high:+.0f})".format(**row)
