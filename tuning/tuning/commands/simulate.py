"""Lets both tuners work on a simulated cluster: games a second, and the Elo that they find, by workers and games.

No engine plays. Elo falls by the square of the steps that a setting is away from the best, which is drawn for each run.
The time of a batch is that of real games, measured once. Nodes of 16 cores differ in speed.
"""

import argparse

import numpy as np

from tuning.commands.options import STATES
from tuning.data import Table, write_report
from tuning.errors import InputError
from tuning.matches.progress import say
from tuning.provenance import command_line, commit, now
from tuning.reports import add_report_options, check_report_options, report_folder
from tuning.simulation.cluster import CORES, NODE_SPREAD, OVERHEAD, SPREAD
from tuning.simulation.runs import Result, Setup, simulated

FEW = 5000
"""The games of the cheapest setups, which get all --runs."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = command.add_argument
    add("--workers", default="1,10,100,1000", metavar="A,B,...", help="cores of the cluster")
    add("--parameters", type=int, default=6, metavar="N", help="parameters to tune, up to five steps off")
    add("--fall", type=float, default=1.0, metavar="ELO", help="Elo lost one step away from the best")
    add("--game-seconds", type=float, default=0.165, metavar="S", help="mean time of a game")
    add("--runs", type=int, default=30, metavar="N", help="runs of each setup; fewer, from 3, of many games")
    add("--seed", type=int, default=1, metavar="N", help="seed of all random choices")
    add_report_options(command, "target/tuning/simulate/report")


def run(args: argparse.Namespace) -> None:
    """Simulate, and report."""
    try:
        workers = [int(word) for word in args.workers.split(",")]
    except ValueError:
        workers = []
    if not workers or min(workers) < 1 or min(args.parameters, args.runs) < 1 or args.seed < 0:
        raise InputError("--workers, --parameters, --runs: expected whole numbers from 1, and a seed from 0")
    if not (args.fall > 0 and args.game_seconds > 0):
        raise InputError("--fall, --game-seconds: expected numbers above 0")
    check_report_options(args)
    about = {"kind": "simulation", "engine": "none", "commit": commit(), "date": now()}
    rows, records = [], []
    for setup in _setups(workers, args):
        # The arithmetic of a trial costs as much as that of many batches.
        dear = setup.games / FEW * (5 if setup.tuner == "optuna" else 1)
        runs = min(max(int(args.runs / dear), 3), args.runs)
        results = [simulated(setup, (args.seed << 20) + one) for one in range(runs)]
        rows.append(_cells(setup, results))
        records.append(_record(setup, results))
        say(" | ".join(rows[-1]))
    heads = ["tuner", "workers", "games", "batch", "`r_end`", "open", "runs", "games a second", "minutes"]
    table = Table("setups", [*heads, "cores busy", "Elo below the best"], rows, records)
    start = np.mean([record["start"] for record in records])
    lines = [
        "# Tuners on a simulated cluster",
        "",
        f"- Command: `{command_line()}`, commit {about['commit']}, {about['date']}",
        f"- Surface: {args.parameters} parameters, each up to five steps from its best; {args.fall:g} Elo lost for "
        f"the square of a step; {start:.0f} Elo below the best at the start, on average",
        f"- Time: {args.game_seconds:g} s a game; logarithm of a batch's time varies by {SPREAD:g} on a node of "
        f"{CORES} cores, and by {NODE_SPREAD:g} between nodes; {OVERHEAD:g} s from a batch to the next",
        '- Open: batches of SPSA, trials of Optuna (200 games, TPE, Wilcoxon\'s test); "all" is the default',
        "- Errors are standard errors of the mean over the runs.",
        "",
        *table.markdown(),
    ]
    folder = report_folder(args, "cluster", STATES / "simulate" / "report")
    path = write_report(folder, lines, {**about, "command": command_line()}, [table])
    say(f"report in {path}")


def _setups(workers: list[int], args: argparse.Namespace) -> list[Setup]:
    """Return what is simulated: each tuner as it was before, then by default, then where it breaks."""
    most = max(workers)

    def setup(
        tuner: str, cores: int, games: int, open_: int | None = None, batch: int = 20, r: float = 0.01
    ) -> Setup:
        return Setup(tuner, cores, games, batch, open_, args.game_seconds, args.parameters, args.fall, r)

    spsa = [setup("spsa", most, FEW, 2), *[setup("spsa", one, FEW) for one in workers]]
    spsa += [setup("spsa", one, 100_000) for one in workers]
    spsa += [setup("spsa", most, 100_000, batch=2, r=r) for r in (0.01, 0.005)]
    spsa += [setup("spsa", most, 100_000, open_) for open_ in (250, 1000)]
    optuna = [setup("optuna", most, FEW, 1), *[setup("optuna", one, FEW) for one in workers]]
    return [*spsa, *optuna, setup("optuna", most, 20_000, 1), setup("optuna", most, 20_000)]


def _cells(setup: Setup, results: list[Result]) -> list[str]:
    record = _record(setup, results)
    return [
        setup.tuner,
        f"{setup.workers:,}",
        f"{setup.games:,}",
        str(setup.batch),
        f"{setup.r_end:g}" if setup.tuner == "spsa" else "",
        str(setup.most_open or "all"),
        str(len(results)),
        f"{record['games_a_second']:,.0f}",
        f"{record['seconds'] / 60:,.1f}",
        f"{100 * record['busy']:.1f} %",
        f"{record['end']:.1f} +-{record['end_error']:.1f}",
    ]


def _record(setup: Setup, results: list[Result]) -> dict:
    ends = np.array([result.end for result in results])
    seconds = float(np.mean([result.passed.seconds for result in results]))
    played = float(np.mean([result.passed.batches for result in results])) * setup.batch
    return {
        "tuner": setup.tuner,
        "workers": setup.workers,
        "games": setup.games,
        "batch": setup.batch,
        "r_end": setup.r_end if setup.tuner == "spsa" else None,
        "most_open": setup.most_open,
        "runs": len(results),
        "games_a_second": played / seconds,
        "seconds": seconds,
        "busy": float(np.mean([result.passed.busy for result in results])),
        "start": float(np.mean([result.start for result in results])),
        "end": float(ends.mean()),
        "end_error": float(ends.std(ddof=1) / len(ends) ** 0.5) if len(ends) > 1 else None,
    }
