"""Checks an archive: its checksums, and its games, which are played again where fixed playouts decide them.

The engine of the archive's commit is built unless --engine names one. The exit status is 1 if a game differs.
"""

import argparse
import tempfile
from contextlib import closing
from pathlib import Path

from tuning.archive import replayed, unpack
from tuning.command import Parser
from tuning.commands import options
from tuning.errors import InputError
from tuning.experiments import experiment_of
from tuning.matches.engine import Engine, version
from tuning.matches.executor import LocalExecutor, all_cores
from tuning.matches.progress import say
from tuning.provenance import STATES


def add_options(command: Parser) -> None:
    command.add_argument("archive", type=Path, metavar="ARCHIVE", help="a file of 'tuning archive'")
    options.add_engine(command, "that of the archive's commit")
    command.add_argument("--workers", type=options.COUNT, default=all_cores(), help="games at a time")


def run(args: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = unpack(args.archive, folder)
        experiment = experiment_of(result["definition"])
        print(f"{experiment.name}: checksums hold; measured {result['date']} on {result['machine']}")
        if not experiment.is_repeatable:
            print("not replayed: time, threads, another engine or commands decide this result")
            return 0
        commit = result["engine"]["commit"]
        engine = Engine.find(args.engine) if args.engine else version(commit, STATES / "engines").engine
        play = engine.play(experiment.board)
        if play != result["play"]:
            raise InputError(f"{engine.path}: it plays as {play}, expected an engine of {result['play']}")
        say(f"replays the games on {args.workers} cores")
        with closing(LocalExecutor(engine, args.workers)) as executor:
            same, games = map(sum, zip(*replayed(experiment, folder, engine, executor), strict=True))
        print(f"{same} of {games} games are the same, move by move and playout by playout")
        return 0 if same == games else 1
