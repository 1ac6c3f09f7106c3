"""Plays self-play games for 'fit-weights' by `quiver selfplay`, on this machine or a cluster.

Each folder of games has a seed of its own; 'quiver features --games' reads the folders. Existing games are kept.
"""

import argparse
from concurrent.futures import Future
from pathlib import Path

from tuning.commands import options
from tuning.errors import InputError
from tuning.matches.batch import OUTPUT
from tuning.matches.engine import Engine
from tuning.matches.executor import Job
from tuning.matches.progress import Countdown, say


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = command.add_argument
    add("--games", type=int, required=True, metavar="N", help="games that the folders hold at the end")
    add("--playouts", type=int, required=True, metavar="N", help="playouts of each search")
    add(
        "--blunders",
        type=float,
        metavar="RATE",
        help="the chance that a random move replaces the search's (default: the engine's)",
    )
    options.add_common_options(command, 200)


def run(args: argparse.Namespace) -> None:
    """Play what is missing."""
    engine = Engine.find(args.engine)
    if args.games < 1 or args.playouts < 1 or args.batch < 1 or args.seed < 0:
        raise InputError("--games, --playouts, --batch, --seed: expected from 1, and a seed from 0")
    words = ["selfplay", "--board", str(args.board), "--playouts", str(args.playouts), "--out", OUTPUT]
    if args.blunders is not None:
        words += ["--blunders", f"{args.blunders:g}"]
    for text in args.set:
        words += ["--set", text]
    about = {"kind": "selfplay", "board": args.board, "seed": args.seed, "batch": args.batch}
    about |= {"playouts": args.playouts, "blunders": args.blunders, "set": args.set}
    with options.working(args, engine, f"selfplay-{args.board}x{args.board}", about) as (state, executor):
        playing: list[tuple[int, Path, Future[None] | None]] = []
        for number in range(-(-args.games // args.batch)):
            games = min(args.batch, args.games - number * args.batch)
            # Only the engine can count the games of a folder; a file beside it notes that all are there.
            note = state.folder / "whole" / f"{number:04d}-{games}"
            seed = ["--games", str(games), "--seed", str((args.seed << 20) + number)]
            job = Job((*words, *seed), state.folder / "games" / f"{number:04d}")
            playing.append((games, note, None if note.exists() else executor.submit(job)))
        countdown, done = Countdown(args.games), 0
        for games, note, future in playing:
            if future is not None:
                future.result()
                note.parent.mkdir(exist_ok=True)
                note.touch()
            done += games
            countdown.at(done, note.name, future is not None)
        say(f"quiver features --games {state.folder / 'games'}/* reads them")
