"""Checks an archive: its checksums, and its games, which are played again where fixed playouts decide them.

The engine of the archive's commit is built unless --engine names one. The exit status is 1 if a game differs.
"""

import argparse
import json
import tarfile
import tempfile
from lzma import LZMAError
from pathlib import Path
from typing import Any

from tuning.command import Parser
from tuning.commands import options
from tuning.commands.archive import GAMES, RESULT
from tuning.errors import InputError, reading
from tuning.experiments import experiment_of
from tuning.matches.engine import Engine, engine_of
from tuning.matches.executor import LocalExecutor, all_cores
from tuning.measure import Place, digest_of
from tuning.results import read_result

REPEATED = ("start", "opening", "moves", "winner", "reason", "playouts")
"""Fields of a game that are the same on any machine, at fixed playouts and one thread."""


def add_options(command: Parser) -> None:
    command.add_argument("archive", type=Path, metavar="ARCHIVE", help="a file of 'tuning archive'")
    options.add_engine(command, "that of the archive's commit")
    command.add_argument("--workers", type=options.COUNT, default=all_cores(), help="games at a time")


def run(args: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = "an archive of 'tuning archive'"
        with reading(args.archive, expected, tarfile.TarError, LZMAError), tarfile.open(args.archive) as file:
            file.extractall(folder, filter="data")
        result = read_result(folder / RESULT)
        if "definition" not in result:
            raise InputError(f"{args.archive}: no {RESULT} of 'tuning measure' in it, expected one")
        if result["records"] and digest_of(folder / GAMES) != result["records"]:
            raise InputError(
                f"{args.archive}: its games have another checksum than its result, expected the same"
            )
        experiment = experiment_of(result["definition"])
        print(f"{experiment.name}: checksums hold; measured {result['date']} on {result['machine']}")
        if not experiment.is_repeatable:
            print("not replayed: time, threads, another engine or commands decide this result")
            return 0
        commit = result["engine"]["commit"]
        engine = Engine.find(args.engine) if args.engine else engine_of(commit)
        play = engine.checksums(experiment.board)
        if play != result["play"]:
            raise InputError(f"{engine.path}: it plays as {play}, expected an engine of {result['play']}")
        Place(engine, lambda programs, _: LocalExecutor(programs, args.workers), folder).run(experiment)
        first, second = games_of(folder / GAMES), games_of(next(folder.glob("measure/*/games")))
        # Either run may have begun batches in vain before its error was small enough.
        both = first.keys() & second.keys()
        same = sum(first[name] == second[name] for name in both)
        print(f"{same} of {len(both)} games are the same, move by move and playout by playout")
        return 0 if same == len(both) > 0 else 1


def games_of(folder: Path) -> dict[tuple[str, int], list[Any]]:
    """Return what is repeated of each game of the records below a folder, by record and number."""
    found = {}
    for record in folder.rglob("*.jsonl"):
        for line in record.read_text(encoding="utf-8").splitlines()[1:]:
            game = json.loads(line)
            found[str(record.relative_to(folder)), game["game"]] = [game.get(name) for name in REPEATED]
    return found
