"""What a person is told while games are played: how far, how fast, how long still."""

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tuning.matches.executor import Executor
    from tuning.matches.series import Series

PAUSE = 10.0
"""Seconds between two lines, at least: a run of a night fits on a few screens."""


class Progress:
    """Lines on standard error."""

    def __init__(self, pause: float = PAUSE) -> None:
        """Say nothing before games are played."""
        self._pause = pause
        self._series: list[Series] = []
        self._told = -pause
        self._games = 0
        self._cost = 0.0
        self._seconds = 0.0

    def begin(self, series: "list[Series]", executor: "Executor") -> None:
        """Say what is on disk already."""
        self._series, self._executor = series, executor
        done = sum(one.counted.standing.games for one in series)
        say(
            f"{done:,} games are there, about {self._missing:,} to play on {executor.cores} cores ({executor.place})"
        )

    def played(self, series: "Series", games: int, seconds: float, last: bool) -> None:
        """Take note of a batch and how long it took; say so if it was a series' last, or nothing was said lately."""
        self._games += games
        self._cost += games * series.cost
        self._seconds += seconds
        if time.monotonic() - self._told >= self._pause or last:
            self._told = time.monotonic()
            standing = series.counted.standing
            say(f"{series.name}: {standing} Elo after {standing.games:,} games; {self._left()}")

    @property
    def _missing(self) -> int:
        return sum(one.missing for one in self._series)

    def _left(self) -> str:
        if not self._missing:
            return "all played"
        # A batch at other limits takes as many times longer as its moves cost more.
        rate = self._seconds / self._cost if self._cost else 0.0
        seconds = rate * sum(one.missing * one.cost for one in self._series) / max(self._executor.cores, 1)
        return f"about {self._missing:,} games and {duration(seconds)} left"


class Countdown:
    """Lines about something that takes a known number of games."""

    def __init__(self, games: int, pause: float = PAUSE) -> None:
        """Count from now on."""
        self._games, self._pause = games, pause
        self._begun = self._told = time.monotonic()
        self._before: int | None = None

    def at(self, games: int, what: str, fresh: bool) -> None:
        """Say how far it is, if nothing was said lately; `fresh` where these games were played just now."""
        if not fresh:
            # What is read from disk says nothing about how long the rest takes.
            self._begun, self._before = time.monotonic(), games
        passed = time.monotonic() - self._begun
        played = games - (self._before or 0)
        if fresh and played > 0 and time.monotonic() - self._told >= self._pause:
            self._told = time.monotonic()
            left = duration(passed / played * max(self._games - games, 0))
            say(f"{games:,} of {self._games:,} games, {left} left; {what}")


def duration(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def say(text: str) -> None:
    """Talk, which is no result."""
    print(f"tuning: {text}", file=sys.stderr, flush=True)
