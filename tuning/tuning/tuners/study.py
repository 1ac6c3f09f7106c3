"""Optuna's search: trials of settings against the start, over batches with the same openings for every trial.

A run opens one trial at a time; several runs may share a study. The sampler is seeded anew for each trial by the number
of trials before it, so that an interrupted run goes on as if nothing had been.

The storage is Optuna's own, which other machines and its dashboard read, so it has no checksum. Optuna refuses a
line of its journal that is no JSON. A changed count can mislead the choice of a trial, but not the match that confirms
it, whose games are in the engine's records.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import optuna
import sqlalchemy.exc
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

from tuning.errors import InputError
from tuning.matches.statistics import Standing
from tuning.tuners.knobs import Knob

SAMPLERS: dict[str, Callable[[int], optuna.samplers.BaseSampler]] = {
    "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True),
    "cmaes": lambda seed: optuna.samplers.CmaEsSampler(seed=seed),
    "qmc": lambda seed: optuna.samplers.QMCSampler(seed=seed),
    "random": lambda seed: optuna.samplers.RandomSampler(seed=seed),
}

PRUNERS: dict[str, Callable[[], optuna.pruners.BasePruner]] = {
    "wilcoxon": lambda: optuna.pruners.WilcoxonPruner(p_threshold=0.1, n_startup_steps=3),
    "median": lambda: optuna.pruners.MedianPruner(n_warmup_steps=2),
    "none": optuna.pruners.NopPruner,
}


@dataclass(frozen=True)
class Trial:
    """A trial that has ended."""

    number: int
    values: dict[str, float]
    standing: Standing

    @property
    def assured(self) -> float:
        """The lower end of the 95 % interval in Elo, which is finite as soon as a game is won."""
        return self.standing.interval[0]


class Study:
    """A search and its storage."""

    def __init__(
        self,
        url: str,
        name: str,
        owner: str,
        knobs: Sequence[Knob],
        sampler: str,
        pruner: str,
        seed: int,
        batches: int,
    ) -> None:
        """Begin a study, or go on with the one of this name.

        `owner` names this machine among those that share the study. `batches` is the number of batches of a trial
        that is not ended early.
        """
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        self._knobs, self._owner, self._seed, self.batches = knobs, owner, seed, batches
        self._sampler, self._raw = SAMPLERS[sampler], pruner == "wilcoxon"
        self._url = url
        with self._storage_at_work():
            storage = _storage(url)
            self._study = optuna.create_study(
                storage=storage,
                study_name=name,
                direction="maximize",
                load_if_exists=True,
                pruner=PRUNERS[pruner](),
            )
            self._take_over()

    @property
    def games(self) -> int:
        """Games of all trials that have ended."""
        return sum(trial.standing.games for trial in self.trials())

    def trials(self) -> list[Trial]:
        """Return all trials that have ended."""
        with self._storage_at_work():
            ended = self._study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        try:
            return [
                Trial(trial.number, self._values(trial.params), Standing(tuple(trial.user_attrs["pairs"])))
                for trial in ended
                if "pairs" in trial.user_attrs
            ]
        except (KeyError, TypeError) as error:
            raise InputError(
                f"--storage {self._url}: {error!r}, expected a study of these parameters"
            ) from error

    def begin(self) -> tuple[optuna.Trial, dict[str, float]]:
        """Open a trial; return it with the settings that are worth it most."""
        with self._storage_at_work():
            self._study.sampler = self._sampler(self._seed + len(self._study.get_trials(deepcopy=False)))
            trial = self._study.ask(self._distributions())
            trial.set_user_attr("owner", self._owner)
        return trial, self._values(trial.params)

    def add(self, trial: optuna.Trial, number: int, total: Standing, batch: Standing) -> bool:
        """Count a batch; end the trial, and return True, with its last batch or when it is surely not the best.

        `total` is the sum of the trial's batches so far.
        """
        with self._storage_at_work():
            trial.report((batch if self._raw else total).score, number)
            over = number + 1 == self.batches or trial.should_prune()
            if over:
                trial.set_user_attr("pairs", list(total.pairs))
                # One that was ended early has its score so far: it tells the sampler more than that it ended.
                self._study.tell(trial, total.score)
        return over

    def best(self) -> Trial | None:
        """Return the trial with the greatest lower end of its Elo interval; None if none won more than half its games.

        The trial need not be better than the start: only the confirming match decides that.
        """
        ended = [trial for trial in self.trials() if trial.standing.score > 0.5]
        return max(ended, key=lambda trial: trial.assured, default=None)

    def _take_over(self) -> None:
        """Ask again for what an earlier run of ours left open, and tell what needs no games."""
        trials = self._study.get_trials(deepcopy=False)
        if not trials:
            start = {knob.name: knob.start for knob in self._knobs}
            known = optuna.trial.create_trial(
                params=self._params(start),
                distributions=self._distributions(),
                value=0.5,
                intermediate_values=dict.fromkeys(range(self.batches), 0.5),
            )
            self._study.add_trial(known)
        for trial in trials:
            if trial.distributions and trial.distributions != self._distributions():
                raise InputError(
                    f"--storage {self._url}: a study of {', '.join(trial.params)} in other ranges, expected a study "
                    "of these parameters; name another --study"
                )
            if trial.state == TrialState.RUNNING and trial.user_attrs.get("owner") == self._owner:
                self._study.tell(trial.number, state=TrialState.FAIL)
                self._study.enqueue_trial(trial.params)

    def _distributions(self) -> dict[str, optuna.distributions.BaseDistribution]:
        return {
            knob.name: (
                optuna.distributions.IntDistribution(round(knob.low), round(knob.high))
                if knob.parameter.whole
                else optuna.distributions.FloatDistribution(knob.low, knob.high)
            )
            for knob in self._knobs
        }

    def _params(self, values: Mapping[str, float]) -> dict[str, float]:
        return {
            knob.name: round(v) if knob.parameter.whole else v
            for knob in self._knobs
            for v in (values[knob.name],)
        }

    def _values(self, params: Mapping[str, float]) -> dict[str, float]:
        """Return the settings as the engine is told them."""
        return {knob.name: float(knob.parameter.text(params[knob.name])) for knob in self._knobs}

    @contextmanager
    def _storage_at_work(self) -> Iterator[None]:
        """Say in a sentence what is wrong with the storage."""
        try:
            yield
        except (sqlalchemy.exc.SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
            said = str(error.__cause__ or error).strip().partition("\n")[0]
            raise InputError(
                f"--storage {self._url}: {said}; expected a database that Optuna can use"
            ) from error
        except (OSError, ImportError, ValueError, KeyError, optuna.exceptions.OptunaError) as error:
            raise InputError(
                f"--storage {self._url}: {error}; expected a study of this experiment"
            ) from error


def _storage(url: str) -> optuna.storages.BaseStorage:
    if url.startswith("journal:"):
        return JournalStorage(JournalFileBackend(url.removeprefix("journal:")))
    return RDBStorage(url)
