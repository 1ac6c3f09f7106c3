"""A cluster that runs Ray. The engine travels to its nodes, so that nothing has to be installed there but Ray.

A batch whose worker or node dies is played again from its beginning: a record reaches the state's folder only when it
is whole. A node that does not run the engine, for lack of its C library as a rule, is left out.

Times of moves are those of this machine. A node where `quiver bench` makes half as many playouts a second gets twice
the time.
"""

import json
import logging
import os
import shutil
import signal
import socket
import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tuning.errors import InputError, reading
from tuning.files import replace
from tuning.matches.engine import BENCH, Engine, read_speed
from tuning.matches.executor import DeathError, Job, judge, retried
from tuning.matches.node import Files, Played, play
from tuning.matches.progress import say

try:
    import ray
    import ray.cloudpickle
    import ray.exceptions
except ImportError as error:
    raise InputError(
        f"--ray-address: {error}, expected Ray beside the other packages: "
        "tuning/python -m pip install --no-deps -r tuning/requirements-ray.lock"
    ) from error

MOST_AT_A_TIME = 1000
"""Jobs that may wait for the cluster at a time."""

PATIENCE = 0.5
"""Seconds between two checks of a waiting thread whether its job is still wanted."""

ALIKE, NAMED = 0.05, 20
"""The largest difference of a scale from 1 that is not reported, and the most nodes that a message names."""

ADVICE = "'ray start' has begun there, and this machine is part of"


def _on(nodes: Iterable[str], but: str = "") -> dict[str, Any]:
    """Return Ray's options for a task on one of these nodes, or on none of them."""
    return {"label_selector": {"ray.io/node-id": f"{but}in({','.join(sorted(nodes))})"}}


