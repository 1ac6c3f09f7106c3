"""Parses the command line `python -m tuning COMMAND`, and runs the command."""

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
    "measure": "measure the experiments whose results are stale, and render the reports",
    "reports": "list the experiments, and whether their results are current; --write renders the reports",
    "plot": "draw the curve of an experiment as SVG, PDF or PNG",
    "archive": "pack the result of an experiment with its games, for a paper",
    "check": "replay the games of an archive and compare them with the recorded ones",
    "spsa": "tune parameters by SPSA",
    "optuna": "tune parameters by Optuna",
    "sprt": "test a change: the engines of two commits play each other",
    "selfplay": "play self-play games for fit-weights",
    "book": "make an opening book",
    "blind-spots": "collect positions where the search overlooks a better move",
    "fit-weights": "fit the evaluator's weights to the rows of 'quiver features', and measure them",
    "fit-policy": "train a policy network on the rows of 'quiver features --policy'",
}


def output_path(text: str) -> Path:
    if Path(text).is_dir() or not Path(text).parent.is_dir():
        raise argparse.ArgumentTypeError(f"'{text}', expected a file in a folder that exists")
    return Path(text)


class Parser(argparse.ArgumentParser):
    """A parser that raises `InputError` for a bad command. Its help shows types and defaults."""

    def add_argument(self, *names: str, **options: Any) -> argparse.Action:  # noqa: ANN401 (as in argparse)
        kind = options.get("type")
        if metavar := "FILE" if kind in (Path, output_path) else getattr(kind, "metavar", None):
            options.setdefault("metavar", metavar)
        if options.get("default") and "action" not in options:
            options["help"] += " (default: %(default)s)"
        return super().add_argument(*names, **options)

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see '{self.prog} --help'")


def main(line: Sequence[str] | None = None) -> int:
    """Run the command line `line`, or this process's own command line if `line` is None.

    Return the exit status: 0 for success, 1 for an interruption or a failed check, 2 for bad input.
    """
    # SIGTERM, which `kill` sends, must end a long run in the same way as Ctrl-C.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        args = _parse_line(sys.argv[1:] if line is None else line)
        status = args.run(args) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (InputError, OSError) as error:
        print(f"tuning: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("tuning: interrupted; run the same command again to continue from the disk", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGTERM, before)


def _parse_line(line: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="tuning", description="Measures and tunes the engine Quiver, and plots the results.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, about in COMMANDS.items():
        command = commands.add_parser(name, help=about)
        # Only the module of the given command is loaded, so that `plot` does not import Optuna.
        if name in line[:1]:
            module = importlib.import_module(f"tuning.commands.{name.replace('-', '_')}")
            command.description = module.__doc__
            module.add_options(command)
            command.set_defaults(run=module.run)
    return parser.parse_args(line)
