"""Lists all experiments with the state of their results; the exit status is 1 if one is stale or missing.

A result is stale if the play of its board has changed since, as 'quiver bench --signature --board N' tells it; that of
a fit, if its weights or network have.
"""

import argparse

from tuning.commands import options
from tuning.experiments import LIST, read_experiments
from tuning.matches.engine import Engine
from tuning.matches.progress import say
from tuning.pages import write_pages
from tuning.results import RESULTS, judge, read_result


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_engine(command)
    command.add_argument(
        "--write", action="store_true", help="only render the pages and the table of the README"
    )


def run(args: argparse.Namespace) -> int:
    """Print a line for each experiment, or render the pages; return the exit status."""
    if args.write:
        for path in write_pages():
            say(f"rendered {path}")
        return 0
    engine, behind = Engine.find(args.engine), 0
    for experiment in read_experiments(LIST):
        result = read_result(RESULTS / f"{experiment.name}.json")
        verdict = judge(experiment, result, engine)
        behind += verdict.state != "current"
        commit = f", commit {str(result['engine']['commit'])[:7]}" if result else ""
        renewal = (
            f"; renewed by {experiment.made_by}" if experiment.made_by and verdict.state != "current" else ""
        )
        print(f"{experiment.name:16} {verdict.state:8} {verdict.cause}{commit}{renewal}")
    if behind:
        say(f"{behind} to renew: tuning/python -m tuning measure")
    return 1 if behind else 0
