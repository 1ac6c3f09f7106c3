"""Tunes parameters by SPSA: two perturbed settings play each other, and the better one pulls.

The gains are the standard ones, with the listing's step as the last perturbation of each parameter.
"""

import argparse

from tuning.commands import options, tuners
from tuning.errors import InputError
from tuning.matches.batch import Batch, Terms, spoken
from tuning.matches.engine import Engine
from tuning.matches.executor import all_cores
from tuning.matches.progress import Countdown, say
from tuning.matches.record import Outcome
from tuning.matches.series import play_asked
from tuning.tuners.course import Course, most_open
from tuning.tuners.knobs import described, read_knobs
from tuning.tuners.spsa import Spsa
from tuning.tuners.tables import Found, report

SERIES = "spsa"
"""The series of the games."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    tuners.add_options(command)
    add = command.add_argument
    add(
        "--most-open",
        type=int,
        metavar="N",
        help="batches in flight, at most (default: this machine's cores, on a cluster more, as far as --games, "
        "--batch and --r-end allow)",
    )
    add("--r-end", type=float, default=0.01, metavar="R", help="the last gain: of a perturbation, for a game")


def run(args: argparse.Namespace) -> None:
    """Tune, confirm and report; games on disk are read instead of played."""
    engine = Engine.find(args.engine)
    terms = options.terms(args, engine)
    knobs = read_knobs(engine.parameters(terms.board), args.param, terms.common)
    tuners.checked(args)
    if (args.most_open is not None and args.most_open < 1) or not 0 < args.r_end < 1:
        raise InputError(
            f"--most-open {args.most_open}, --r-end {args.r_end}: expected from 1, and between 0 and 1"
        )
    spsa = Spsa(knobs, args.games // args.batch, args.r_end, terms.seed)
    name = f"spsa-{terms.board}x{terms.board}"
    most = most_open(spsa, args.batch)
    lag = args.most_open or (most if args.ray_address else min(most, all_cores()))
    gains = {"knobs": described(knobs), "steps": spsa.steps, "r_end": args.r_end, "lag": lag}
    about = options.about("spsa", terms, args.batch, **tuners.fields(args), **gains)
    with options.working(args, engine, name, about) as (state, executor):
        player = _Player(args, Course(spsa, lag), terms)
        play_asked(player, state, executor)
        place = player.course.places[-1]
        values = {
            knob.name: float(knob.parameter.text(value))
            for knob, value in zip(knobs, place.tolist(), strict=True)
        }
        say(f"SPSA ends at {', '.join(f'{name} = {value:g}' for name, value in values.items())}")
        confirmation = tuners.decide(args, values, terms, state, executor)
        limit = spoken(options.limited(args), terms)
        steps = (
            f"{spsa.steps:,} batch{'es' if spsa.steps != 1 else ''} of {args.batch} games at {limit} a move"
        )
        lines = [f"SPSA: {steps}, {lag} open at a time, r_end {args.r_end:g}"]
        report(Found(lines, knobs, values, player.values_by_games()), confirmation, state, terms)


class _Player:
    """Asks for the batches of a course."""

    def __init__(self, args: argparse.Namespace, course: Course, terms: Terms) -> None:
        self.course = course
        self._args, self._terms = args, terms
        self._countdown = Countdown(course.spsa.steps * args.batch)

    def ask(self) -> tuple[int, str, Batch] | None:
        question = self.course.ask()
        if question is None:
            return None
        sides = (options.limited(self._args, values) for values in (question.plus, question.minus))
        return question.number, SERIES, Batch(*sides, self._terms, self._args.batch, question.number)

    def tell(self, key: int, outcome: Outcome, fresh: bool) -> None:
        self.course.tell(key, outcome.standing)
        knobs, place = self.course.spsa.knobs, self.course.places[-1].tolist()
        where = ", ".join(f"{knob.name} {value:.3g}" for knob, value in zip(knobs, place, strict=True))
        self._countdown.at(self.course.told * self._args.batch, where, fresh)

    def values_by_games(self) -> list[list[float]]:
        """Return the games, and the value of each parameter after them, at the start and after each answer."""
        places = enumerate(self.course.places)
        return [[number * self._args.batch, *place.round(6).tolist()] for number, place in places]
