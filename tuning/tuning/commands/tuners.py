"""Options that both tuners share, and the match that decides: what was found against the start."""

import argparse
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tuning.commands import options
from tuning.errors import InputError
from tuning.matches.batch import Side, Terms, spoken
from tuning.matches.executor import Executor
from tuning.matches.progress import Progress, say
from tuning.matches.series import Series, Stop, play
from tuning.matches.state import State
from tuning.matches.statistics import Sprt
from tuning.measure import figures


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options that both tuners share."""
    add = command.add_argument
    add(
        "--param",
        action="append",
        default=[],
        metavar="NAME[=LOW:HIGH]",
        help="a parameter to tune; repeatable (ten of its steps to either side, where no range is given)",
    )
    add("--games", type=int, default=5000, metavar="N", help="games to tune with")
    options.add_limit_options(command)
    add("--sprt", default="0,10", metavar="ELO0,ELO1", help="the hypotheses of the confirming match")
    add(
        "--confirm-games",
        type=int,
        default=10_000,
        metavar="N",
        help="games of that match, at most; 0 for none",
    )
    limit = command.add_mutually_exclusive_group()
    limit.add_argument(
        "--confirm-playouts",
        type=int,
        metavar="N",
        help="playouts of a move in that match, instead of the tuner's limit",
    )
    limit.add_argument(
        "--confirm-time",
        type=float,
        metavar="SECONDS",
        help="seconds of a move in that match, instead of the tuner's limit",
    )
    options.add_game_options(command)


def fields(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options that decide what is played."""
    return {"playouts": args.playouts, "time": args.time}


def read_sprt(text: str) -> Sprt:
    """Read `ELO0,ELO1`."""
    try:
        low, high = (float(word) for word in text.split(","))
    except ValueError:
        low, high = 0.0, 0.0
    if not -1000 <= low < high <= 1000:
        raise InputError(f"--sprt {text}: expected ELO0,ELO1 with ELO0 below ELO1, as in 0,10")
    return Sprt(low, high)


def checked(args: argparse.Namespace) -> Side:
    """Return the limit of a move in the confirming match; refuse options that would fail only when it begins."""
    read_sprt(args.sprt)
    if args.games < args.batch or args.confirm_games < 0:
        raise InputError(
            f"--games {args.games}, --confirm-games {args.confirm_games}: expected a batch at least, and 0 or more"
        )
    side = Side(playouts=args.confirm_playouts, time=args.confirm_time)
    if side.playouts is None and side.time is None:
        return options.limited(args)
    if side.cost <= 0:
        raise InputError("the limit of the confirming match: expected one above 0")
    return side


def decide(
    args: argparse.Namespace, values: Mapping[str, float], terms: Terms, state: State, executor: Executor
) -> dict[str, Any] | None:
    """Play the settings against the start until the test has a verdict, if a match is wanted; return its figures."""
    if not args.confirm_games:
        return None
    say("tuned; now the match against the settings it began with")
    stop, limit = Stop(2, max(args.confirm_games, 2), sprt=read_sprt(args.sprt)), checked(args)
    settings = tuple(sorted(values.items()))
    digest = hashlib.sha256(repr((settings, limit)).encode()).hexdigest()[:12]
    series = Series(f"confirm-{digest}", replace(limit, settings=settings), limit, stop, args.batch)
    # The seed differs from the tuner's, so that the match plays other openings. The options accept no seed
    # this large, so that no tuner can have used it.
    play([series], replace(terms, seed=terms.seed + (1 << 40)), state, executor, Progress())
    return judged(series, spoken(limit, terms), "the start")


def judged(series: Series, limit: str, against: str) -> dict[str, Any]:
    """Return the figures of a sequential test: its verdict, the log-likelihood ratio, and both in a sentence."""
    standing, test = series.counted.standing, series.stop.sprt
    assert test is not None
    verdict = {True: "accepted", False: "rejected", None: "undecided"}[test.verdict(standing.pairs)]
    ratio = test.ratio(standing.pairs)
    said = (
        f"{verdict}: {standing} Elo over {against} after {standing.games:,} games at {limit} "
        f"(SPRT of {test.elo0:g} against {test.elo1:g} Elo, ratio {ratio:.2f} of "
        f"+-{test.bound:.2f}; LOS {100 * standing.superiority:.1f} %)"
    )
    return {"said": said, "verdict": verdict, "llr": ratio, "bound": test.bound, **figures(series.counted)}
