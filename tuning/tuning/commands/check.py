"""Checks the checksums of an archive, and plays its games again if they are repeatable.

Games are repeatable if their players are built-in, with fixed playouts and one thread. The engine
of --engine, or of the archive's commit, repeats them. Exit status 1 means that a repeated game has
other moves.
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
from tuning.commands.archive import GAMES_FOLDER, RESULT_FILE
from tuning.errors import InputError, reading
from tuning.experiments import experiment_of
from tuning.matches.engine import Engine, engine_of
from tuning.matches.executor import LocalExecutor, all_cores
from tuning.measure import Runner, digest_of
from tuning.results import read_result

REPEATABLE_FIELDS = ("start", "opening", "moves", "winner", "reason", "playouts")
"""Fields of a game's record that are equal on all machines if the game is repeatable."""


def add_options(command: Parser) -> None:
    command.add_argument("archive", type=Path, metavar="ARCHIVE", help="a file that 'tuning archive' wrote")
    options.add_engine(command, "the engine of the archive's commit")
    command.add_argument("--workers", type=options.COUNT, default=all_cores(), help="simultaneous games")


def run(args: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = "an archive that 'tuning archive' wrote"
        with reading(args.archive, expected, tarfile.TarError, LZMAError), tarfile.open(args.archive) as file:
            file.extractall(folder, filter="data")
        result = read_result(folder / RESULT_FILE)
        if "definition" not in result:
            raise InputError(f"{args.archive}: expected a {RESULT_FILE} that 'tuning measure' wrote in it")
        if result["records"] and digest_of(folder / GAMES_FOLDER) != result["records"]:
            raise InputError(
                f"{args.archive}: the checksum of its games is wrong, expected the one in its {RESULT_FILE}"
            )
        experiment = experiment_of(result["definition"])
        print(f"{experiment.name}: checksums are right; measured {result['date']} on {result['machine']}")
        if not experiment.is_repeatable:
            print("not replayed: this result depends on time, threads, other programs or commands")
            return 0
        commit = result["engine"]["commit"]
        engine = Engine.find(args.engine) if args.engine else engine_of(commit)
        play = engine.checksums(experiment.board)
        if play != result["play"]:
            raise InputError(f"{engine.path}: checksums {play}, expected the archive's, {result['play']}")
        Runner(engine, lambda programs, _: LocalExecutor(programs, args.workers), folder).run(experiment)
        first, second = games_of(folder / GAMES_FOLDER), games_of(next(folder.glob("measure/*/games")))
        # Compare only games that both runs have. A run with more workers may begin more batches
        # before a match ends.
        both = first.keys() & second.keys()
        same = sum(first[name] == second[name] for name in both)
        print(f"{same} of {len(both)} games are the same, move by move and playout by playout")
        return 0 if same == len(both) > 0 else 1


def games_of(folder: Path) -> dict[tuple[str, int], list[Any]]:
    """Return the `REPEATABLE_FIELDS` of each game in a folder, by the game's file and number."""
    games = {}
    for record in folder.rglob("*.jsonl"):
        for line in record.read_text(encoding="utf-8").splitlines()[1:]:
            game = json.loads(line)
            games[str(record.relative_to(folder)), game["game"]] = [
                game.get(name) for name in REPEATABLE_FIELDS
            ]
    return games
