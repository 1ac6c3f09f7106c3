"""Optuna's search: trials of settings against the start, over batches with the same openings for every trial.

A run opens one trial at a time; several runs may share a study. The sampler is seeded anew for each trial by the number
of trials before it, so that an interrupted run goes on as if nothing had been.

The storage is Optuna's own, which other machines and its dashboard read, so it has no checksum. Optuna refuses a
line of its journal that is no JSON. A changed count can mislead the choice of a trial, but not the match that confirms
it, whose games are in the engine's records.
"""

import hashlib
import math
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

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
from tuning.matches.progress import say

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
    """A trial that has ended."""

    number: int
    values: dict[str, float]
    outcome: Outcome


@dataclass(repr=False)
class Study:
    """A search and its storage, begun anew or gone on with; asks for the batches of one trial after the other."""

    url: str
    name: str
    owner: str
    """The name of this machine among those that share the study."""
    knobs: Sequence[Parameter]
    batch: Batch
    """A batch of settings against themselves; those of trials have settings of their own on one side."""
    sampler: str
    pruner: str
    batches: int
    """Batches of a trial that is not ended early."""
    most: int
    """Games after which no trial begins."""

    def __post_init__(self) -> None:
        """Begin the study, or go on with the one of this name."""
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        self._ranges: dict[str, BaseDistribution] = {
            knob.name: IntDistribution(round(knob.low), round(knob.high))
            if knob.whole
            else FloatDistribution(knob.low, knob.high)
            for knob in self.knobs
        }
        with self._storage_at_work():
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
            self._take_over()
        self._trial: optuna.Trial | None = None
        self._asked = self._told = 0

    def __repr__(self) -> str:
        return f"<Study '{self.name}': {len(self.trials())} trials, {self.games:,} of {self.most:,} games>"

    @property
    def left(self) -> float:
        return max(self.most - self.games, 0)

    @property
    def games(self) -> int:
        return sum(trial.outcome.games for trial in self.trials())

    def trials(self) -> list[Trial]:
        with self._storage_at_work():
            ended = self._study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
            return [
                Trial(one.number, self._values(one.params), Outcome(tuple(one.user_attrs["pairs"])))
                for one in ended
                if "pairs" in one.user_attrs
            ]

    def ask(self, room: int) -> list[Batch]:
        if self._trial is None:
            # Batches of an ended trial may still be played, and the next one may have its settings.
            if self._asked > self._told or not self.left:
                return []
            self._begin()
        numbers = range(self._asked, min(self._asked + room, self.batches))
        self._asked += len(numbers)
        # Games of a trial are kept by its settings, and are found again if those are asked for again.
        name = "trial-" + hashlib.sha256(repr(sorted(self._settings)).encode()).hexdigest()[:12]
        batch = self.batch._replace(series=name, recorded=False)
        return [batch.between(self._settings, (), number) for number in numbers]

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        """Count the next batch; end the trial with its last batch or when it is surely not the best."""
        self._told += 1
        # The rest of a trial that has ended counts for nothing.
        if trial := self._trial:
            self._total += outcome
            with self._storage_at_work():
                trial.report((outcome if self.pruner == "wilcoxon" else self._total).score, self._told - 1)
                if self._told == self.batches or trial.should_prune():
                    self._end(trial)

    @property
    def said(self) -> str:
        return f"{self.games:,} of {self.most:,} games"

    def _begin(self) -> None:
        """Open a trial of the settings that are worth it most."""
        with self._storage_at_work():
            seed = self.batch.seed + len(self._study.get_trials(deepcopy=False))
            self._study.sampler = SAMPLERS[self.sampler](seed)
            trial = self._trial = self._study.ask(self._ranges)
            trial.set_user_attr("owner", self.owner)
        self._settings = tuple(self._values(trial.params).items())
        self._total, self._told, self._asked = Outcome(), 0, 0

    def _end(self, trial: optuna.Trial) -> None:
        trial.set_user_attr("pairs", list(self._total.pairs))
        # One that was ended early has its score so far: it tells the sampler more than that it ended.
        self._study.tell(trial, self._total.score)
        say(f"trial {trial.number}: {self._total} Elo after {self._total.games} games")
        self._trial = None

    def best(self) -> Trial | None:
        """Return the trial with the greatest lower end of its Elo interval; None if none won more than half its games.

        The trial need not be better than the start: only the confirming match decides that.
        """
        ended = [trial for trial in self.trials() if trial.outcome.score > 0.5]
        return max(ended, key=lambda trial: trial.outcome.figures.elo_low or -math.inf, default=None)

    def _take_over(self) -> None:
        """Ask again for what an earlier run of ours left open, and tell what needs no games."""
        trials = self._study.get_trials(deepcopy=False)
        if not trials:
            # Settings that play themselves win one half of the games.
            start = {knob.name: round(knob.default) if knob.whole else knob.default for knob in self.knobs}
            halves = dict.fromkeys(range(self.batches), 0.5)
            known = optuna.trial.create_trial(
                params=start, distributions=self._ranges, value=0.5, intermediate_values=halves
            )
            self._study.add_trial(known)
        for trial in trials:
            if trial.distributions and trial.distributions != self._ranges:
                raise InputError(
                    f"--storage {self.url}: a study of {', '.join(trial.params)} in other ranges, expected a study "
                    "of these parameters; name another --study"
                )
            if trial.state == TrialState.RUNNING and trial.user_attrs.get("owner") == self.owner:
                self._study.tell(trial.number, state=TrialState.FAIL)
                self._study.enqueue_trial(trial.params)

    def _values(self, params: dict[str, float]) -> dict[str, float]:
        """Return the settings as the engine is told them."""
        return {knob.name: float(knob.text(params[knob.name])) for knob in self.knobs}

    def _storage_at_work(self) -> AbstractContextManager[None]:
        """Say in a sentence what is wrong with the storage."""
        expected = "a study of this experiment in a database that Optuna can use"
        kinds = (ImportError, sqlalchemy.exc.SQLAlchemyError, optuna.exceptions.OptunaError)
        return reading(f"--storage {self.url}", expected, *kinds)
