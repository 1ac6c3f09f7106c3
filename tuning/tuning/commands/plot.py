"""Draws an experiment as it was measured; the name of the file says the form.

A chain of players is drawn as Elo above the first of them, other matches as a sweep of the number in which the players
differ, with 95 % intervals.
"""

import argparse

from tuning.command import Parser, output
from tuning.commands import options
from tuning.curves import FORMS, picture_of
from tuning.errors import InputError
from tuning.experiments import chosen, read_experiments
from tuning.files import replace
from tuning.matches.progress import say
from tuning.results import read_result


def add_options(command: Parser) -> None:
    add = command.add_argument
    add(
        "name", metavar="NAME", help="an experiment, such as playouts, or one board of it, such as playouts-8"
    )
    add("file", type=output, help="the picture to write: .svg, .pdf or .png")
    options.add_list(command)


def run(args: argparse.Namespace) -> None:
    form = args.file.suffix.removeprefix(".").lower()
    if form not in FORMS:
        raise InputError(f"{args.file}: expected a name that ends with .svg, .pdf or .png")
    listed = chosen(read_experiments(args.experiments), [args.name])
    folder = options.results_of(args)
    read = {one: read_result(folder / f"{one.name}.json") for one in listed}
    found = {f"{one.board}x{one.board}": result["rows"] for one, result in read.items() if result}
    if not found:
        files = ", ".join(f"{one.name}.json" for one in listed)
        raise InputError(f"{folder}: no {files}, expected one: measure --only {args.name}")
    question = listed[0].question or listed[0].name.rpartition("-")[0]
    replace(args.file, picture_of(question, found).drawn(form))
    say(f"drew {args.file}")
