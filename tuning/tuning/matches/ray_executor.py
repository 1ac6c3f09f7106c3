"""A cluster that runs Ray. The engine travels to its nodes, so that nothing has to be installed there but Ray.

A batch whose worker or node dies is played again from its beginning: a record reaches the state's folder only when it
is whole. A node that does not run the engine, for lack of its C library as a rule, is left out.

Times of moves are those of this machine. A node where `quiver bench` makes half as many playouts a second gets twice
the time.
"""

import json
import logging
import os
import signal
import socket
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from tuning.errors import INSTALL, InputError, reading
from tuning.files import replace
from tuning.matches.engine import BENCH, Engine, complaint, read_speed
from tuning.matches.executor import PATIENCE, DeathError, Executor, Job, LocalExecutor, all_cores, check_exit
from tuning.matches.node import Played, run
from tuning.matches.progress import say

with reading("--ray-address", f"Ray beside the other packages: {INSTALL}requirements-ray.lock", ImportError):
    import ray
    import ray.cloudpickle
    import ray.exceptions

MOST_AT_A_TIME = 1000
"""Jobs that may wait for the cluster at a time."""

ALIKE = 0.05
"""The largest difference of a scale from 1 that is not reported."""

CLUSTER = "a Ray cluster that 'ray start' has begun there, and this machine is part of"


def _on(nodes: Iterable[str]) -> dict[str, Any]:
    """Return Ray's options for a task on one of these nodes."""
    return {"label_selector": {"ray.io/node-id": f"in({','.join(sorted(nodes))})"}}


