"""Packs a result for a paper: its JSON, the records of its games, parameters, the engine's commit, the environment."""

import argparse
import json
import platform
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

from tuning.command import Parser
from tuning.commands import options
from tuning.errors import InputError
from tuning.experiments import Experiment, chosen, read_experiments
from tuning.matches.engine import Engine
from tuning.matches.progress import say
from tuning.measure import digest_of
from tuning.provenance import ROOT, STATES, machine
from tuning.results import read_result

RESULT, ABOUT, GAMES = "result.json", "about.json", "games"
"""The parts of an archive."""


def add_options(command: Parser) -> None:
    command.add_argument("name", metavar="NAME", help="an experiment, or one board of it, such as playouts-8")
    options.add_list_options(command)
    command.add_argument("--out", type=Path, help="the archive to write (default: target/tuning/NAME.tar.xz)")


def run(args: argparse.Namespace) -> None:
    measured = [one for one in read_experiments(args.experiments) if not one.made_by]
    named = chosen(measured, [args.name])
    if args.out and len(named) > 1:
        names = ", ".join(one.name for one in named)
        raise InputError(f"--out {args.out} for {names}: expected one of them, or no --out")
    for experiment in named:
        _pack(args, experiment, args.out or STATES / f"{experiment.name}.tar.xz")


def _pack(args: argparse.Namespace, experiment: Experiment, out: Path) -> None:
    path = options.results_of(args) / f"{experiment.name}.json"
    result = read_result(path)
    if result.get("key") != experiment.key:
        raise InputError(
            f"{path}: no result of this experiment, expected one: measure --only {experiment.name}"
        )
    played = (args.state / "measure").glob(f"{experiment.name}-{experiment.key[:6]}-*/games")
    games = next((one for one in played if digest_of(one) == result["records"]), None)
    if result["records"] and not games:
        raise InputError(f"{args.state}: no games of {path}, expected those that were played for it")
    # Beside the games of matches is the engine that played them.
    engine = Engine.find(args.engine or (games.parent / "engine" if games and experiment.is_match else None))
    try:
        compiler = subprocess.check_output(["rustc", "--version"], text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        compiler = "unknown"
    about = {
        "parameters": {one.name: one.default for one in engine.parameters(experiment.board).values()},
        "machine": machine(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "compiler": compiler,
        "packages": (ROOT / "tuning" / "requirements.lock").read_text(encoding="utf-8").splitlines(),
    }
    text = json.dumps(about, indent=1).encode()
    entry = tarfile.TarInfo(ABOUT)
    entry.size = len(text)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(out, "w:xz") as file:
        file.add(path, RESULT)
        file.addfile(entry, BytesIO(text))
        if games:
            file.add(games, GAMES)
    say(f"packed {out}; 'tuning check {out.name}' replays it on any machine")
