"""Tunes parameters by SPSA: two perturbed settings play, and values move towards the winner.

Perturbations and gains shrink with each batch, as Spall proposed. In the last batch, a parameter is
perturbed by its step in `quiver params`, and a won game moves it by --r-end times this step.
"""

import argparse

from tuning.command import Parser
from tuning.commands import options, tuners
from tuning.matches.progress import print_message
from tuning.tuners.spsa import Spsa, max_batches_in_flight


def add_options(command: Parser) -> None:
    tuners.add_options(command)
    most = "largest number of batches in flight (default: computed from --games, --batch and --r-end)"
    command.add_argument("--most-open", type=options.COUNT, metavar="LAG", help=most)
    gain, about = (
        options.number_parser(float, 1e-6, 0.999, "R"),
        "a game won in the last batch moves a parameter by R times its step",
    )
    command.add_argument("--r-end", type=gain, default=0.01, help=about)


def run(args: argparse.Namespace) -> None:
    tuning = tuners.Tuning(args)
    steps = -(-args.games // args.batch)
    lag = args.most_open or max_batches_in_flight(steps, args.r_end, args.batch)
    spsa = Spsa(tuning.parameters, steps, args.r_end, tuning.batch, lag)
    chance, slope = spsa.chance_drift
    print_message(
        f"in {steps * args.batch:,} games noise alone moves a parameter by up to {chance:.2g} of its steps (95 %); "
        f"only a slope of more than {slope:.2g} Elo a step moves it further"
    )
    for parameter in tuning.parameters:
        moved, start = chance * parameter.step, parameter.text(parameter.default)
        print_message(f"{parameter.name}: up to {moved:.2g} from {start} may be noise")
    with tuning.open_run("spsa", steps=steps, r_end=args.r_end, lag=lag):
        tuning.play(spsa)
        print_message(
            f"SPSA ends at {', '.join(f'{name} = {value:g}' for name, value in spsa.values.items())}"
        )
        batches = f"{steps:,} batch{'es' if steps != 1 else ''} of {args.batch} games"
        lines = [
            f"SPSA: {batches} at {tuning.batch.limit_text} a move, {lag} in flight, r_end {args.r_end:g}"
        ]
        course = [
            [number * args.batch, *point.round(6).tolist()] for number, point in enumerate(spsa.iterates)
        ]
        tuning.confirm_and_write(lines, spsa.values, course)
