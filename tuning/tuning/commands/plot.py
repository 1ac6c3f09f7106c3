"""Draws the result of an experiment as a curve, in the format that the file name's extension says.

For a chain of players, the curve shows each player's Elo above the first player. Without a chain,
each match gives a point: a player's Elo above the opponent, at the player's value of the setting in
which the two differ. Error bars are 95 % intervals.
"""

import argparse

from tuning.command import Parser, output_path
from tuning.commands import options
from tuning.curves import PICTURE_FORMATS, picture_of
from tuning.errors import InputError
from tuning.experiments import experiments_named, read_experiments
from tuning.files import replace
from tuning.matches.progress import print_message
from tuning.results import read_result


def add_options(command: Parser) -> None:
    add = command.add_argument
    add("name", metavar="NAME", help="an experiment, as in playouts, or one board of it, as in playouts-8")
    add("file", type=output_path, help="the file to write, with the extension .svg, .pdf or .png")
    options.add_experiment_options(command)


def run(args: argparse.Namespace) -> None:
    form = args.file.suffix.removeprefix(".").lower()
    if form not in PICTURE_FORMATS:
        raise InputError(f"{args.file}: expected a file name that ends with .svg, .pdf or .png")
    listed = experiments_named(read_experiments(args.experiments), [args.name])
    folder = options.results_of(args)
    results = {f"{e.board}x{e.board}": read_result(folder / f"{e.name}.json") for e in listed}
    lines = {board: result["rows"] for board, result in results.items() if result}
    if not lines:
        files = ", ".join(f"{experiment.name}.json" for experiment in listed)
        raise InputError(f"{folder}: no {files}, expected a result by: measure --only {args.name}")
    question = listed[0].question or listed[0].name.rpartition("-")[0]
    replace(args.file, picture_of(question, lines).draw(form))
    print_message(f"drew {args.file}")
