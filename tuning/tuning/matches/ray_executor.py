"""Runs jobs on a Ray cluster. On each node, workers use all cores until the run ends.

The engine is copied to the nodes, so that only Ray has to be installed there. If a node dies, its
jobs are run again on other nodes. A game record is stored only when it is complete. A node is not
used if it cannot run the engine, usually because its C library is too old.

Time limits are adapted to the speed of a node: if `quiver bench` makes half as many playouts per
second there as on this machine, moves get twice the time.
"""

import io
import json
import logging
import os
import pickle
import signal
import socket
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from tuning.errors import PIP_INSTALL, InputError, reading
from tuning.files import replace
from tuning.matches.engine import BENCH_COMMAND, Engine, read_speed
from tuning.matches.executor import MAX_OPEN_CALLS, Executor, WorkerHandle
from tuning.matches.progress import print_message
from tuning.matches.worker import Job, Reply

with reading("--ray-address", f"the package Ray: {PIP_INSTALL}requirements-ray.lock", ImportError):
    import ray
    import ray.cloudpickle
    import ray.exceptions
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

SCALE_TOLERANCE = 0.05
"""A message names each node whose factor for time limits differs from 1 by more than this."""

NODE_POLL_SECONDS = 2.0

MAX_WORKER_CORES = 128
"""The most cores of a worker. A node with more cores has several workers."""

EXPECTED_CLUSTER = "the address of a Ray cluster of 'ray start' to which this machine belongs"


