"""The match that decides: what a tuner found against the settings that it started from."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tuning.matches.batch import Side, Terms, spoken
from tuning.matches.executor import Executor
from tuning.matches.progress import Progress
from tuning.matches.record import Outcome
from tuning.matches.series import Series, Stop, play
from tuning.matches.state import State
from tuning.matches.statistics import Sprt


@dataclass(frozen=True)
class Confirmation:
    """The settings and the result of the confirming match."""

    stop: Stop
    limit: str
    outcome: Outcome
    against: str = "the start"

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio of the test."""
        return self._test.ratio(self.outcome.standing.pairs)

    @property
    def bound(self) -> float:
        """The ratio at which the test decides."""
        return self._test.bound

    @property
    def verdict(self) -> str:
        """The decision of the test, as a word."""
        return {True: "accepted", False: "rejected", None: "undecided"}[self.accepted]

    @property
    def _test(self) -> Sprt:
        assert self.stop.sprt is not None
        return self.stop.sprt

    @property
    def accepted(self) -> bool | None:
        """Whether the test speaks for the tuned settings; None where it is open."""
        return self._test.verdict(self.outcome.standing.pairs)

    def __str__(self) -> str:
        """Return the result as a sentence."""
        standing, test = self.outcome.standing, self._test
        return (
            f"{self.verdict}: {standing} Elo over {self.against} after {standing.games:,} games at {self.limit} "
            f"(SPRT of {test.elo0:g} against {test.elo1:g} Elo, ratio {self.ratio:.2f} of "
            f"+-{self.bound:.2f}; LOS {100 * standing.superiority:.1f} %)"
        )


def confirm(
    values: Mapping[str, float],
    limit: Side,
    stop: Stop,
    per_batch: int,
    terms: Terms,
    state: State,
    executor: Executor,
) -> Confirmation:
    """Play the settings against the start until the test has a verdict."""
    settings = tuple(sorted(values.items()))
    digest = hashlib.sha256(repr((settings, limit)).encode()).hexdigest()[:12]
    tuned = replace(limit, settings=settings)
    series = Series(f"confirm-{digest}", tuned, limit, stop, per_batch)
    # The seed differs from the tuner's, so that the match plays other openings. The options accept no seed
    # this large, so that no tuner can have used it.
    play([series], replace(terms, seed=terms.seed + (1 << 40)), state, executor, Progress())
    return Confirmation(stop, spoken(limit, terms), series.counted)
