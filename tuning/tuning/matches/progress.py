"""Progress on standard error while games are played: a bar on a terminal, a line from time to time elsewhere."""

import sys
from typing import TYPE_CHECKING

from tqdm import tqdm

if TYPE_CHECKING:
    from tuning.matches.executor import Executor
    from tuning.matches.series import Series

PAUSE = 10.0
"""Seconds between two lines where there is no terminal: a run of a night fits on a few screens."""

FORMAT = "tuning: {percentage:3.0f} %|{bar:20}| {elapsed}<{remaining} {postfix}"


class _Lines:
    """A stream that turns each state of a bar into a line."""

    def write(self, text: str) -> None:
        """Write what is more than a return to the beginning of the line."""
        if text.strip():
            print(text.strip(), file=sys.stderr, flush=True)

    def flush(self) -> None:
        """Do nothing: each line is flushed."""


def _bar(total: float) -> tqdm:
    """Return a bar over this much work."""
    if sys.stderr.isatty():
        return tqdm(total=total, bar_format=FORMAT, dynamic_ncols=True, leave=False)
    return tqdm(total=total, bar_format=FORMAT, mininterval=PAUSE, maxinterval=PAUSE, file=_Lines())


class Progress:
    """The progress of series of games. Work is counted by cost: a game at twice the limit takes twice as long."""

    def begin(self, series: "list[Series]", executor: "Executor") -> None:
        """Say what is on disk already."""
        self._series = series
        done = sum(one.counted.standing.games for one in series)
        missing = sum(one.missing for one in series)
        say(
            f"{done:,} games are there, about {missing:,} to play on {executor.cores} cores ({executor.place})"
        )
        self._bar = _bar(self._left())

    def played(self, series: "Series", games: int, last: bool) -> None:
        """Take note of a batch; say what a series comes to when it ends."""
        standing = series.counted.standing
        told = f"{series.name}: {standing} Elo after {standing.games:,} games"
        self._bar.set_postfix_str(told, refresh=False)
        # How many games are missing is an estimate, which results change.
        self._bar.total = self._bar.n + games * series.cost + self._left()
        self._bar.update(games * series.cost)
        if last:
            with tqdm.external_write_mode():
                say(told)
        if not self._left():
            self._bar.close()

    def _left(self) -> float:
        return sum(one.missing * one.cost for one in self._series)


class Countdown:
    """The progress of something that takes a known number of games."""

    def __init__(self, games: int) -> None:
        """Count from now on."""
        self._bar = _bar(games)

    def at(self, games: int, what: str, fresh: bool) -> None:
        """Record the number of games so far; `fresh` if the last of them have just been played."""
        self._bar.set_postfix_str(f"{games:,} of {self._bar.total:,} games; {what}", refresh=False)
        if fresh:
            self._bar.update(games - self._bar.n)
        else:
            # Games on disk say nothing about how long the rest takes.
            self._bar.initial = self._bar.n = games
        if games >= self._bar.total:
            self._bar.close()


def say(text: str) -> None:
    """Write a message, which is no result."""
    print(f"tuning: {text}", file=sys.stderr, flush=True)
