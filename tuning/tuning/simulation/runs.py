"""The tuners of this package on a simulated cluster."""

import math
from dataclasses import dataclass

import numpy as np

from tuning.matches.record import Outcome
from tuning.simulation.cluster import Cluster, Passed
from tuning.simulation.surface import Surface
from tuning.tuners.course import Course, most_open
from tuning.tuners.search import Search
from tuning.tuners.spsa import Question, Spsa
from tuning.tuners.study import MEMORY, OpenTrial, Study, Trial

TRIAL_GAMES = 200


@dataclass(frozen=True)
class Setup:
    """What is simulated."""

    tuner: str
    """"spsa" or "optuna"."""
    workers: int
    games: int
    batch: int
    most_open: int | None
    """Open batches of SPSA, open trials of Optuna; None for the default of the tuner."""
    game_seconds: float
    parameters: int
    fall: float
    r_end: float = 0.01


@dataclass(frozen=True)
class Result:
    """What came of a simulated run."""

    start: float
    """Elo below the best at the start."""
    end: float
    """The same of what the tuner found."""
    passed: Passed


def simulated(setup: Setup, seed: int) -> Result:
    """Let a tuner work; the same seed gives the same surface to every setup."""
    surface = Surface.drawn(np.random.default_rng([seed, 0]), setup.parameters, setup.fall)
    games, times = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    cluster = Cluster(setup.workers, setup.batch * setup.game_seconds)
    asker = (_Spsa if setup.tuner == "spsa" else _Optuna)(setup, surface, games, seed)
    passed = cluster.run(asker, times)
    return Result(-surface.elo(np.zeros(setup.parameters)), -surface.elo(asker.found()), passed)


class _Spsa:
    def __init__(self, setup: Setup, surface: Surface, rng: np.random.Generator, seed: int) -> None:
        spsa = Spsa(surface.knobs, setup.games // setup.batch, setup.r_end, seed)
        self._course = Course(spsa, setup.most_open or most_open(spsa, setup.batch))
        self._setup, self._surface, self._rng = setup, surface, rng

    def ask(self) -> Question | None:
        return self._course.ask()

    def tell(self, key: Question) -> None:
        answer = self._surface.played(key.plus, key.minus, self._setup.batch, self._rng)
        self._course.tell(key.number, answer)

    def found(self) -> np.ndarray:
        return self._course.place


class _Optuna:
    def __init__(self, setup: Setup, surface: Surface, rng: np.random.Generator, seed: int) -> None:
        self._knobs = surface.knobs
        batches = TRIAL_GAMES // setup.batch
        self._study = Study(MEMORY, "simulated", "me", self._knobs, "tpe", "wilcoxon", seed, batches)
        self._search = Search(self._study, setup.games, setup.batch, setup.workers, setup.most_open or 0)
        self._setup, self._surface, self._rng = setup, surface, rng

    def ask(self) -> tuple[OpenTrial, int] | None:
        return self._search.ask()

    def tell(self, key: tuple[OpenTrial, int]) -> None:
        trial, number = key
        start = {knob.name: knob.start for knob in self._knobs}
        standing = self._surface.played(trial.values, start, self._setup.batch, self._rng)
        self._search.tell(trial, number, Outcome(standing))

    def found(self) -> np.ndarray:
        """Return the settings with the greatest lower bound, by the variance of independent games."""
        trials = [one for one in self._study.trials() if one.standing.score > 0.5]
        if not trials:
            return np.zeros(len(self._knobs))
        return np.array(list(max(trials, key=_lower_bound).values.values()))


def _lower_bound(trial: Trial) -> float:
    score, games = trial.standing.score, trial.standing.games
    return score - 1.96 * math.sqrt(score * (1 - score) / games)
