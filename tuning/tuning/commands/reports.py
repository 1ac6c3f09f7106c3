"""Lists all experiments with the state of their results; the exit status is 1 if one is stale or missing.

A result is stale if the play of its board has changed since, as 'quiver bench --signature --board N' tells it; that of
a fit, if its weights or network have.
"""

import argparse

from tuning.command import Parser
from tuning.commands import options
from tuning.experiments import LIST, read_experiments
from tuning.matches.engine import Engine
from tuning.matches.progress import say
from tuning.pages import write_pages
from tuning.results import RESULTS, judge, read_result


def add_options(command: Parser) -> None:
    options.add_engine(command)
    about = "only render the pages and the table of the README"
    command.add_argument("--write", action="store_true", help=about)


def run(args: argparse.Namespace) -> int:
    if args.write:
        write_pages()
        return 0
    engine, behind = Engine.find(args.engine), 0
    for experiment in read_experiments(LIST):
        result = read_result(RESULTS / f"{experiment.name}.json")
        state, cause = judge(experiment, result, engine)
        commit = f", commit {str(result['engine']['commit'])[:7]}" if result else ""
        renewal = f"; renewed by {experiment.made_by}" if experiment.made_by and state != "current" else ""
        behind += state != "current"
        print(f"{experiment.name:16} {state:8} {cause}{commit}{renewal}")
    if behind:
        say(f"{behind} to renew: tuning/python -m tuning measure")
    return 1 if behind else 0
