"""Draws the Elo of a doubling over a chain of playouts or times, as measured; the name of the file says the form.

SVG needs nothing more; PDF and PNG need matplotlib.
"""

import argparse
from pathlib import Path

from tuning.command import Parser, output
from tuning.errors import InputError
from tuning.files import replace
from tuning.matches.progress import say
from tuning.pages import curve
from tuning.plot import plot, plot_for_print
from tuning.results import RESULTS


def add_options(command: Parser) -> None:
    add = command.add_argument
    add("name", metavar="NAME", help="an experiment without its board, such as playouts")
    add("file", type=output, help="the picture to write: .svg, .pdf or .png")
    add("--results", type=Path, default=RESULTS, metavar="DIR", help="the folder of results")


def run(args: argparse.Namespace) -> None:
    form = args.file.suffix.removeprefix(".").lower()
    if form not in ("svg", "pdf", "png"):
        raise InputError(f"{args.file}: expected a name that ends with .svg, .pdf or .png")
    across, lines = curve(args.name, args.results)
    words = ("Elo of a doubling", across, "Elo", lines)
    content = plot(*words, logarithmic=True).encode() if form == "svg" else plot_for_print(form, *words)
    replace(args.file, content)
    say(f"drew {args.file}")