class RayExecutor(Executor):
    """Runs jobs on the cores of a Ray cluster. Nodes may join and leave it during the run."""

    def __init__(
        self,
        programs: Mapping[str, Path],
        address: str,
        speed_file: Path,
        threads: int = 1,
    ) -> None:
        """Connect to the cluster at `address`, and start a worker on each node.

        A game keeps `threads` cores busy. `speed_file` stores the speed of this machine, so that a
        continued run has the same time limits.
        """
        super().__init__()
        _check_address(address)
        # If Ray cannot reach the cluster, give up after 1 second. By default Ray tries for minutes.
        os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
        ours = signal.getsignal(signal.SIGTERM)
        with reading(f"--ray-address {address}", EXPECTED_CLUSTER, Exception):
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        # `ray.init` replaced our SIGTERM handler. Restore ours: it ends the command with a message.
        signal.signal(signal.SIGTERM, ours)
        # Classes are pickled by value, because the nodes do not have this package.
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
        self.place = f"the Ray cluster at {address}"
        self._local, self._speed_file = programs["engine"], speed_file
        self._programs = ray.put({name: path.read_bytes() for name, path in programs.items()})
        self._package, self._threads = _zip_package(), threads
        self._node: Any = ray.remote(NodeActor)
        self._tried: dict[str, str] = {}
        """For each node the reason why it cannot run the engine, or "" if it can."""
        self._scale: dict[str, float] = {}
        self._looked = 0.0
        self._find_workers()
        self._require_workers()

    def submit(self, jobs: Iterable[Job]) -> None:
        jobs = list(jobs)
        if any(job.is_timed for job in jobs) and not self._scale:
            self._measure_speeds(self.handles)
        super().submit(jobs)

    def close(self) -> None:
        """Disconnect from the cluster. Ray then ends the workers on all nodes."""
        ray.shutdown()

    def _find_workers(self) -> None:
        if time.monotonic() < self._looked + NODE_POLL_SECONDS:
            return
        alive = [node for node in ray.nodes() if node["Alive"] and node["NodeID"] not in self._tried]
        begun = []
        for node in alive:
            cores, place = int(node["Resources"].get("CPU", 0)), f"node {node['NodeManagerAddress']}"
            self._tried[node["NodeID"]] = ""
            for first in range(0, cores, MAX_WORKER_CORES):
                cpus = min(MAX_WORKER_CORES, cores - first)
                games = max(cpus // self._threads, 1)
                here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                options = {
                    "num_cpus": cpus,
                    "max_concurrency": MAX_OPEN_CALLS + 1,
                    "scheduling_strategy": here,
                }
                actor = self._node.options(**options).remote(self._package, self._programs, games)
                send = partial(_send, actor)
                trial = send([Job(("--version",))])
                begun.append((node, trial, WorkerHandle(place, games, send)))
        handles = []
        for node, trial, handle in begun:
            try:
                (reply,) = self._unpack_replies(trial)
            except ray.exceptions.RayError:
                # The node has died.
                continue
            if not reply.error:
                handles.append(handle)
            elif not self._tried[node["NodeID"]]:
                self._tried[node["NodeID"]] = reply.error
                print_message(f"{handle.name} is not used: it cannot run the engine: {reply.error}")
        if self._scale:
            self._measure_speeds(handles)
        self.handles += handles
        self._looked = time.monotonic()

    def _require_workers(self) -> None:
        if not self.handles:
            reasons = list(filter(None, self._tried.values()))
            reason = reasons[-1] if reasons else "all nodes have died"
            raise InputError(
                f"no node of the cluster can run the engine: {reason}; expected at least one that can"
            )

    def _measure_speeds(self, handles: list[WorkerHandle]) -> None:
        """Measure the speed of workers, and set the factors of their time limits."""
        reference = self._reference_speed()
        trials = [(handle, handle.send([Job(BENCH_COMMAND)])) for handle in handles]
        for handle, trial in trials:
            try:
                (reply,) = self._unpack_replies(trial)
            except ray.exceptions.RayError:
                # The worker has died. The next call to the worker will report the death.
                continue
            scale = reference / read_speed(str(reply.result))
            handle.send = partial(handle.send, scale=scale)
            if abs(scale - 1) > SCALE_TOLERANCE and handle.name not in self._scale:
                print_message(f"{handle.name}: times are scaled by {scale:.2f}, as its speed differs")
            self._scale[handle.name] = scale

    def _reference_speed(self) -> float:
        """Return this machine's stored playouts per second, or else measure and store them."""
        if self._speed_file.is_file():
            return read_speed(self._speed_file.read_text(encoding="utf-8"))
        speed = Engine(self._local).speed()
        replace(self._speed_file, json.dumps({"playouts_per_second": speed}).encode() + b"\n")
        return speed

    def _unpack_replies(self, future: Future[Any]) -> list[Reply]:
        return pickle.loads(future.result())

    def _failure_of(self, future: Future[Any]) -> str | None:
        error = future.exception()
        if isinstance(error, ray.exceptions.RayTaskError) or not isinstance(error, ray.exceptions.RayError):
            return None
        return str(error).strip().partition("\n")[0]

    def _retry_jobs(self, handle: WorkerHandle, call: list[Job], death: str) -> None:
        super()._retry_jobs(handle, call, death)
        self._require_workers()


class NodeActor:
    """The Ray actor that holds a worker on a node. The actor gets this Python package as bytes."""

    def __init__(self, package: bytes, programs: dict[str, bytes], cores: int) -> None:
        archive = Path(tempfile.mkdtemp(prefix="quiver-")) / "tuning.zip"
        archive.write_bytes(package)
        sys.path.insert(0, str(archive))
        from tuning.matches.worker import Worker

        archive.unlink()
        archive.parent.rmdir()
        self._worker = Worker(programs, cores)

    def run(self, call: bytes) -> bytes:
        return pickle.dumps(self._worker.run(*pickle.loads(call)))


def _zip_package() -> bytes:
    content, folder = io.BytesIO(), Path(__file__).parents[1]
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(folder.rglob("*.py")):
            archive.write(path, path.relative_to(folder.parent))
    return content.getvalue()


def _send(actor: Any, jobs: list[Job], scale: float = 1.0) -> Future[Any]:  # noqa: ANN401 (Ray's types)
    return actor.run.remote(pickle.dumps((jobs, scale))).future()


def _check_address(address: str) -> None:
    """Raise `InputError` if no program listens at HOST:PORT; Ray would retry for minutes."""
    if address.startswith("ray://"):
        raise InputError(
            f"--ray-address {address}: a driver outside of the cluster needs Ray's client with gRPC, which "
            "requirements-ray.lock leaves out; expected HOST:PORT or auto, on a machine of the cluster"
        )
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host:
        return
    with reading(f"--ray-address {address}", EXPECTED_CLUSTER):
        socket.create_connection((host, int(port)), timeout=10).close()
