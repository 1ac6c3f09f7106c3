"""The command line: `python -m tuning COMMAND`."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from tuning.errors import InputError

COMMANDS = {
    "measure": "measure what is stale of the list of experiments, and render the pages; --quick before a commit",
    "reports": "say which results belong to another engine than the current one; --write renders the pages",
    "plot": "draw the curve of an experiment as SVG, PDF or PNG",
    "archive": "pack a result with its games, for a paper",
    "check": "replay the games of an archive and compare",
    "spsa": "tune parameters by SPSA",
    "optuna": "tune parameters by Optuna",
    "sprt": "test a change: the engines of two commits play each other",
    "selfplay": "have games of self-play made, for fit-weights",
    "book": "have an opening book made",
    "scale": "measure what games cost the command that asks for them, and simulate clusters",
    "blind-spots": "collect positions where the search overlooks a better move",
    "fit-weights": "fit weights to the rows of 'quiver features', and measure them",
    "fit-policy": "train a policy network on the rows of 'quiver features --policy'",
}


def output(text: str) -> Path:
    """Read the name of a file to write."""
    if Path(text).is_dir() or not Path(text).parent.is_dir():
        raise argparse.ArgumentTypeError(f"'{text}', expected a file in a folder that exists")
    return Path(text)


class Parser(argparse.ArgumentParser):
    """A parser that raises an error, names the kind of a value, and shows defaults where there are any."""

    def add_argument(self, *names: str, **how: Any) -> argparse.Action:  # noqa: ANN401 (as in argparse)
        kind = how.get("type")
        if metavar := "FILE" if kind in (Path, output) else getattr(kind, "metavar", None):
            how.setdefault("metavar", metavar)
        if how.get("default") and "action" not in how:
            how["help"] += " (default: %(default)s)"
        return super().add_argument(*names, **how)

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see '{self.prog} --help'")


def main(line: Sequence[str] | None = None) -> int:
    """Do what a command line says; return its exit status: 0 done, 1 interrupted or a check failed, 2 bad input."""
    # `kill` ends a long run as Ctrl-C does.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        args = _parsed(sys.argv[1:] if line is None else line)
        status = args.run(args) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader closed the pipe, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (InputError, OSError) as error:
        print(f"tuning: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("tuning: interrupted; the same command goes on from what is on disk", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGTERM, before)


def _parsed(line: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="tuning", description="Asks, decides and plots, where Quiver plays and measures.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, about in COMMANDS.items():
        command = commands.add_parser(name, help=about)
        # Only the module of the command is loaded: a curve needs no Optuna.
        if name in line[:1]:
            module = importlib.import_module(f"tuning.commands.{name.replace('-', '_')}")
            command.description = module.__doc__
            module.add_options(command)
            command.set_defaults(run=module.run)
    return parser.parse_args(line)
