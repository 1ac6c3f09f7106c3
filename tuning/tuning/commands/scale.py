"""Measures the CPU time that sending batches of games costs, and simulates clusters with it.

The driver is the process that sends batches of games to workers by calls. To measure its CPU time,
the command starts a Ray cluster on this machine, whose workers reply without playing. SPSA runs
twice: once with one batch in each call, and once with many. This gives the driver's CPU time for a
call and for a batch. Simulated workers have 64 cores, and the duration of a batch varies by 15 %.
"""

import argparse
import heapq
import tempfile
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tuning.command import Parser
from tuning.commands import options
from tuning.errors import PIP_INSTALL, InputError, reading
from tuning.matches.batch import Batch, Side
from tuning.matches.executor import CALL_SECONDS, free_jobs_of
from tuning.matches.parameters import Parameter
from tuning.matches.series import play
from tuning.matches.state import OutcomeFile
from tuning.matches.worker import Job
from tuning.tuners.spsa import Spsa, most_open

KNOBS = [Parameter(f"knob_{number}", False, 0.5, 0.0, 1.0, 0.01) for number in range(6)]
PLIES, WORKER_CORES = 50, 64


def add_options(command: Parser) -> None:
    add = command.add_argument
    add("--workers", type=options.COUNT, default=64, help="worker processes of the measurement")
    add("--games", type=options.COUNT, default=20_000, help="games of each of the measurement's two runs")
    add("--batch", type=options.number(int, 2), default=20, help="games of a batch")
    add("--r-end", type=options.number(float, 1e-6, 0.999, "R"), default=0.002, help="SPSA's last gain")
    add("--speed", type=options.number(float, 1), default=100_000, help="playouts a second of each core")
    costs = "CPU time of a call and of a batch in microseconds; without it both are measured"
    add("--costs", type=options.number(float, 0), nargs=2, help=costs)


