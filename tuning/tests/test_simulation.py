"""Tuners on a simulated cluster."""

import numpy as np
import pytest

from tuning.command import main
from tuning.simulation.cluster import Cluster
from tuning.simulation.runs import Setup, simulated


class Tasks:
    """Asks for so many batches, of which so many may be open."""

    def __init__(self, count: int, most_open: int) -> None:
        self.left, self.most_open, self.open = count, most_open, set()

    def ask(self) -> int | None:
        if not self.left or len(self.open) == self.most_open:
            return None
        self.left -= 1
        self.open.add(self.left)
        return self.left

    def tell(self, key: int) -> None:
        self.open.remove(key)


def test_workers_share_the_batches() -> None:
    one = Cluster(1, 3.0).run(Tasks(400, 400), np.random.default_rng(1))
    many = Cluster(16, 3.0).run(Tasks(400, 400), np.random.default_rng(1))
    assert one.batches == many.batches == 400 and one.busy > 0.97 and many.busy > 0.9
    assert one.seconds / many.seconds == pytest.approx(16, rel=0.1)
    # Workers without a batch wait.
    few = Cluster(16, 3.0).run(Tasks(400, 4), np.random.default_rng(1))
    assert few.busy == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("tuner", ["spsa", "optuna"])
def test_a_cluster_finds_as_much_sooner(tuner: str) -> None:
    def mean(workers: int) -> tuple[float, float, float]:
        results = [simulated(Setup(tuner, workers, 4000, 20, None, 0.15, 3, 1.0), seed) for seed in range(3)]
        return tuple(
            float(np.mean(figures))
            for figures in zip(*[(one.start, one.end, one.passed.seconds) for one in results], strict=True)
        )

    start, slow, long = mean(1)
    _, fast, short = mean(30)
    # Twenty trials of Optuna find less than 200 batches of SPSA.
    share = 0.6 if tuner == "spsa" else 1
    assert slow < share * start and fast < share * start
    assert long / short > 10


def test_too_many_open_batches_lose_their_way() -> None:
    setup = Setup("spsa", 1000, 40_000, 20, None, 0.15, 6, 3.0)
    wise = simulated(setup, 1)
    greedy = simulated(Setup(**{**vars(setup), "most_open": 600}), 1)
    assert greedy.passed.seconds < wise.passed.seconds and greedy.end > 10 * wise.end


def test_input_that_is_wrong_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (["--workers", "0"], ["--workers", "a"], ["--fall", "-1"], ["--runs", "0"]):
        assert main(["simulate", *wrong]) == 2
        assert "expected" in capsys.readouterr().err
