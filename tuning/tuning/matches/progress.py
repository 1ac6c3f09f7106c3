"""Progress on standard error while games are played: a bar on a terminal, a line from time to time elsewhere."""

import sys
from io import TextIOBase

from tqdm import tqdm

PAUSE = 10.0
"""Seconds between two lines where there is no terminal: a run of a night fits on a few screens."""

FORMAT = "tuning: {percentage:3.0f} %|{bar:20}| {elapsed}<{remaining} {postfix}"


class _Lines(TextIOBase):
    """A stream that turns each state of a bar into a line."""

    def write(self, text: str) -> int:
        if text.strip():
            print(text.strip(), file=sys.stderr, flush=True)
        return len(text)


class Progress:
    """The progress of work whose extent is an estimate: results change it."""

    def __init__(self, left: float) -> None:
        bar, lines = {"dynamic_ncols": True, "leave": False}, {"mininterval": PAUSE, "maxinterval": PAUSE}
        how = bar if sys.stderr.isatty() else lines | {"file": _Lines()}
        self._bar = tqdm(total=left, bar_format=FORMAT, **how)

    def at(self, left: float, what: str) -> None:
        """Say what has been done since; `left` is the rest."""
        done = max(self._bar.total - self._bar.n - left, 0)
        self._bar.set_postfix_str(what, refresh=False)
        self._bar.total = self._bar.n + done + left
        self._bar.update(done)
        if not left:
            self._bar.close()


def say(text: str) -> None:
    """Write a message, which is no result, above the bar if there is one."""
    with tqdm.external_write_mode():
        print(f"tuning: {text}", file=sys.stderr, flush=True)
