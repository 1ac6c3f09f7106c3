"""Measures what is stale, cheapest first, and renders the pages; the same command goes on after any interruption.

Experiments are those of tuning/experiments.toml. Nothing is timed while other processes keep the machine busy, unless
--busy allows it; the result then says so.
"""

import argparse
import re
import signal
import time
from functools import partial
from types import FrameType

from tuning.command import Parser
from tuning.commands import options
from tuning.errors import InputError
from tuning.experiments import Experiment, Row, chosen, read_experiments
from tuning.matches.engine import Engine, engine_of
from tuning.matches.outcome import elo
from tuning.matches.progress import say
from tuning.measure import Load, Place
from tuning.pages import write_pages
from tuning.provenance import commit, machine
from tuning.results import RESULTS, judge, read_result, write_result

SECONDS, GAMES = 0.05, 100
"""CPU time of a move of --quick, and games on each board."""

IDLE = 0.25
"""Cores that other processes may keep busy while something is timed."""


class SpentError(Exception):
    """The time of --budget is over."""


def add_options(command: Parser) -> None:
    add = command.add_argument
    add("--only", action="append", default=[], metavar="NAME", help="this experiment; repeatable")
    add("--budget", type=_seconds, metavar="TIME", help="stop after this time, as in 2h or 15m")
    quick = "instead compare with the last version, in ten minutes on two cores"
    add("--quick", action="store_true", help=quick)
    add("--against", metavar="REF", help="with --quick: the commit to compare with")
    add("--busy", action="store_true", help="time experiments although the machine is busy")
    add("--force", action="store_true", help="measure what is current too")
    options.add_list_options(command)
    options.add_workers(command, "games at a time; where moves are timed, a core stays idle")


def run(args: argparse.Namespace) -> int:
    """Measure; return 1 if experiments are left."""
    engine = Engine.find(args.engine)
    if args.quick:
        _compare(args, engine)
        return 0
    if args.against:
        raise InputError("--against without --quick: expected both")
    tell_of(engine)
    listed, results = read_experiments(args.experiments), options.results_of(args)
    names = chosen(listed, args.only) if args.only else listed
    last = {one.name: read_result(results / f"{one.name}.json") for one in names}

    def minutes(one: Experiment) -> float:
        """Return the expected time: that of the last measurement of the same, or that of the list."""
        known = last[one.name]
        return known["seconds"] / 60 if known.get("key") == one.key and known.get("seconds") else one.minutes

    stale = [one for one in names if not one.made_by]
    if not args.force:
        stale = [one for one in stale if judge(one, last[one.name], engine)[0] != "current"]
    stale.sort(key=minutes)
    total = sum(map(minutes, stale))
    expected = f", about {total:.0f} minutes on one core" if total else ""
    say(f"{len(stale)} of {len(names)} experiments to measure{expected}")
    if not stale:
        say(f"the results in {results} are current; --force measures them again")
    results.mkdir(parents=True, exist_ok=True)
    left = _work_off(args, stale, engine)
    if results == RESULTS:
        write_pages()
    if left:
        say(f"left: {', '.join(left)}; the same command goes on")
    if failed := list(filter(None, left.values())):
        raise InputError("; ".join(failed))
    return 1 if left else 0


def tell_of(engine: Engine) -> None:
    """Say so if results cannot name the sources of the engine, or these are others than the ones here."""
    played, here = engine.about["commit"], commit()
    if played == "unknown":
        say("the engine names no commit, nor will its results; 'cargo build --release' makes one that does")
    elif engine.about["tree"] == "changed":
        say("the engine has changes that no commit has, so its results stay stale; expected a clean build")
    elif here not in (played, "unknown"):
        changes = " with changes" if here.endswith("+") else ""
        say(f"the engine is of commit {played[:7]}, the sources here are of {here[:7]}{changes}")


def _work_off(args: argparse.Namespace, stale: list[Experiment], engine: Engine) -> dict[str, str]:
    """Measure until the budget is spent; return what is left, with the errors of experiments that failed."""
    left = {one.name: "" for one in stale}
    before = signal.signal(signal.SIGALRM, _spent)
    try:
        signal.setitimer(signal.ITIMER_REAL, args.budget or 0)
        for experiment in stale:
            if experiment.is_timed and not args.busy and (busy := _busy()):
                say(f"{experiment.name}: {busy}")
                continue
            say(f"{experiment.name}: {experiment.question}")
            try:
                result = _place(args, engine, experiment).run(experiment)
                write_result(path := options.results_of(args) / f"{experiment.name}.json", result)
                say(f"{experiment.name}: result in {path}")
                del left[experiment.name]
            except InputError as error:
                left[experiment.name] = f"{experiment.name}: {error}"
                say(left[experiment.name])
    except SpentError:
        say(f"the budget of {args.budget:g} s is spent")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return left


def _place(args: argparse.Namespace, engine: Engine, experiment: Experiment) -> Place:
    """Return the place of an experiment; a machine that is timed keeps a core idle."""
    workers = args.workers
    if experiment.is_timed and not args.quick:
        # Games that wall time ends share no core with another's threads.
        most = 1 if experiment.clock == "wall" else options.all_cores() - 1
        workers = max(1, min(workers, most))
    where = argparse.Namespace(workers=workers, ray_address=args.ray_address, threads=experiment.threads)
    return Place(engine, partial(options.executor_of, where), args.state.resolve(), args.experiments)


def _compare(args: argparse.Namespace, engine: Engine) -> None:
    """Play and time two versions on both boards, and print what the message of a commit can hold."""
    if not args.busy and (busy := _busy()):
        raise InputError(busy)
    # An engine built from a changed tree is compared with the commit below it.
    below = "HEAD" if engine.about["tree"] == "changed" else "HEAD~1"
    old, load = engine_of(args.against or below), Load()
    print(f"Against {old.name}, {SECONDS * 1000:g} ms of CPU time a move, {GAMES} paired games a board:")
    for board in (8, 10):
        name = f"quick-{board}"
        row = Row(
            name, f"quiver time={SECONDS}", f"commit:{args.against or old.commit} time={SECONDS}", GAMES
        )
        experiment = Experiment(name, board, "against the last version", 5, (row,), batch=10)
        found = _place(args, engine, experiment).run(experiment)["rows"][0]
        now, before = (one.speed("--board", str(board)) for one in (engine, old))
        print(
            f"{board}x{board}: Elo {elo(found)} ({found['wins']} - {found['games'] - found['wins']}), "
            f"{now:,.0f} playouts a second, before {before:,.0f} ({now / before:.2f} times), "
            f"signature {engine.checksums(board)['signature']}",
            flush=True,
        )
    print(f"Machine: {machine()}; {load.others():.1f} cores busy with other work")


def _busy() -> str:
    """Return a sentence if other processes keep the machine busy."""
    load = Load()
    time.sleep(1)
    busy = load.others()
    told = f"other processes keep {busy:.1f} cores busy, expected an idle machine or --busy"
    return told if busy > IDLE else ""


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if not found or float(found[1]) <= 0:
        raise argparse.ArgumentTypeError(f"{text}, expected a time as in 90s, 15m or 2h")
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


def _spent(_signal: int, _frame: FrameType | None) -> None:
    raise SpentError
