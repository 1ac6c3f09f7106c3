"""Tuning by Optuna: each trial plays new settings against the start settings.

All trials have the same openings. A run plays one trial at a time. Several runs may share a study,
which is Optuna's list of trials. The sampler's seed depends on the number of earlier trials, so an
interruption between trials does not affect later ones. A continued run repeats an unfinished trial.

The study is stored in Optuna's own format, without a checksum, because other machines and Optuna's
dashboard read it. Damaged counts of won games could lead to the choice of a worse trial. They do
not affect the confirming match, whose games have checksums.
"""

import hashlib
import math
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import optuna
import sqlalchemy.exc
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

from tuning.errors import InputError, reading
from tuning.matches.batch import Batch
from tuning.matches.outcome import Outcome
from tuning.matches.parameters import Parameter
from tuning.matches.progress import print_message

SAMPLERS = {
    "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True),
    "cmaes": lambda seed: optuna.samplers.CmaEsSampler(seed=seed),
    "qmc": lambda seed: optuna.samplers.QMCSampler(seed=seed),
    "random": lambda seed: optuna.samplers.RandomSampler(seed=seed),
}

PRUNERS = {
    "wilcoxon": lambda: optuna.pruners.WilcoxonPruner(p_threshold=0.1, n_startup_steps=3),
    "median": lambda: optuna.pruners.MedianPruner(n_warmup_steps=2),
    "none": optuna.pruners.NopPruner,
}


class Trial(NamedTuple):
    """A trial that has ended, with its settings and their outcome against the start settings."""

    number: int
    values: dict[str, float]
    outcome: Outcome


@dataclass
class Study:
    """An Optuna study stored at `url`. It requests the batches of one trial after another."""

    url: str
    name: str
    owner: str
    """Identifies this run among the runs that share the study."""
    parameters: Sequence[Parameter]
    batch: Batch
    """A batch with the start settings on both sides. A trial changes the first side's settings."""
    sampler: str
    pruner: str
    batches: int
    """The number of batches in a trial, unless the pruner ends the trial early."""
    most: int
    """The limit of games. After this number of games in all trials, no further trial begins."""

    def __post_init__(self) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        self._ranges: dict[str, BaseDistribution] = {
            p.name: IntDistribution(round(p.low), round(p.high))
            if p.whole
            else FloatDistribution(p.low, p.high)
            for p in self.parameters
        }
        with self._storage_errors():
            file = self.url.removeprefix("journal:")
            storage = self.url if file == self.url else JournalStorage(JournalFileBackend(file))
            pruner = PRUNERS[self.pruner]()
            self._study = optuna.create_study(
                storage=storage,
                study_name=self.name,
                direction="maximize",
                load_if_exists=True,
                pruner=pruner,
            )
            self._queue_interrupted_trials()
        self._trial: optuna.Trial | None = None
        self._asked = self._told = 0

    @property
    def remaining_work(self) -> float:
        return max(self.most - self.games, 0)

    @property
    def games(self) -> int:
        return sum(trial.outcome.games for trial in self.trials())

    def trials(self) -> list[Trial]:
        with self._storage_errors():
            ended = self._study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
            return [
                Trial(t.number, self._rounded_values(t.params), Outcome(tuple(t.user_attrs["pairs"])))
                for t in ended
                if "pairs" in t.user_attrs
            ]

    def ask(self, limit: int) -> list[Batch]:
        if self._trial is None:
            # Wait until all batches of the last trial have ended, because the next trial's batches
            # have the same names if both trials have the same settings.
            if self._asked > self._told or not self.remaining_work:
                return []
            self._begin_trial()
        numbers = range(self._asked, min(self._asked + limit, self.batches))
        self._asked += len(numbers)
        # The name depends on the settings, so a second trial of the same settings reuses the stored
        # outcomes of the first.
        name = "trial-" + hashlib.sha256(repr(sorted(self._settings)).encode()).hexdigest()[:12]
        batch = self.batch._replace(group=name, recorded=False)
        return [batch.between(self._settings, (), number) for number in numbers]

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        self._told += 1
        # Batches that end after their trial has ended are not counted.
        if trial := self._trial:
            self._total += outcome
            with self._storage_errors():
                trial.report((outcome if self.pruner == "wilcoxon" else self._total).score, self._told - 1)
                if self._told == self.batches or trial.should_prune():
                    self._end_trial(trial)

    @property
    def outcome_summary(self) -> str:
        return f"{self.games:,} of {self.most:,} games"

    def _begin_trial(self) -> None:
        with self._storage_errors():
            # A hash of both numbers: their sum would repeat the trials of another run's seed.
            numbers = [self.batch.seed, len(self._study.get_trials(deepcopy=False))]
            seed = int(np.random.SeedSequence(numbers).generate_state(1)[0])
            self._study.sampler = SAMPLERS[self.sampler](seed)
            trial = self._trial = self._study.ask(self._ranges)
            trial.set_user_attr("owner", self.owner)
        self._settings = tuple(self._rounded_values(trial.params).items())
        self._total, self._told, self._asked = Outcome(), 0, 0

    def _end_trial(self, trial: optuna.Trial) -> None:
        trial.set_user_attr("pairs", list(self._total.pairs))
        # A trial that ended early also reports its score, which helps the sampler.
        self._study.tell(trial, self._total.score)
        print_message(f"trial {trial.number}: {self._total} Elo after {self._total.games} games")
        self._trial = None

    def best(self) -> Trial | None:
        """Return the trial whose 95 % interval in Elo has the largest lower end.

        Return None if no trial won more than half of its games. Only the confirming match decides
        whether the settings of the trial are better than the start settings.
        """
        ended = [trial for trial in self.trials() if trial.outcome.score > 0.5]
        return max(ended, key=lambda trial: trial.outcome.elo_statistics.elo_low or -math.inf, default=None)

    def _queue_interrupted_trials(self) -> None:
        """Requeue this run's interrupted trials. A new study gets a trial of the start settings."""
        trials = self._study.get_trials(deepcopy=False)
        if not trials:
            # Settings that play against themselves win half of the games.
            start = {p.name: round(p.default) if p.whole else p.default for p in self.parameters}
            halves = dict.fromkeys(range(self.batches), 0.5)
            known = optuna.trial.create_trial(
                params=start, distributions=self._ranges, value=0.5, intermediate_values=halves
            )
            self._study.add_trial(known)
        for trial in trials:
            if trial.distributions and trial.distributions != self._ranges:
                raise InputError(
                    f"--storage {self.url}: the study has other parameters or ranges, {', '.join(trial.params)}; "
                    "expected those of --param, or another --study"
                )
            if trial.state == TrialState.RUNNING and trial.user_attrs.get("owner") == self.owner:
                self._study.tell(trial.number, state=TrialState.FAIL)
                self._study.enqueue_trial(trial.params)

    def _rounded_values(self, params: dict[str, float]) -> dict[str, float]:
        return {p.name: float(p.text(params[p.name])) for p in self.parameters}

    def _storage_errors(self) -> AbstractContextManager[None]:
        expected = "a study of this experiment in a database that Optuna can use"
        kinds = (ImportError, sqlalchemy.exc.SQLAlchemyError, optuna.exceptions.OptunaError)
        return reading(f"--storage {self.url}", expected, *kinds)
