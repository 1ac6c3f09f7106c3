"""Packs a result for a paper: its JSON, the records of its games, parameters, the engine's commit, the environment."""

import argparse
from pathlib import Path

from tuning.archive import pack
from tuning.command import Parser
from tuning.commands import options
from tuning.errors import InputError
from tuning.experiments import chosen, read_experiments
from tuning.matches.engine import Engine
from tuning.matches.progress import say
from tuning.measure import digest_of, state_folder
from tuning.provenance import STATES
from tuning.results import read_result


def add_options(command: Parser) -> None:
    command.add_argument("name", metavar="NAME", help="an experiment with its board, such as playouts-8")
    options.add_list_options(command)
    command.add_argument("--out", type=Path, help="the archive to write (default: target/tuning/NAME.tar.xz)")


def run(args: argparse.Namespace) -> None:
    engine = Engine.find(args.engine)
    experiment = chosen(read_experiments(args.experiments), [args.name])[0]
    path = options.results_of(args) / f"{experiment.name}.json"
    result = read_result(path)
    if result is None or result.get("key") != experiment.key:
        raise InputError(
            f"{path}: no result of this experiment, expected one: measure --only {experiment.name}"
        )
    games = state_folder(args.state, experiment, engine) / "games" if result["records"] else None
    if games and (not games.is_dir() or digest_of(games) != result["records"]):
        raise InputError(f"{games}: not the games of {path}, expected those that this engine played for it")
    out = args.out or STATES / f"{experiment.name}.tar.xz"
    pack(path, games, engine, experiment.board, out)
    say(f"packed {out}; 'tuning check {out.name}' replays it on any machine")
