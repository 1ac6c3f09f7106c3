"""Measures what is stale, cheapest first, and renders the pages; the same command goes on after any interruption.

Experiments are those of tuning/experiments.toml. Nothing is timed while other processes keep the machine busy, unless
--busy allows it; the result then says so.
"""

import argparse
import re
import signal
from pathlib import Path
from types import FrameType

from tuning.commands import options, quick
from tuning.errors import InputError
from tuning.experiments import Experiment, chosen, read_experiments
from tuning.matches.engine import Engine
from tuning.matches.executor import Executor, LocalExecutor, all_cores
from tuning.matches.progress import say
from tuning.measure import IDLE, Place, busy_cores
from tuning.pages import write_pages
from tuning.provenance import commit
from tuning.results import RESULTS, judge, read_result, write_result


class SpentError(Exception):
    """The time of --budget is over."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = command.add_argument
    add("--only", action="append", default=[], metavar="NAME", help="this experiment; repeatable")
    add("--budget", metavar="TIME", help="stop after this time, as in 2h or 15m")
    add(
        "--quick",
        action="store_true",
        help="instead compare with the last version, in ten minutes on two cores",
    )
    add("--against", metavar="REF", help="with --quick: the commit to compare with")
    add("--busy", action="store_true", help="time experiments although the machine is busy")
    add("--force", action="store_true", help="measure what is current too")
    options.add_list_options(command)
    add(
        "--workers",
        type=int,
        default=all_cores(),
        metavar="N",
        help="games at a time; one where moves are timed",
    )
    add("--ray-address", metavar="ADDRESS", help="play matches on the Ray cluster there: HOST:PORT, or auto")


def run(args: argparse.Namespace) -> int:
    """Measure; return 1 if experiments are left."""
    if args.workers < 1:
        raise InputError(f"--workers {args.workers}: expected at least 1")
    engine = Engine.find(args.engine)
    if args.quick:
        return quick.run(engine, args.against, args.workers, args.busy, args.state)
    tell_of(engine)
    listed = read_experiments(args.experiments)
    results = options.results_of(args)
    names = chosen(listed, args.only) if args.only else listed
    stale = [
        one for one in names if not one.made_by and (args.force or not _is_current(one, results, engine))
    ]
    stale.sort(key=lambda one: _minutes(one, results))
    total = sum(_minutes(one, results) for one in stale)
    say(f"{len(stale)} of {len(names)} experiments to measure, about {total:.0f} minutes on one core")
    left = _work_off(args, stale, engine, results)
    if results == RESULTS:
        for path in write_pages():
            say(f"rendered {path}")
    if left:
        say(f"left: {', '.join(one.name for one in left)}; the same command goes on")
    return 1 if left else 0


def tell_of(engine: Engine) -> None:
    """Say so if results cannot name the sources of the engine, or these are others than the ones here."""
    played, here = engine.about["commit"], commit()
    if played == "unknown":
        say(
            "the engine names no commit, and so will its results; 'cargo build --release' makes one that does"
        )
    elif engine.about["tree"] == "changed":
        say("the engine has changes that no commit has, so its results stay stale; expected a clean build")
    elif here not in (played, "unknown"):
        changes = " with changes" if here.endswith("+") else ""
        say(f"the engine is of commit {played[:7]}, the sources here are of {here[:7]}{changes}")


def _work_off(
    args: argparse.Namespace, stale: list[Experiment], engine: Engine, results: Path
) -> list[Experiment]:
    """Measure until the budget is spent; return what is left."""
    left = list(stale)
    before = signal.signal(signal.SIGALRM, _spent)
    try:
        signal.setitimer(signal.ITIMER_REAL, _seconds(args.budget) if args.budget else 0)
        for experiment in stale:
            if experiment.is_timed and not args.busy and (busy := busy_cores()) > IDLE:
                say(
                    f"{experiment.name}: other processes keep {busy:.1f} cores busy, expected an idle machine or --busy"
                )
                continue
            say(f"{experiment.name}: {experiment.question}")
            place = Place(engine, _executor(args, experiment), args.state)
            write_result(results / f"{experiment.name}.json", place.run(experiment))
            left.remove(experiment)
    except SpentError:
        say(f"the budget of {args.budget} is spent")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return left


def _executor(args: argparse.Namespace, experiment: Experiment):  # noqa: ANN202 (of two modules, one of them optional)
    def make(engine: Engine, folder: Path) -> Executor:
        elsewhere = any("commit:" in f"{row.a} {row.b}" for row in experiment.rows)
        if args.ray_address is not None and not elsewhere:
            from tuning.matches.ray_executor import RayExecutor

            return RayExecutor(engine, args.ray_address, folder / "speed.json")
        return LocalExecutor(engine, 1 if experiment.is_timed else args.workers)

    return make


def _is_current(experiment: Experiment, results: Path, engine: Engine) -> bool:
    return judge(experiment, read_result(results / f"{experiment.name}.json"), engine).state == "current"


def _minutes(experiment: Experiment, results: Path) -> float:
    """Return the expected time: that of the last measurement of the same, or that of the list."""
    last = read_result(results / f"{experiment.name}.json") or {}
    return (
        last["seconds"] / 60
        if last.get("key") == experiment.key and last.get("seconds")
        else experiment.minutes
    )


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if not found or float(found[1]) <= 0:
        raise InputError(f"--budget {text}: expected a time as in 90s, 15m or 2h")
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


def _spent(_signal: int, _frame: FrameType | None) -> None:
    raise SpentError
