"""Tests a change: the engines of two commits play until a sequential test decides.

Each test has its own state folder, which also holds the result. After an interruption the same
command continues.
"""

import argparse

from tuning.command import Parser
from tuning.commands import options, tuners
from tuning.matches.engine import engine_of, unbuilt_engine_of
from tuning.matches.match import Match, play
from tuning.matches.progress import print_message


def add_options(command: Parser) -> None:
    add = command.add_argument
    add("--new", metavar="REF", required=True, help="the commit with the change, or the file of an engine")
    add("--old", metavar="REF", required=True, help="the commit to compare with, or the file of an engine")
    add("--max-games", type=options.number_parser(int, 2), default=40_000, help="largest number of games")
    options.add_game_options(command, "0,5")


def run(args: argparse.Namespace) -> None:
    for ref in (args.new, args.old):
        unbuilt_engine_of(ref)  # Refuses a bad --old before the build of --new.
    new, old = map(engine_of, (args.new, args.old))
    batch = options.batch_of(args, new)
    limit = f"{args.time:g}s" if args.playouts is None else args.playouts
    keys = "-".join((engine.commit or engine.digest)[:9] for engine in (new, old))
    asked = {"new": new.name, "old": old.name, "old_engine": old.digest}
    about = options.settings_of_run("sprt", args, batch, sprt=[args.sprt.elo0, args.sprt.elo1], **asked)
    name = f"sprt-{keys}-{{board}}x{{board}}-{limit}"
    with options.open_run(args, new, about, name, old=old.path) as (state, executor):
        a, b = (batch.a._replace(program=program) for program in ("engine", "old"))
        match = Match(batch._replace(a=a, b=b), 2, args.max_games, sprt=args.sprt)
        try:
            play([match], state, executor)
        finally:
            known = tuners.match_results(match, "the old engine")
            path = options.write_state_result(state, rows=[known])
        print_message(f"{known['said']}; faults ended {match.counted.faults} games; the result is in {path}")
