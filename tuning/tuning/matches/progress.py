"""Shows progress on standard error: a bar on a terminal, or else a line every ten seconds."""

import sys
from io import TextIOBase

from tqdm import tqdm

LINE_SECONDS = 10.0

BAR_FORMAT = "tuning: {percentage:3.0f} %|{bar:20}| {elapsed}<{remaining} {postfix}"


class _BarLines(TextIOBase):
    """A stream for tqdm that writes each state of the progress bar to standard error as a line."""

    def write(self, text: str) -> int:
        if text.strip():
            print(text.strip(), file=sys.stderr, flush=True)
        return len(text)


class Progress:
    """Shows the progress of work. The amount of work that is left is an estimate and may grow."""

    def __init__(self, left: float) -> None:
        bar = {"dynamic_ncols": True, "leave": False}
        lines = {"mininterval": LINE_SECONDS, "maxinterval": LINE_SECONDS}
        options = bar if sys.stderr.isatty() else lines | {"file": _BarLines()}
        self._bar = tqdm(total=left, bar_format=BAR_FORMAT, **options)

    def update(self, left: float, what: str) -> None:
        """Update the bar and its text, `what`. `left` is an estimate of the remaining work."""
        done = max(self._bar.total - self._bar.n - left, 0)
        self._bar.set_postfix_str(what, refresh=False)
        self._bar.total = self._bar.n + done + left
        self._bar.update(done)
        if not left:
            self._bar.close()


def print_message(text: str) -> None:
    """Write a message to standard error, above the progress bar if there is one."""
    with tqdm.external_write_mode():
        print(f"tuning: {text}", file=sys.stderr, flush=True)
