"""Packs a result of an experiment for a paper, with its games, parameters and environment."""

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
from tuning.experiments import Experiment, experiments_named, read_experiments
from tuning.matches.engine import Engine
from tuning.matches.progress import print_message
from tuning.measure import digest_of
from tuning.provenance import ROOT, STATES_DIR, machine
from tuning.results import read_result

RESULT_FILE, ABOUT_FILE, GAMES_FOLDER = "result.json", "about.json", "games"


def add_options(command: Parser) -> None:
    command.add_argument("name", metavar="NAME", help="an experiment, or one board of it, as in playouts-8")
    options.add_measurement_options(command)
    command.add_argument("--out", type=Path, help="the archive to write (default: target/tuning/NAME.tar.xz)")


def run(args: argparse.Namespace) -> None:
    measured = [e for e in read_experiments(args.experiments) if not e.made_by]
    named = experiments_named(measured, [args.name])
    if args.out and len(named) > 1:
        names = ", ".join(experiment.name for experiment in named)
        raise InputError(f"--out {args.out} for {names}: expected the name of one of them, or no --out")
    for experiment in named:
        _pack(args, experiment, args.out or STATES_DIR / f"{experiment.name}.tar.xz")


def _pack(args: argparse.Namespace, experiment: Experiment, out: Path) -> None:
    path = options.results_of(args) / f"{experiment.name}.json"
    result = read_result(path)
    if result.get("key") != experiment.definition_hash:
        raise InputError(
            f"{path}: no result of the current definition, expected one by: measure --only {experiment.name}"
        )
    played = (args.state / "measure").glob(f"{experiment.name}-{experiment.definition_hash[:6]}-*/games")
    games = next((path for path in played if digest_of(path) == result["records"]), None)
    if result["records"] and not games:
        raise InputError(f"{args.state}: no games with the checksum in {path}, expected its games")
    # The state folder of a match also holds the engine that played its games.
    engine = Engine.find(args.engine or (games.parent / "engine" if games and experiment.is_match else None))
    try:
        compiler = subprocess.check_output(["rustc", "--version"], text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        compiler = "unknown"
    about = {
        "parameters": {p.name: p.default for p in engine.parameters(experiment.board).values()},
        "machine": machine(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "compiler": compiler,
        "packages": (ROOT / "tuning" / "requirements.lock").read_text(encoding="utf-8").splitlines(),
    }
    text = json.dumps(about, indent=1).encode()
    entry = tarfile.TarInfo(ABOUT_FILE)
    entry.size = len(text)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(out, "w:xz") as file:
        file.add(path, RESULT_FILE)
        file.addfile(entry, BytesIO(text))
        if games:
            file.add(games, GAMES_FOLDER)
    print_message(f"packed {out}; 'tuning check {out.name}' replays it on any machine")
