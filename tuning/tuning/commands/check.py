"""Checks an archive: its checksums, and its games, which are played again where fixed playouts decide them.

The engine of the archive's commit is built unless --engine names one. The exit status is 1 if a game differs.
"""

import argparse
import tempfile
from contextlib import closing
from pathlib import Path

from tuning.archive import is_repeatable, replayed, unpack
from tuning.commands import options
from tuning.errors import InputError
from tuning.experiments import experiment_of
from tuning.matches.build import version
from tuning.matches.engine import Engine
from tuning.matches.executor import LocalExecutor, all_cores
from tuning.matches.progress import say
from tuning.provenance import STATES


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = command.add_argument
    add("archive", type=Path, metavar="ARCHIVE", help="a file of 'tuning archive'")
    options.add_engine(command, "that of the archive's commit")
    add("--workers", type=int, default=all_cores(), metavar="N", help="games at a time")


def run(args: argparse.Namespace) -> int:
    """Check everything; return the exit status."""
    if args.workers < 1:
        raise InputError(f"--workers {args.workers}: expected at least 1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = unpack(args.archive, folder)
        experiment = experiment_of(result["definition"])
        print(f"{experiment.name}: checksums hold; measured {result['date']} on {result['machine']}")
        if not is_repeatable(experiment):
            print("not replayed: time, threads, another engine or commands decide this result")
            return 0
        engine = (
            Engine.find(args.engine)
            if args.engine
            else version(result["engine"]["commit"], STATES / "engines").engine
        )
        play = engine.play(experiment.board)
        if play != result["play"]:
            raise InputError(f"{engine.path}: it plays as {play}, expected an engine of {result['play']}")
        say(f"replays the games on {args.workers} cores")
        same = games = 0
        with closing(LocalExecutor(engine, args.workers)) as executor:
            for equal, count in replayed(result, folder, engine, executor):
                same, games = same + equal, games + count
        print(f"{same} of {games} games are the same, move by move and playout by playout")
        return 0 if same == games else 1
