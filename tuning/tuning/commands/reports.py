"""Lists all experiments, and whether their results are current, stale or missing.

A result is stale if the current engine plays differently on its board, as shown by 'quiver bench
--signature'. The result of a fit is stale if the engine now has other weights or another network.
The exit status is 1 if a result is stale or missing.
"""

import argparse

from tuning.command import Parser
from tuning.commands import options
from tuning.experiments import EXPERIMENTS, read_experiments
from tuning.matches.engine import Engine
from tuning.matches.progress import print_message
from tuning.pages import write_reports
from tuning.results import RESULTS, read_result, result_status


def add_options(command: Parser) -> None:
    options.add_engine(command)
    about = "only render the reports and the results table of the README"
    command.add_argument("--write", action="store_true", help=about)


def run(args: argparse.Namespace) -> int:
    if args.write:
        write_reports()
        return 0
    engine, behind = Engine.find(args.engine), 0
    for experiment in read_experiments(EXPERIMENTS):
        result = read_result(RESULTS / f"{experiment.name}.json")
        state, cause = result_status(experiment, result, engine)
        commit = f", commit {str(result['engine']['commit'])[:7]}" if result else ""
        renewal = f"; renewed by {experiment.made_by}" if experiment.made_by and state != "current" else ""
        behind += state != "current"
        print(f"{experiment.name:16} {state:8} {cause}{commit}{renewal}")
    if behind:
        print_message(f"{behind} results are not current; to renew them: tuning/python -m tuning measure")
    return 1 if behind else 0
