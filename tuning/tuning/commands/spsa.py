"""Tunes parameters by SPSA: two perturbed settings play each other, and the better one pulls.

The gains are the standard ones, with the listing's step as the last perturbation of each parameter.
"""

import argparse

from tuning.commands import options, tuners
from tuning.errors import InputError
from tuning.matches.batch import Batch, spoken
from tuning.matches.engine import Engine
from tuning.matches.progress import Countdown, say
from tuning.matches.series import play_batches
from tuning.tuners.knobs import described, read_knobs
from tuning.tuners.spsa import Spsa
from tuning.tuners.tables import Found, report


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    tuners.add_options(command)
    add = command.add_argument
    add("--per-step", type=int, default=2, metavar="N", help="batches at one place, played at a time")
    add("--r-end", type=float, default=0.01, metavar="R", help="the last gain: of a perturbation, for a game")


def run(args: argparse.Namespace) -> None:
    """Tune, confirm and report; what has been played is played through from disk."""
    engine = Engine.find(args.engine)
    terms = options.terms(args, engine)
    knobs = read_knobs(engine.parameters(terms.board), args.param, terms.common)
    tuners.checked(args)
    if args.per_step < 1 or not 0 < args.r_end < 1:
        raise InputError(
            f"--per-step {args.per_step}, --r-end {args.r_end}: expected from 1, and between 0 and 1"
        )
    steps = max(round(args.games / (args.batch * args.per_step)), 1)
    spsa = Spsa(knobs, steps, args.per_step, args.r_end, terms.seed)
    name = f"spsa-{terms.board}x{terms.board}"
    gains = {"knobs": described(knobs), "steps": steps, "per_step": args.per_step, "r_end": args.r_end}
    about = options.about("spsa", terms, args.batch, **tuners.fields(args), **gains)
    with options.working(args, engine, name, about) as (state, executor):
        folder = options.report_to(args, name, state)
        place = spsa.start()
        courses = {knob.name: ([0.0], [knob.start]) for knob in knobs}
        countdown = Countdown(steps * args.per_step * args.batch)
        for step in range(1, steps + 1):
            questions = spsa.questions(place, step)
            batches = [
                Batch(
                    options.limited(args, one.plus),
                    options.limited(args, one.minus),
                    terms,
                    args.batch,
                    one.number,
                )
                for one in questions
            ]
            fresh = not all(state.path("spsa", batch.number).exists() for batch in batches)
            answers = play_batches("spsa", batches, state, executor)
            place = spsa.moved(place, step, questions, [answer.standing for answer in answers])
            games = step * args.per_step * args.batch
            for knob, value in zip(knobs, place.tolist(), strict=True):
                courses[knob.name][0].append(games)
                courses[knob.name][1].append(value)
            where = ", ".join(
                f"{knob.name} {value:.3g}" for knob, value in zip(knobs, place.tolist(), strict=True)
            )
            countdown.at(games, where, fresh)
        values = {
            knob.name: float(knob.parameter.text(value))
            for knob, value in zip(knobs, place.tolist(), strict=True)
        }
        say(f"SPSA ends at {', '.join(f'{name} = {value:g}' for name, value in values.items())}")
        confirmation = tuners.decide(args, values, terms, state, executor)
        limit = spoken(options.limited(args), terms)
        lines = [
            f"SPSA: {steps} steps of {args.per_step} x {args.batch} games at {limit} a move, r_end {args.r_end:g}"
        ]
        title = f"SPSA of {len(knobs)} parameters, {terms.board}x{terms.board}"
        found = Found(title, lines, knobs, values, courses, lined=True)
        report(folder, found, confirmation, state, terms, executor.place)
