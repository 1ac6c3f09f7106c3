"""Plays self-play games for 'fit-weights' by `quiver selfplay`, on this machine or a cluster.

Each file of games has its own seed. 'quiver features --games' reads the files. If the command is
run again, it keeps the games that are already in the files.
"""

import argparse

from tuning.command import Parser
from tuning.commands import options
from tuning.matches.batch import OUTPUT_PATH
from tuning.matches.engine import Engine
from tuning.matches.progress import Progress, print_message
from tuning.matches.worker import Job


def add_options(command: Parser) -> None:
    add = command.add_argument
    add("--games", type=options.COUNT, required=True, help="total number of games in all files")
    add("--playouts", type=options.COUNT, required=True, help="playouts of each search")
    rate, about = (
        options.number_parser(float, 0, 1, "RATE"),
        "probability of a random move in place of the search's",
    )
    add("--blunders", type=rate, help=f"{about} (default: the engine's)")
    options.add_engine(command)
    options.add_common_options(command, 200)


def run(args: argparse.Namespace) -> None:
    words = ["selfplay", "--board", str(args.board), "--playouts", str(args.playouts), "--out", OUTPUT_PATH]
    if args.blunders is not None:
        words += ["--blunders", f"{args.blunders:g}"]
    for text in args.set:
        words += ["--set", text]
    asked = {name: getattr(args, name) for name in ("board", "seed", "batch", "playouts", "blunders", "set")}
    with options.open_run(args, Engine.find(args.engine), {"kind": "self-play"} | asked) as (state, executor):
        jobs, left, progress = {}, args.games, Progress(args.games)
        for number in range(-(-args.games // args.batch)):
            games = min(args.batch, args.games - number * args.batch)
            seed = ["--games", str(games), "--seed", str((args.seed << 20) + number)]
            file = state.folder / "games" / f"{number:04d}.jsonl"
            # A file has a line for its settings and a line for each game.
            if file.is_file() and file.read_bytes().count(b"\n") > games:
                left -= games
            else:
                jobs[Job((*words, *seed), file)] = games
        for job, _ in executor.run_jobs(jobs):
            left -= jobs[job]
            progress.update(left, f"{args.games - left:,} of {args.games:,} games")
        print_message(f"to make rows of the games: quiver features --games {state.folder / 'games'}/*")