def run(args: argparse.Namespace) -> None:
    call, batch = args.costs or _measure_costs(args)
    print(
        f"\na call {call:,.0f} us, a batch of {args.batch} games {batch:,.0f} us of the driver's CPU time\n"
    )
    print(
        "| cores | a move | games a second | cores busy | limited by | match: games a second | cores busy |"
    )
    print("|---|---|---|---|---|---|---|")
    limits = [(f"{playouts:,} playouts", PLIES * playouts / args.speed) for playouts in (100, 400, 1600)]
    for cores in (1, 10, 100, 1000):
        for name, seconds in (*limits, ("50 ms", PLIES * 0.05)):
            lag = most_open(1_000_000 // args.batch, args.r_end, args.batch)
            told = [_simulate(cores, seconds * args.batch, most, call, batch) for most in (lag, 10**9)]
            (rate, busy, driver), (free_rate, free_busy, _) = told
            limit = "the cores" if busy > 0.95 else "the driver" if driver > 0.9 else "games in flight"
            print(
                f"| {cores:,} | {name} | {rate * args.batch:,.1f} | {100 * busy:.1f} % | {limit} | "
                f"{free_rate * args.batch:,.1f} | {100 * free_busy:.1f} % |"
            )


def _measure_costs(args: argparse.Namespace) -> tuple[float, float]:
    """Return the driver's CPU time for a call to a worker, and for a batch, in microseconds."""
    with reading("scale", f"the package Ray: {PIP_INSTALL}requirements-ray.lock", ImportError):
        from ray.cluster_utils import Cluster

        from tuning.matches.ray_executor import RayExecutor
    rows = []
    with tempfile.TemporaryDirectory() as name:
        none = Path(name) / "engine"
        none.touch()
        head = {"num_cpus": args.workers, "object_store_memory": 200 * 2**20, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        try:
            how: dict[str, Any] = {"most_cores": 1, "worker": "InstantWorker"}
            with closing(RayExecutor({"engine": none}, cluster.address, none, **how)) as executor:
                for lag in (args.workers, 10**9):
                    rows.append(_run_spsa(args, executor, Path(name) / f"{lag}", lag))
        finally:
            cluster.shutdown()
    try:
        call, batch = np.linalg.solve([row[:2] for row in rows], [row[2] * 1e6 for row in rows]).tolist()
    except np.linalg.LinAlgError:
        raise InputError("both runs had calls of the same size: expected a larger --games") from None
    return max(call, 0.0), max(batch, 0.0)


def _run_spsa(args: argparse.Namespace, executor: Any, file: Path, lag: int) -> tuple[int, int, float]:  # noqa: ANN401
    """Run SPSA. Return its numbers of calls and batches, and the driver's CPU time in seconds."""
    side = Side(playouts=100)
    spsa = Spsa(KNOBS, args.games // args.batch, args.r_end, Batch("", side, side, 8, args.batch), lag)
    outcomes = OutcomeFile(file)
    state: Any = SimpleNamespace(known={}, note=outcomes.append, job=Job)
    executor.calls = 0
    begun, wall = time.process_time(), time.monotonic()
    play([spsa], state, executor)
    spent, wall = time.process_time() - begun, time.monotonic() - wall
    games = spsa.told * args.batch
    print(
        f"{args.workers} workers, {games:,} games in {spsa.told:,} batches and {executor.calls:,} calls: "
        f"{spent:.2f} s of the driver's CPU time in {wall:.0f} s, {1e6 * spent / games:.1f} us a game"
    )
    return executor.calls, spsa.told, spent


def _simulate(cores: int, seconds: float, lag: int, call: float, batch: float) -> tuple[float, float, float]:
    """Simulate a cluster with this number of `cores`. A batch takes `seconds` of a core on average.

    At most `lag` batches are in flight at a time. The driver, which sends batches to workers, needs
    `call` us of CPU time for a call, and `batch` us for each batch in a call. Return the batches
    per second, and the fractions of the time in which the cores and the driver are busy.
    """
    random, shares = np.random.default_rng(1), [WORKER_CORES] * (cores // WORKER_CORES)
    shares += [cores % WORKER_CORES] * (cores % WORKER_CORES > 0)
    free = [[0.0] * share for share in shares]
    rounds, held = [1] * len(shares), [list[int]() for _ in shares]
    end = max(60.0, 20 * seconds)
    calls: list[tuple[float, int, list[int]]] = []
    ended: set[int] = set()
    asked = told = 0
    now = driver = worked = 0.0

    def free_jobs(worker: int) -> int:
        return free_jobs_of(shares[worker], rounds[worker], held[worker])

    while now < end:
        wanted = sum(map(free_jobs, range(len(shares))))
        waiting = list(range(asked, asked + max(min(wanted, lag - (asked - told)), 0)))
        asked += len(waiting)
        while waiting and (able := [worker for worker in range(len(shares)) if free_jobs(worker) > 0]):
            every, total = sum(shares[worker] for worker in able), len(waiting)
            for worker in able:
                count = min(
                    -(-total * shares[worker] // every), shares[worker] * rounds[worker], len(waiting)
                )
                if not count:
                    continue
                jobs, waiting = waiting[:count], waiting[count:]
                now, driver = now + (call + count * batch) * 1e-6, driver + (call + count * batch) * 1e-6
                times = seconds * random.lognormal(-0.01125, 0.15, count)
                worked += times.sum()
                last = now
                for took in times.tolist():
                    begun = max(heapq.heappop(free[worker]), now)
                    heapq.heappush(free[worker], begun + took)
                    last = max(last, begun + took)
                heapq.heappush(calls, (last, worker, jobs))
                held[worker].append(count)
        asked -= len(waiting)
        done, worker, jobs = heapq.heappop(calls)
        now = max(now, done)
        held[worker].remove(len(jobs))
        rounds[worker] = max(min(2 * rounds[worker], int(CALL_SECONDS / seconds)), 1)
        ended.update(jobs)
        while told in ended:
            ended.remove(told)
            told += 1
    running = sum(max(last - now, 0.0) for heap in free for last in heap)
    return told / now, (worked - running) / (cores * now), driver / now
