"""Measures the experiments whose results are stale, the shortest first, and renders the reports.

tuning/experiments.toml lists the experiments. If the command is interrupted, run it again to
continue. While other processes keep the machine busy, experiments that depend on time are measured
only with --busy. Results of these experiments state how many cores other processes kept busy.
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
from tuning.experiments import Experiment, RowDefinition, experiments_named, read_experiments
from tuning.matches.engine import Engine, engine_of
from tuning.matches.outcome import elo_text
from tuning.matches.progress import print_message
from tuning.measure import CpuLoad, Runner
from tuning.pages import write_reports
from tuning.provenance import commit, machine
from tuning.results import RESULTS, read_result, result_status, write_result

QUICK_TIME, QUICK_GAMES = 0.05, 100
"""For --quick: the CPU time of a move in seconds, and the number of games on each board."""

MAX_BUSY_CORES = 0.25
"""The most cores that other processes may keep busy when a timed experiment begins."""


class BudgetEndedError(Exception):
    """Raised when the time of --budget has passed."""


def add_options(command: Parser) -> None:
    add = command.add_argument
    add("--only", action="append", default=[], metavar="NAME", help="an experiment to measure; repeatable")
    add("--budget", type=_parse_duration, metavar="TIME", help="stop after this time, as in 2h or 15m")
    quick = "only compare the engine with the previous commit, in ten minutes on two cores"
    add("--quick", action="store_true", help=quick)
    add("--against", metavar="REF", help="with --quick: the commit to compare with")
    add("--busy", action="store_true", help="run timed experiments although the machine is busy")
    add("--force", action="store_true", help="also measure experiments whose results are current")
    options.add_measurement_options(command)
    options.add_workers(command, "simultaneous games; timed experiments leave one core idle")


def run(args: argparse.Namespace) -> int:
    """Measure the experiments. Return the exit status: 1 if some could not be measured, else 0."""
    engine = Engine.find(args.engine)
    if args.quick:
        _run_quick_comparison(args, engine)
        return 0
    if args.against:
        raise InputError("--against without --quick: expected both options or neither")
    warn_of_other_sources(engine)
    listed, results = read_experiments(args.experiments), options.results_of(args)
    names = experiments_named(listed, args.only) if args.only else listed
    last = {e.name: read_result(results / f"{e.name}.json") for e in names}

    def minutes(experiment: Experiment) -> float:
        known = last[experiment.name]
        is_measured = known.get("key") == experiment.definition_hash and known.get("seconds")
        return known["seconds"] / 60 if is_measured else experiment.minutes

    stale = [e for e in names if not e.made_by]
    if not args.force:
        stale = [e for e in stale if result_status(e, last[e.name], engine)[0] != "current"]
    stale.sort(key=minutes)
    total = sum(map(minutes, stale))
    expected = f", about {total:.0f} minutes on one core" if total else ""
    print_message(f"{len(stale)} of {len(names)} experiments to measure{expected}")
    if not stale:
        print_message(f"all results in {results} are current; --force measures them again")
    results.mkdir(parents=True, exist_ok=True)
    left = _measure_all(args, stale, engine)
    if results == RESULTS:
        write_reports()
    if left:
        print_message(f"left: {', '.join(left)}; run the same command again to continue")
    if failed := list(filter(None, left.values())):
        raise InputError("; ".join(failed))
    return 1 if left else 0


def warn_of_other_sources(engine: Engine) -> None:
    """Warn the user unless the engine was built from the checked-out commit without changes."""
    played, here = engine.about["commit"], commit()
    if played == "unknown":
        print_message(
            "the engine names no commit, so results name none; expected a build by 'cargo build --release'"
        )
    elif engine.about["tree"] == "changed":
        print_message(
            "the engine has uncommitted changes, so its results stay stale; expected a build of a commit"
        )
    elif here not in (played, "unknown"):
        changes = " with changes" if here.endswith("+") else ""
        print_message(f"the engine is of commit {played[:7]}, the sources here are of {here[:7]}{changes}")


def _measure_all(args: argparse.Namespace, stale: list[Experiment], engine: Engine) -> dict[str, str]:
    """Measure until --budget ends. Return each unmeasured experiment and its error, "" if none."""
    left = {experiment.name: "" for experiment in stale}
    before = signal.signal(signal.SIGALRM, _raise_budget_ended)
    try:
        signal.setitimer(signal.ITIMER_REAL, args.budget or 0)
        for experiment in stale:
            if experiment.is_timed and not args.busy and (busy := _busy_message()):
                print_message(f"{experiment.name}: {busy}")
                continue
            print_message(f"{experiment.name}: {experiment.question}")
            try:
                result = _runner(args, engine, experiment).run(experiment)
                write_result(path := options.results_of(args) / f"{experiment.name}.json", result)
                print_message(f"{experiment.name}: result in {path}")
                del left[experiment.name]
            except InputError as error:
                left[experiment.name] = f"{experiment.name}: {error}"
                print_message(left[experiment.name])
    except BudgetEndedError:
        print_message(f"the {args.budget:g} s of --budget have passed")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return left


def _runner(args: argparse.Namespace, engine: Engine, experiment: Experiment) -> Runner:
    workers = args.workers
    if experiment.is_timed and not args.quick:
        # Games with limits of wall time are played one by one, so that no games share a core.
        most = 1 if experiment.clock == "wall" else options.all_cores() - 1
        workers = max(1, min(workers, most))
    where = argparse.Namespace(workers=workers, ray_address=args.ray_address, threads=experiment.threads)
    return Runner(engine, partial(options.executor_of, where), args.state.resolve(), args.experiments)


def _run_quick_comparison(args: argparse.Namespace, engine: Engine) -> None:
    if not args.busy and (busy := _busy_message()):
        raise InputError(busy)
    previous = "HEAD" if engine.about["tree"] == "changed" else "HEAD~1"
    old, load = engine_of(args.against or previous), CpuLoad()
    limit = f"{QUICK_TIME * 1000:g} ms of CPU time a move"
    print(f"Against {old.name}, {limit}, {QUICK_GAMES} paired games a board:")
    for board in (8, 10):
        name = f"quick-{board}"
        a, b = f"quiver time={QUICK_TIME}", f"commit:{args.against or old.commit} time={QUICK_TIME}"
        definition = RowDefinition(name, a, b, QUICK_GAMES)
        experiment = Experiment(name, board, "against the last version", 5, (definition,), batch=10)
        row = _runner(args, engine, experiment).run(experiment)["rows"][0]
        now, before = (binary.speed("--board", str(board)) for binary in (engine, old))
        print(
            f"{board}x{board}: Elo {elo_text(row)} ({row['wins']} - {row['games'] - row['wins']}), "
            f"{now:,.0f} playouts a second, before {before:,.0f} ({now / before:.2f} times), "
            f"signature {engine.checksums(board)['signature']}",
            flush=True,
        )
    print(f"Machine: {machine()}; {load.other_busy_cores():.1f} cores busy with other work")


def _busy_message() -> str:
    """Return an error message if other processes keep too many cores busy, or else ""."""
    load = CpuLoad()
    time.sleep(1)
    busy = load.other_busy_cores()
    message = f"other processes keep {busy:.1f} cores busy, expected an idle machine or --busy"
    return message if busy > MAX_BUSY_CORES else ""


def _parse_duration(text: str) -> float:
    parsed = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    seconds = float(parsed[1]) * {"s": 1, "m": 60, "h": 3600}[parsed[2]] if parsed else 0
    if not 0 < seconds <= 10_000 * 3600:
        raise argparse.ArgumentTypeError(f"{text}, expected a time of up to 10000h, as in 90s, 15m or 2h")
    return seconds


def _raise_budget_ended(_signal: int, _frame: FrameType | None) -> None:
    raise BudgetEndedError
