"""Which batches of which trials are played next, where several trials are open."""

from collections import Counter
from dataclasses import dataclass, field

from tuning.matches.record import Outcome
from tuning.tuners.study import OpenTrial, Study

SHARE_OPEN = 5
"""By default a study opens at most 1/SHARE_OPEN of its full trials at a time, for lack of a measured optimum."""


@dataclass
class Search:
    """A study as far as it has come in this run."""

    study: Study
    games: int
    """Games to search with."""
    per_batch: int
    cores: int
    """Cores at hand when the run begins."""
    most_open: int = 0
    """Trials that may be open; 0 for one a core, up to a fifth of the full trials that the games are enough for."""
    _open: dict[int, OpenTrial] = field(default_factory=dict)
    _flying: dict[tuple[str, int], int] = field(default_factory=dict)
    """The trial that asked for each batch in flight, by the name of its series and the number of the batch.

    Trials with the same settings share a series of records, so that no batch is in it twice.
    """

    def __post_init__(self) -> None:
        """Choose how many trials may be open."""
        full = self.games // (self.study.batches * self.per_batch)
        self.most_open = self.most_open or max(min(full // SHARE_OPEN, self.cores), 1)
        self._ended = self.study.games

    def ask(self) -> tuple[OpenTrial, int] | None:
        """Return a batch to play; None if none is wanted now.

        A new trial comes first, then a second batch of a trial that is open: a trial that is ended early wastes the
        batches that were begun ahead. A trial never asks for a batch that another trial of the same settings is
        playing: it asks for the batch once the record is complete.
        """
        asking = set(self._flying.values())
        idle = [number for number in self._open if number not in asking and self._next(number) is not None]
        reserved = len(self._open) * self.study.batches * self.per_batch
        if not idle and len(self._open) < self.most_open and self._ended + reserved < self.games:
            trial = self.study.begin()
            self._open[trial.trial.number] = trial
        wanted = [number for number in self._open if self._next(number) is not None]
        if not wanted:
            return None
        asked = Counter(self._flying.values())
        number = min(wanted, key=lambda one: asked[one])
        batch = self._next(number)
        assert batch is not None
        trial = self._open[number]
        self._flying[trial.name, batch] = number
        return trial, batch

    def tell(self, trial: OpenTrial, batch: int, outcome: Outcome) -> bool:
        """Take in a batch; return whether it ended its trial."""
        del self._flying[trial.name, batch]
        if trial.over:
            return False
        self.study.add(trial, batch, outcome)
        if trial.over:
            self._ended += trial.total.standing.games
            del self._open[trial.trial.number]
        return trial.over

    def _next(self, number: int) -> int | None:
        """Return the first batch of a trial that is neither counted, nor waiting, nor in flight."""
        trial = self._open[number]
        taken = {batch for name, batch in self._flying if name == trial.name} | trial.waiting.keys()
        batch = next(one for one in range(trial.counted, self.study.batches + 1) if one not in taken)
        return batch if batch < self.study.batches else None
