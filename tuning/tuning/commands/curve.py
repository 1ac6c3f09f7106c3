"""Measures what playouts, time or threads are worth: each value plays the next, until errors are small enough."""

import argparse

from tuning.commands import options
from tuning.errors import InputError
from tuning.experiments.curve import Curve, draw_up, read_fewer, read_values
from tuning.experiments.tables import report_curve
from tuning.matches.engine import Engine
from tuning.matches.progress import Progress, say
from tuning.matches.series import Series, play


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    over = command.add_mutually_exclusive_group(required=True)
    doubling = "A..B doubles from A to B; or A,B,C"
    over.add_argument("--playouts", metavar="VALUES", help=f"playouts of a move: {doubling}")
    over.add_argument("--times", metavar="VALUES", help=f"seconds of a move: {doubling}")
    over.add_argument("--threads", metavar="VALUES", help=f"search threads, at --time: {doubling}")
    command.add_argument("--time", type=float, metavar="SECONDS", help="time of a move, for --threads")
    command.add_argument(
        "--fixed", type=float, metavar="VALUE", help="play each value against this one as well"
    )
    options.add_stop_options(command, 200, 2000)
    command.add_argument(
        "--games-from",
        metavar="VALUE=N",
        help="this many games are enough where the value or a greater one plays",
    )
    options.add_game_options(command)


def run(args: argparse.Namespace) -> None:
    """Play what is missing, and report."""
    engine = Engine.find(args.engine)
    curve = _curve(args)
    if curve.over == "threads":
        # Checked here, because a match would only report that its player did not start.
        engine.ask("uci", "--threads", f"{max(curve.values):.0f}")
    terms = options.terms(args, engine, "wall" if curve.over == "threads" else "cpu")
    name = f"curve-{curve.over}-{terms.board}x{terms.board}"
    with options.working(args, engine, name, options.about("curve", terms, args.batch)) as (state, executor):
        report = options.report_to(args, name, state)

        def tell(_: Series | None = None) -> None:
            report_curve(report, curve, state, terms, executor.place)
            options.summarise(state, curve.all_series)

        try:
            play(curve.all_series, terms, state, executor, Progress(), tell)
        finally:
            # An interrupted run also writes a report of its games so far.
            tell()
            say(f"report in {report / 'report.md'}")


def _curve(args: argparse.Namespace) -> Curve:
    texts = {"playouts": args.playouts, "time": args.times, "threads": args.threads}
    over, text = next((over, text) for over, text in texts.items() if text is not None)
    if (over == "threads") != (args.time is not None):
        raise InputError("expected --time SECONDS with --threads, and only there")
    values = read_values(text, over != "time")
    fewer = read_fewer(args.games_from) if args.games_from else None
    return draw_up(over, values, args.fixed, options.stop(args), args.batch, args.time, fewer)