class RayExecutor:
    """The cores of a Ray cluster, as many as it has at the moment."""

    def __init__(self, engine: Engine, address: str, speed_file: Path | None = None) -> None:
        """Join the cluster that has this address.

        The file keeps the speed of this machine, so that times mean the same when an experiment goes on.
        """
        _reach(address)
        # Seconds that Ray tries to find out which cluster it is; it would spend minutes.
        os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
        ours = signal.getsignal(signal.SIGTERM)
        try:
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        except Exception as error:
            said = str(error).strip().partition("\n")[0]
            raise InputError(
                f"--ray-address {address}: {said}; expected a Ray cluster that {ADVICE}"
            ) from error
        # Ray has its own idea of how a process ends; an experiment ends with a report and a word on how to go on.
        signal.signal(signal.SIGTERM, ours)
        # By value, since nodes have no such package.
        import tuning

        ray.cloudpickle.register_pickle_by_value(tuning)
        self._address = address
        self._local, self._speed_file = engine, speed_file
        self._scales: dict[str, float] = {}
        self._measuring = threading.Lock()
        self._engine = ray.put(engine.path.read_bytes())
        self._play = ray.remote(max_retries=0)(_play)
        self._threads = ThreadPoolExecutor(MOST_AT_A_TIME)
        self._closing = threading.Event()
        self._unfit: set[str] = set()
        # Guards `_unfit` and `_scales`.
        self._guard = threading.Lock()

    @property
    def cores(self) -> int:
        """The cores of all nodes that are alive and run the engine."""
        return max(int(sum(node["Resources"].get("CPU", 0) for node in self._fit_nodes())), 1)

    @property
    def place(self) -> str:
        """The cluster, with the nodes whose times are scaled."""
        addresses = {one["NodeID"]: one["NodeManagerAddress"] for one in ray.nodes()}
        with self._guard:
            scales = sorted((addresses.get(node, node), scale) for node, scale in self._scales.items())
        place = f"the Ray cluster at {self._address}"
        if not scales:
            return place
        differ = [f"{address} x{scale:.2f}" for address, scale in scales if abs(scale - 1) > ALIKE]
        more = f" and {len(differ) - NAMED} more" if len(differ) > NAMED else ""
        named = ", ".join(differ[:NAMED]) + more or "none differs"
        alike = len(scales) - len(differ)
        return f"{place}; times scaled by the speed of nodes: {named}, {alike} as on this machine"

    def submit(self, job: Job) -> Future[None]:
        return self._threads.submit(retried, lambda: self._run(job), str(job.output))

    def close(self) -> None:
        """Leave the cluster; Ray then cancels the jobs that are running."""
        self._closing.set()
        # The threads end before Ray is shut down: Ray never wakes a thread that still waits for a result.
        self._threads.shutdown(cancel_futures=True)
        ray.shutdown()

    def _run(self, job: Job) -> None:
        while (played := self._played(job)) is not None:
            node, done = played
            if isinstance(done, Played):
                judge(done.status, done.errors)
                _keep(done.files, job.output)
                return
            self._leave_out(node, done)

    def _played(self, job: Job) -> tuple[str, Played | str] | None:
        """Play a job on a node that is not known to be unfit; return None if the cluster is left meanwhile."""
        with self._guard:
            where = _on(self._unfit, but="!") if self._unfit else {}
        scales: dict[str, float] = {}
        if job.timed:
            self._measure_new_nodes()
            scales = self._fit_scales()
            if self._closing.is_set():
                return None
            if not scales:
                raise InputError(
                    "no node of the cluster is left whose speed is known; expected a node that is alive and runs "
                    "the engine, since the moves are limited by time"
                )
            # A node that joins later is measured before it plays.
            where = _on(scales)
        try:
            played = self._play.options(num_cpus=job.cores, **where).remote(self._engine, job.words, scales)
            return self._awaited(played)
        except ray.exceptions.RayTaskError:
            raise
        except ray.exceptions.RayError as error:
            if self._closing.is_set():
                return None
            raise DeathError(str(error).strip().partition("\n")[0]) from error

    def _awaited(self, played: ray.ObjectRef) -> tuple[str, Played | str] | None:
        """Return the result of a task; None if the cluster is left meanwhile."""
        while not ray.wait([played], timeout=PATIENCE)[0]:
            if self._closing.is_set():
                return None
        return ray.get(played)

    def _measure_new_nodes(self) -> None:
        """Measure the speed of the engine on the nodes where it is not known."""
        with self._measuring:
            new = [one["NodeID"] for one in self._fit_nodes() if one["NodeID"] not in self._scales]
            reference = self._reference() if new else 0.0
            measured_on = {
                node: self._play.options(num_cpus=1, **_on([node])).remote(self._engine, BENCH, {})
                for node in new
            }
            for node, task in measured_on.items():
                try:
                    measured = self._awaited(task)
                except ray.exceptions.RayError:
                    # The node has died.
                    continue
                if measured is None:
                    return
                if isinstance(measured[1], str):
                    self._leave_out(node, measured[1])
                else:
                    judge(measured[1].status, measured[1].errors)
                    scale = reference / read_speed(measured[1].output)
                    with self._guard:
                        self._scales[node] = scale

    def _fit_scales(self) -> dict[str, float]:
        """Return the scales of the measured nodes that are alive and run the engine."""
        fit = [one["NodeID"] for one in self._fit_nodes()]
        with self._guard:
            return {node: self._scales[node] for node in fit if node in self._scales}

    def _reference(self) -> float:
        """Return the speed of this machine: that of the file, if there is one."""
        if self._speed_file is not None and self._speed_file.is_file():
            return read_speed(self._speed_file.read_text(encoding="utf-8"))
        speed = self._local.speed()
        if self._speed_file is not None:
            replace(self._speed_file, json.dumps({"playouts_per_second": speed}).encode() + b"\n")
        return speed

    def _leave_out(self, node: str, reason: str) -> None:
        """Play no more on a node, which does not run the engine."""
        with self._guard:
            known = node in self._unfit
            self._unfit.add(node)
        if not known:
            address = next((one["NodeManagerAddress"] for one in ray.nodes() if one["NodeID"] == node), node)
            say(f"node {address} is left out: it does not run the engine: {reason}")
        if not self._fit_nodes():
            raise InputError(
                f"no node of the cluster runs the engine: {reason}; expected one built for its nodes"
            )

    def _fit_nodes(self) -> list[dict[str, Any]]:
        with self._guard:
            return [one for one in ray.nodes() if one["Alive"] and one["NodeID"] not in self._unfit]


def _play(engine: bytes, words: tuple[str, ...], scales: dict[str, float]) -> tuple[str, Played | str]:
    """Run the engine on a node; return the node's id and the result."""
    node = ray.get_runtime_context().get_node_id()
    return node, play(engine, words, scales.get(node, 1.0))


def _keep(files: Files, output: Path) -> None:
    """Put what a job wrote where it belongs, all of it or nothing."""
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_name(output.name + ".part")
    if part.is_dir():
        shutil.rmtree(part)
    for name, content in files.items():
        path = part / name if name else part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if output.is_dir():
        shutil.rmtree(output)
    part.replace(output)


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
    with reading(f"--ray-address {address}", f"a Ray cluster that {ADVICE}"):
        socket.create_connection((host, int(port)), timeout=10).close()
