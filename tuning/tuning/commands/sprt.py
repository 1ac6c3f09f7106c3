"""Tests a change: the engines of two commits play until a sequential test decides.

Each test has a state folder of its own, with its result; the same command goes on. A queue file has the options of one
test a line. It is read again after each test, so that lines can be added meanwhile.
"""

import argparse
import shlex
from pathlib import Path

from tuning.command import Parser
from tuning.commands import options, tuners
from tuning.errors import InputError, reading
from tuning.matches.engine import engine_of
from tuning.matches.progress import say
from tuning.matches.series import Series, play


def add_options(command: Parser) -> None:
    add = command.add_argument
    add("--new", metavar="REF", help="the commit with the change, or the file of an engine")
    add("--old", metavar="REF", help="the commit to compare with, or the file of an engine")
    add("--queue", type=Path, help="work through tests: a line has the options of one")
    add("--max-games", type=options.number(int, 2), default=40_000, help="games at most")
    options.add_game_options(command, "0,5", limited=False)


def run(args: argparse.Namespace) -> int:
    if args.queue is None or vars(args) != vars(_parsed("")) | {"queue": args.queue, "run": args.run}:
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
    with reading(f"--queue {queue}", "a file of tests"):
        lines = [line.strip() for line in queue.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def _parsed(line: str) -> argparse.Namespace:
    parser = Parser(prog="tuning sprt", add_help=False)
    add_options(parser)
    with reading(f"'{line}'", "the options of 'tuning sprt'"):
        return parser.parse_args(shlex.split(line))


def _test(args: argparse.Namespace) -> None:
    if args.queue is not None or args.new is None or args.old is None:
        raise InputError("expected --new REF and --old REF, or --queue FILE alone")
    if args.playouts is None and args.time is None:
        raise InputError("no limit of a move: expected --playouts N or --time SECONDS")
    new, old = map(engine_of, (args.new, args.old))
    batch = options.batch_of(args, new)
    limit = f"{args.time:g}s" if args.playouts is None else args.playouts
    keys = "-".join((one.commit or one.digest)[:9] for one in (new, old))
    asked = {"new": new.name, "old": old.name, "old_engine": old.digest}
    about = options.about("sprt", args, batch, sprt=[args.sprt.elo0, args.sprt.elo1], **asked)
    name = f"sprt-{keys}-{{board}}x{{board}}-{limit}"
    with options.working(args, new, about, name, old=old.path) as (state, executor):
        a, b = (batch.a._replace(program=program) for program in ("engine", "old"))
        series = Series(batch._replace(a=a, b=b), 2, args.max_games, sprt=args.sprt)
        try:
            play([series], state, executor)
        finally:
            known = tuners.judged(series, "the old engine")
            path = options.write_state_result(state, rows=[known])
        say(f"{known['said']}; {series.counted.faults} games ended by a fault; result in {path}")
