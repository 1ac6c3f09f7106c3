"""Checks an archive: its checksums, and its games, which are played again where fixed playouts decide them.

The engine of the archive's commit is built unless --engine names one. The exit status is 1 if a game differs.
"""

import argparse
import json
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from lzma import LZMAError
from pathlib import Path
from typing import Any

from tuning.command import Parser
from tuning.commands import options
from tuning.commands.archive import GAMES, RESULT
from tuning.errors import InputError, reading
from tuning.experiments import Experiment, experiment_of
from tuning.matches.engine import Engine, engine_of
from tuning.matches.executor import Executor, Job, LocalExecutor, all_cores
from tuning.matches.progress import say
from tuning.measure import digest_of, series_of
from tuning.provenance import STATES
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
        result = _unpacked(args.archive, folder)
        experiment = experiment_of(result["definition"])
        print(f"{experiment.name}: checksums hold; measured {result['date']} on {result['machine']}")
        if not experiment.is_repeatable:
            print("not replayed: time, threads, another engine or commands decide this result")
            return 0
        commit = result["engine"]["commit"]
        engine = Engine.find(args.engine) if args.engine else engine_of(commit, STATES / "engines")
        play = engine.play(experiment.board)
        if play != result["play"]:
            raise InputError(f"{engine.path}: it plays as {play}, expected an engine of {result['play']}")
        say(f"replays the games on {args.workers} cores")
        with closing(LocalExecutor(engine, args.workers)) as executor:
            same, games = map(sum, zip(*_replayed(experiment, folder, engine, executor), strict=True))
        print(f"{same} of {games} games are the same, move by move and playout by playout")
        return 0 if same == games else 1


def _unpacked(archive: Path, folder: Path) -> dict[str, Any]:
    """Unpack an archive, and return its result; refuse one whose records are others than the result's."""
    expected = "an archive of 'tuning archive'"
    with reading(archive, expected, tarfile.TarError, LZMAError), tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    result = read_result(folder / RESULT)
    if result is None or "definition" not in result:
        raise InputError(f"{archive}: no {RESULT} of 'tuning measure' in it, expected one")
    if result["records"] and digest_of(folder / GAMES) != result["records"]:
        raise InputError(f"{archive}: its games have another checksum than its result, expected the same")
    return result


def _replayed(
    experiment: Experiment, folder: Path, engine: Engine, executor: Executor
) -> Iterator[tuple[int, int]]:
    """Play the batches of an archive again; yield for each how many of its games are the same, and how many it has."""
    jobs = []
    for series in series_of(experiment, engine):
        name = series.first.series
        for record in sorted((folder / GAMES / name).glob("*.jsonl")):
            again = folder / "again" / name / record.name
            job = Job(series.batch(int(record.stem)).command(), again)
            jobs.append((record, again, executor.submit(job)))
    for record, again, future in jobs:
        future.result()
        first, second = games_of(record), games_of(again)
        yield sum(game == second.get(number) for number, game in first.items()), len(first)


def games_of(record: Path) -> dict[int, list[Any]]:
    """Return what is repeated of each game of a record, by its number."""
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()[1:]]
    return {game["game"]: [game.get(name) for name in REPEATED] for game in lines}
