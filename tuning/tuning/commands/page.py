"""Writes one static page of all experiments under target/tuning: state, log-likelihood ratio, Elo, games, dates."""

import argparse
import fcntl
import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tuning.commands.options import STATES
from tuning.matches.progress import say
from tuning.matches.state import EXPERIMENT, LOCK, SUMMARY

HEADS = ("experiment", "kind", "board", "state", "LLR", "Elo", "games", "begun", "last run")

STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em; color-scheme: light dark; }
table { border-collapse: collapse; } th, td { padding: .3em .7em; text-align: left; }
tr { border-bottom: 1px solid #8884; } td:nth-child(n+5):nth-child(-n+7) { text-align: right; }
.accepted { color: #2a7; } .rejected { color: #d43; } .running { font-weight: bold; }
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = command.add_argument
    add("--states", type=Path, default=STATES, metavar="DIR", help="the folder of the state folders")


def run(args: argparse.Namespace) -> None:
    """Write the page."""
    say(f"{write_page(args.states)} has all experiments")


@dataclass(frozen=True)
class Experiment:
    """What the page says of a state folder."""

    name: str
    about: dict[str, Any]
    summary: dict[str, Any]
    running: bool

    @property
    def state(self) -> str:
        """Whether a process works on it, or how it ended."""
        if self.running:
            return "running"
        return self.summary.get("state") or "interrupted"

    def cells(self) -> list[str]:
        """Return its row."""
        about, summary, runs = self.about, self.summary, self.about["runs"]
        title = self.name
        if "new" in about:
            title += f": {about['new']} against {about['old']}"
        ratio = f"{summary['llr']:.2f} of +-{summary['bound']:.2f}" if summary.get("llr") is not None else ""
        games = f"{summary['games']:,}" if "games" in summary else ""
        board = f"{about['board']}x{about['board']}"
        dates = [runs[0]["date"], runs[-1]["date"]]
        return [title, about["kind"], board, self.state, ratio, summary.get("elo", ""), games, *dates]


def write_page(states: Path) -> Path:
    """Write `index.html` over the state folders below, the last one that was worked on first."""
    found = [one for path in states.glob(f"*/{EXPERIMENT}") if (one := _read(path.parent)) is not None]
    found.sort(key=lambda one: one.about["runs"][-1]["date"], reverse=True)
    rows = []
    for one in found:
        cells = "".join(f"<td>{html.escape(str(cell))}</td>" for cell in one.cells())
        rows.append(f'<tr class="{html.escape(one.state)}">{cells}</tr>')
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Experiments</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>Experiments</h1>\n<table><tr>{heads}</tr>\n"
        + "\n".join(rows)
        + "\n</table></body></html>\n"
    )
    states.mkdir(parents=True, exist_ok=True)
    path, part = states / "index.html", states / "index.html.part"
    part.write_text(text, encoding="utf-8")
    part.replace(path)
    return path


def _read(folder: Path) -> Experiment | None:
    """Return the experiment of a folder; None, with a message, if its state cannot be read."""
    try:
        about = json.loads((folder / EXPERIMENT).read_text(encoding="utf-8"))
        path = folder / SUMMARY
        summary = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        experiment = Experiment(folder.name, about, summary, _running(folder))
        experiment.cells()
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        say(f"{folder}: {error!r}, expected the state of an experiment; the page leaves it out")
        return None
    return experiment


def _running(folder: Path) -> bool:
    """Return whether a process works on a state folder."""
    with (folder / LOCK).open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
