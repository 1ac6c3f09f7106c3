"""Plays the batches of games that a match or a tuner requests.

A match counts the outcomes of its batches in the order of their numbers, although batches may end
in another order. So the number of cores does not influence after how many games a match ends.
"""

import gc
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tuning.matches.batch import Batch
from tuning.matches.executor import Executor
from tuning.matches.outcome import Outcome, Sprt
from tuning.matches.progress import Progress, print_message
from tuning.matches.state import State
from tuning.matches.worker import Job


@dataclass
class Match:
    """A match of `least` to `most` games. If set, `sprt` or `error` decides when it ends."""

    first: Batch
    """Batch 0 of the match. The other batches differ from it only in their numbers."""
    least: int
    most: int
    error: float | None = None
    """After `least` games, the match ends when the 95 % interval is at most 2 `error` Elo wide."""
    sprt: Sprt | None = None
    counted: Outcome = field(default_factory=Outcome)
    _asked: int = 0
    _told: int = 0

    @property
    def missing_games(self) -> int:
        """An estimate of how many games are still to be played; 0 if the match has ended."""
        games, wins, wanted = self.counted.games, self.counted.wins, float(self.most)
        if games >= self.most:
            return 0
        if self.sprt is not None:
            if self.sprt.verdict(self.counted.pairs) is not None:
                return max(self.least - games, 0)
        elif games < self.least:
            return self.least - games
        elif self.error is None or not 0 < wins < games:
            # If one side won all games, the interval is infinite. Then the match ends early.
            return 0
        else:
            excess = (self.counted.elo_statistics.elo_error or math.inf) / self.error
            if excess <= 1:
                return 0
            wanted = games * excess**2
        return max(math.ceil(min(wanted, self.most)) - games, 2)

    @property
    def remaining_work(self) -> float:
        return self.missing_games * (self.first.a.cost + self.first.b.cost)

    def ask(self, limit: int) -> list[Batch]:
        first, size = self._asked, self.first.games
        self._asked = max(min(first + limit, self._told + -(-self.missing_games // size)), first)
        # The last batch has the remaining games, rounded up to whole pairs.
        most = self.most + self.most % 2
        return [
            self.first._replace(number=number, games=min(size, most - number * size))
            for number in range(first, self._asked)
        ]

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        before, self._told = self.missing_games, self._told + 1
        if before:
            self.counted += outcome
        if before and not self.missing_games:
            print_message(self.outcome_summary)

    @property
    def outcome_summary(self) -> str:
        return f"{self.first.group}: {self.counted} Elo after {self.counted.games:,} games"


class BatchSource(Protocol):
    """A match or a tuner. The outcomes so far decide which batches it requests next."""

    @property
    def remaining_work(self) -> float:
        """An estimate of the remaining work, in a unit that each kind of source chooses."""

    def ask(self, limit: int) -> list[Batch]:
        """Return up to `limit` batches to play; an empty list if nothing can be played now."""

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        """Process the outcome of a batch. Outcomes come in the order of the batches from `ask`."""

    @property
    def outcome_summary(self) -> str:
        """A text for the user about the outcomes so far."""


def play(sources: Sequence[BatchSource], state: State, executor: Executor) -> None:
    """Play the batches that the sources request, on all cores, until no source requests more.

    Sources earlier in the list have priority. Batches with stored outcomes are not played again.
    """
    # With the default threshold, garbage collections would scan all open batches too often.
    gc.set_threshold(100_000)
    open_batches: list[tuple[BatchSource, deque[Batch]]] = [(source, deque()) for source in sources]
    ended: dict[tuple[str, int], Outcome] = {}
    progress = Progress(sum(source.remaining_work for source in sources))

    def ask(limit: int) -> list[Batch]:
        for source, batches in open_batches:
            if limit > 0 and (requested := source.ask(limit)):
                batches.extend(requested)
                return requested
        return []

    def tell() -> str:
        summary = ""
        for source, batches in open_batches:
            has_progressed = False
            while batches and batches[0].key in ended:
                source.tell(batches[0], ended.pop(batches.popleft().key))
                has_progressed = True
            summary = source.outcome_summary if has_progressed else summary
        return summary

    print_message(f"plays {executor.cores} games at the same time ({executor.place})")
    while True:
        jobs: list[Job] = []
        limit = executor.free_job_slots
        while asked := ask(limit - len(jobs)):
            for batch in asked:
                # With another limit of games, the last batch may have another size.
                if (known := state.known.get(batch.key)) is None or known.games != batch.games:
                    jobs.append(state.job(batch))
                else:
                    ended[batch.key] = known
            tell()
        executor.submit(jobs)
        if executor.is_idle:
            return
        outcomes: dict[tuple[str, int], Outcome] = {}
        for job, outcome in executor.poll():
            assert isinstance(job.work, Batch) and isinstance(outcome, Outcome)
            outcomes[job.work.key] = outcome
        if outcomes:
            state.append_outcomes(outcomes)
            ended |= outcomes
            summary = tell()
            progress.update(sum(source.remaining_work for source in sources), summary)