class RayExecutor(Executor):
    """The cores of a Ray cluster, as many as it has at the moment."""

    def __init__(self, engine: Engine, address: str, speed_file: Path) -> None:
        """Join the cluster that has this address.

        The file keeps the speed of this machine, so that times mean the same when an experiment goes on.
        """
        super().__init__(MOST_AT_A_TIME)
        self._here = LocalExecutor(engine, all_cores())
        _reach(address)
        # Seconds that Ray tries to find out which cluster it is; it would spend minutes.
        os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
        ours = signal.getsignal(signal.SIGTERM)
        with reading(f"--ray-address {address}", CLUSTER, Exception):
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        # Ray has its own idea of how a process ends; an experiment ends with a report and a word on how to go on.
        signal.signal(signal.SIGTERM, ours)
        # By value, since nodes have no such package.
        import tuning

        ray.cloudpickle.register_pickle_by_value(tuning)
        self.place, self._local, self._speed_file = f"the Ray cluster at {address}", engine, speed_file
        self._engine = ray.put(engine.path.read_bytes())
        self._play = ray.remote(max_retries=0)(_run)
        self._scales: dict[bool, dict[str, float]] = {False: {}, True: {}}
        """The nodes that run the engine and the factors of times on them, for untimed and for timed jobs."""
        self._unfit: dict[str, str] = {}
        """The nodes that do not run the engine, with the reasons."""
        self._trying = threading.Lock()
        """Held by the thread that tries new nodes, which alone changes `_scales` and `_unfit`."""

    @property
    def cores(self) -> int:
        """The cores of all nodes that are alive and run the engine."""
        return max(int(sum(node["Resources"].get("CPU", 0) for node in self._fit_nodes())), 1)

    def submit(self, job: Job) -> Future[str]:
        # An output that is here is whole, or this machine began it.
        return self._here.submit(job) if job.output.exists() else super().submit(job)

    def close(self) -> None:
        """Leave the cluster; Ray then cancels the jobs that are running."""
        # The threads end before Ray is shut down: Ray never wakes a thread that still waits for a result.
        self._here.close()
        super().close()
        ray.shutdown()

    def _run(self, job: Job) -> str:
        scales = self._fit_scales(job.timed)
        if self._closing.is_set():
            return ""
        if not scales:
            reason = next(reversed(self._unfit.values()), "none is left of those that did")
            raise InputError(
                f"no node of the cluster runs the engine: {reason}; expected a node that is alive and runs it"
            )
        try:
            task = self._play.options(num_cpus=job.cores, **_on(scales))
            played = self._awaited(task.remote(self._engine, job.words, scales))
        except ray.exceptions.RayTaskError:
            raise
        except ray.exceptions.RayError as error:
            if self._closing.is_set():
                return ""
            raise DeathError(str(error).strip().partition("\n")[0]) from error
        if played is None:
            return ""
        done, content = played
        check_exit(done.returncode, done.stderr)
        if content is not None:
            job.output.parent.mkdir(parents=True, exist_ok=True)
            replace(job.output, content)
        return done.stdout

    def _awaited(self, task: ray.ObjectRef, node: str | None = None) -> Played | None:
        """Return the result of a task; None if the cluster is left or the node that it waits for dies meanwhile."""
        while not self._closing.is_set():
            if ray.wait([task], timeout=PATIENCE)[0]:
                return ray.get(task)
            if node is not None and node not in [one["NodeID"] for one in self._fit_nodes()]:
                break
        return None

    def _fit_scales(self, timed: bool) -> dict[str, float]:
        """Return the nodes that are alive and run the engine, with the factors of times on them.

        A node is tried before its first job: by its version, or by its speed if the jobs are timed.
        """
        with self._trying:
            scales = self._scales[timed]
            addresses = {one["NodeID"]: one["NodeManagerAddress"] for one in self._fit_nodes()}
            new = [node for node in addresses if node not in scales]
            reference = self._reference() if timed and new else 0.0
            words, cores = (BENCH, 1) if timed else (("--version",), 0)
            tasks = [self._play.options(num_cpus=cores, **_on([node])) for node in new]
            trials = [task.remote(self._engine, words, {}) for task in tasks]
            for node, trial in zip(new, trials, strict=True):
                try:
                    played = self._awaited(trial, node)
                except ray.exceptions.RayError:
                    played = None
                if played is None:
                    # The node has died, or the cluster is left.
                    continue
                tried, _ = played
                if tried.returncode:
                    reason = self._unfit[node] = complaint(tried.returncode, tried.stderr)
                    say(f"node {addresses[node]} is left out: it does not run the engine: {reason}")
                else:
                    scales[node] = reference / read_speed(tried.stdout) if timed else 1.0
                    if abs(scales[node] - 1) > ALIKE:
                        say(
                            f"node {addresses[node]}: times are scaled by {scales[node]:.2f}, as its speed differs"
                        )
            return {node: scales[node] for node in addresses if node in scales}

    def _reference(self) -> float:
        """Return the speed of this machine: that of the file, if there is one."""
        if self._speed_file.is_file():
            return read_speed(self._speed_file.read_text(encoding="utf-8"))
        speed = self._local.speed()
        replace(self._speed_file, json.dumps({"playouts_per_second": speed}).encode() + b"\n")
        return speed

    def _fit_nodes(self) -> list[dict[str, Any]]:
        """Return the nodes that are alive and not known to be unfit."""
        return [one for one in ray.nodes() if one["Alive"] and one["NodeID"] not in self._unfit]


def _run(engine: bytes, words: tuple[str, ...], scales: dict[str, float]) -> Played:
    return run(engine, words, scales.get(ray.get_runtime_context().get_node_id(), 1.0))


def _reach(address: str) -> None:
    """See that a program listens at HOST:PORT: Ray itself would try for minutes."""
    if address.startswith("ray://"):
        raise InputError(
            f"--ray-address {address}: a driver outside of the cluster needs Ray's client with gRPC, which "
            "requirements-ray.lock leaves out; expected HOST:PORT or auto, on a machine of the cluster"
        )
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host:
        return
    with reading(f"--ray-address {address}", CLUSTER):
        socket.create_connection((host, int(port)), timeout=10).close()
