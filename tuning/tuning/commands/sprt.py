"""Tests a change: the engines of two commits play until a sequential test decides.

Each test has a state folder of its own, with its result; the same command goes on. A queue file has the options of one
test a line. It is read again after each test, so that lines can be added meanwhile.
"""

import argparse
import shlex
import shutil
from pathlib import Path
from typing import NoReturn

from tuning.commands import options, tuners
from tuning.errors import InputError
from tuning.matches.batch import ENGINE, Side, spoken
from tuning.matches.build import version
from tuning.matches.progress import Progress, say
from tuning.matches.series import Series, Stop, play
from tuning.provenance import STATES
from tuning.results import write_result

OLD = "old"
"""The file of the older engine in the state folder."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = command.add_argument
    add("--new", metavar="REF", help="the commit with the change, or the file of an engine")
    add("--old", metavar="REF", help="the commit to compare with, or the file of an engine")
    add("--queue", type=Path, metavar="FILE", help="work through tests: a line has the options of one")
    add("--sprt", default="0,5", metavar="ELO0,ELO1", help="the two hypotheses")
    add("--max-games", type=int, default=40_000, metavar="N", help="games at most")
    options.add_limit_options(command, required=False)
    options.add_game_options(command)


def run(args: argparse.Namespace) -> int:
    """Play one test, or those of a queue; return the exit status."""
    if (args.queue is None) == (args.new is None or args.old is None):
        raise InputError("expected --new REF and --old REF, or --queue FILE")
    if args.queue is None:
        _test(args)
        return 0
    done: set[str] = set()
    failed = 0
    while (line := next((one for one in _lines(args.queue) if one not in done), None)) is not None:
        done.add(line)
        say(f"next of the queue: {line}")
        try:
            _test(_parsed(line))
        except InputError as error:
            failed += 1
            say(f"{line}: {error}")
    say(f"the queue is empty: {len(done)} tests, {failed} of them failed")
    return 1 if failed else 0


def _lines(queue: Path) -> list[str]:
    try:
        lines = [line.strip() for line in queue.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--queue {queue}: {error}, expected a file of tests") from error
    return [line for line in lines if line and not line.startswith("#")]


class _LineParser(argparse.ArgumentParser):
    """A parser that does not end the program."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; expected the options of 'tuning sprt'")


def _parsed(line: str) -> argparse.Namespace:
    parser = _LineParser(add_help=False)
    add_options(parser)
    try:
        args = parser.parse_args(shlex.split(line))
    except ValueError as error:
        raise InputError(f"{error}; expected the options of 'tuning sprt'") from error
    if args.queue is not None or args.new is None or args.old is None:
        raise InputError("expected --new REF and --old REF in a line of a queue")
    return args


def _test(args: argparse.Namespace) -> None:
    """Play a test to its end, or go on with it."""
    if args.ray_address is not None:
        raise InputError("--ray-address: expected none, a cluster is sent one engine and a test needs two")
    if args.playouts is None and args.time is None:
        raise InputError("no limit of a move: expected --playouts N or --time SECONDS")
    limit = options.limited(args)
    test = tuners.read_sprt(args.sprt)
    stop = Stop(2, args.max_games, sprt=test)
    new, old = (version(text, STATES / "engines") for text in (args.new, args.old))
    terms = options.terms(args, new.engine)
    told = f"{args.playouts}" if args.playouts is not None else f"{args.time:g}s"
    name = f"sprt-{new.key}-{old.key}-{terms.board}x{terms.board}-{told}"
    asked = {
        "new": new.name,
        "old": old.name,
        "old_engine": old.engine.digest,
        "sprt": [test.elo0, test.elo1],
    }
    about = options.about("sprt", terms, args.batch, playouts=args.playouts, time=args.time, **asked)
    with options.working(args, new.engine, name, about) as (state, executor):
        if not (state.folder / OLD).exists():
            shutil.copy2(old.engine.path, state.folder / OLD)
        sides = [
            Side(playouts=limit.playouts, time=limit.time, program=program)
            for program in (ENGINE, shlex.quote(str(state.folder / OLD)))
        ]
        series = Series("match", sides[0], sides[1], stop, args.batch)
        try:
            play([series], terms, state, executor, Progress())
        finally:
            known = tuners.judged(series, spoken(limit, terms), "the old engine")
            path = options.result_path(state)
            write_result(path, {**options.provenance(state), "rows": [known]})
        say(f"{known['said']}; {series.counted.faults} games ended by a fault; result in {path}")
