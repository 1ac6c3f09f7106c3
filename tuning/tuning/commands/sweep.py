"""Plays each value of a parameter, or each pair of values of two, against the defaults."""

import argparse

from tuning.commands import options
from tuning.experiments.sweep import draw_up
from tuning.experiments.tables import report_sweep
from tuning.matches.batch import spoken
from tuning.matches.engine import Engine
from tuning.matches.parameters import read_values
from tuning.matches.progress import Progress, say
from tuning.matches.series import Series, play


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    command.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=A,B,...",
        help="a parameter and its values; twice for a heat map of two",
    )
    options.add_limit_options(command)
    options.add_stop_options(command, 200, 2000)
    options.add_game_options(command)


def run(args: argparse.Namespace) -> None:
    """Play what is missing, and report."""
    engine = Engine.find(args.engine)
    terms = options.terms(args, engine)
    table = engine.parameters(terms.board)
    asked = [read_values(table, text) for text in args.param]
    limit = options.limited(args)
    sweep = draw_up(asked, limit, options.stop(args), args.batch)
    names = "-".join(parameter.name for parameter in sweep.parameters)
    name = f"sweep-{names}-{terms.board}x{terms.board}"
    about = options.about("sweep", terms, args.batch, playouts=args.playouts, time=args.time)
    with options.working(args, engine, name, about) as (state, executor):
        report = options.report_to(args, name, state)

        def tell(_: Series | None = None) -> None:
            report_sweep(report, sweep, spoken(limit, terms), state, terms, executor.place)
            options.summarise(state, list(sweep.cells.values()))

        try:
            play(list(sweep.cells.values()), terms, state, executor, Progress(), tell)
        finally:
            # An interrupted run also writes a report of its games so far.
            tell()
            say(f"report in {report / 'report.md'}")
