"""Series of batches: what is played, when it stops, and that nothing is counted twice."""

import random
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tuning.errors import InputError
from tuning.matches.batch import Batch, Side, Terms
from tuning.matches.engine import Engine
from tuning.matches.executor import Job
from tuning.matches.outcome import Outcome, Sprt
from tuning.matches.series import Matches, Series, Stop, play


def outcome(number: int) -> Outcome:
    """Return the result of a batch of twenty games, by its number alone."""
    won = random.Random(number).choices(range(3), (1, 2, 3), k=10)
    return Outcome((won.count(0), won.count(1), won.count(2)))


class Paper:
    """State and executor in one, whose games are made up; batches end in any order."""

    place = "paper"

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self.begun: list[Path] = []
        self.ended: set[Path] = set()
        self._threads = ThreadPoolExecutor(cores)

    def path(self, series: str, number: int) -> Path:
        return Path("/nonexistent", series, f"{number:04d}.jsonl")

    def outcome(self, series: str, batch: Batch) -> Outcome | None:
        return outcome(batch.number) if self.path(series, batch.number) in self.ended else None

    def job(self, series: str, batch: Batch) -> Job:
        return Job(batch.command(), self.path(series, batch.number))

    def submit(self, job: Job) -> Future[None]:
        assert len(self.begun) - len(self.ended) < self.cores
        self.begun.append(job.output)
        return self._threads.submit(self._end, job.output)

    def _end(self, output: Path) -> None:
        time.sleep(0.002 * random.random())
        self.ended.add(output)


@pytest.mark.parametrize("stop", [Stop(100, 100), Stop(40, 4000, error=45), Stop(2, 4000, sprt=Sprt(0, 60))])
def test_what_is_counted_depends_on_no_order(
    engine: Engine, stop: Stop, capsys: pytest.CaptureFixture[str]
) -> None:
    expected, number = Outcome(), 0
    while stop.missing(expected):
        expected += outcome(number)
        number += 1
    assert number > 2
    for cores in (1, 2, 7):
        paper = Paper(cores)
        sides = Side(playouts=2), Side(playouts=1)
        several = [Series(name, *sides, Terms(6), stop, 20) for name in ("one", "other")]
        capsys.readouterr()
        play(Matches(several), paper, paper)
        told = capsys.readouterr().err
        assert [series.counted for series in several] == [expected] * 2
        ends = [told.count(f"tuning: {name}: {expected} Elo after") for name in ("one", "other")]
        assert ends == [1, 1] and len(set(paper.begun)) == len(paper.begun)
        # What is begun in vain is bounded by what was in flight.
        assert cores > 1 or len(paper.begun) == 2 * number


def test_stops_that_cannot_be_met_are_refused() -> None:
    for wrong in ((0, 10), (20, 10)):
        with pytest.raises(InputError, match="expected from 2"):
            Stop(*wrong)
    with pytest.raises(InputError, match="expected one above 0"):
        Stop(2, 10, error=0)


def test_one_sided_games_are_not_played_to_the_end(engine: Engine) -> None:
    assert Stop(20, 1000, error=10).missing(Outcome((0, 0, 10))) == 0
    assert Stop(20, 1000, error=10).missing(Outcome((0, 1, 9))) > 0
