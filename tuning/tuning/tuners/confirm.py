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


@dataclass(frozen=True)
class Confirmation:
    """How the match was set up, and how it went."""

    stop: Stop
    limit: str
    outcome: Outcome

    @property
    def accepted(self) -> bool | None:
        """Whether the test speaks for the tuned settings; None where it is open."""
        sprt = self.stop.sprt
        return sprt.verdict(self.outcome.standing.pairs) if sprt else None

    def __str__(self) -> str:
        """Say how it went, in a sentence."""
        standing, sprt = self.outcome.standing, self.stop.sprt
        verdict = {True: "accepted", False: "rejected", None: "undecided"}[self.accepted]
        assert sprt is not None
        return (
            f"{verdict}: {standing} Elo over the start after {standing.games:,} games at {self.limit} "
            f"(SPRT of {sprt.elo0:g} against {sprt.elo1:g} Elo, ratio {sprt.ratio(standing.pairs):.2f} of "
            f"+-{sprt.bound:.2f}; LOS {100 * standing.superiority:.1f} %)"
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
    # Other games than the tuner has seen: another seed, which is no seed that anybody can ask for.
    play([series], replace(terms, seed=terms.seed + (1 << 40)), state, executor, Progress())
    return Confirmation(stop, spoken(limit, terms), series.counted)
