"""A cluster that runs Ray: a worker on each node, with all cores of it, that lives as long as the run.

The engine travels to the nodes, so that nothing has to be installed there but Ray. The jobs of a node that dies are
done again elsewhere: a record reaches the state's folder only when it is whole. A node that does not run the engine,
for lack of its C library as a rule, is left out.

Times of moves are those of this machine. A node where `quiver bench` makes half as many playouts a second gets twice
the time.
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
from pathlib import Path
from typing import Any

from tuning.errors import INSTALL, InputError, reading
from tuning.files import replace
from tuning.matches.engine import BENCH, Engine, read_speed
from tuning.matches.executor import CALLS, Executor, Seat
from tuning.matches.progress import say
from tuning.matches.worker import Job, Reply, complaint

with reading("--ray-address", f"Ray beside the other packages: {INSTALL}requirements-ray.lock", ImportError):
    import ray
    import ray.cloudpickle
    import ray.exceptions
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

ALIKE = 0.05
"""The largest difference of a scale from 1 that is not reported."""

PAUSE = 2.0
"""Seconds between two looks for new nodes."""

CLUSTER = "a Ray cluster that 'ray start' has begun there, and this machine is part of"


class RayExecutor(Executor):
    """The cores of a Ray cluster, as many as it has at the moment."""

    def __init__(
        self,
        programs: Mapping[str, Path],
        address: str,
        speed_file: Path,
        threads: int = 1,
        most_cores: int = 128,
        worker: str = "Worker",
    ) -> None:
        """Join the cluster that has this address; a worker has at most `most_cores`, a large node several workers.

        A game keeps as many cores busy as it has `threads`.
        The file keeps the speed of this machine, so that times mean the same when an experiment goes on.
        """
        super().__init__()
        _reach(address)
        # Seconds that Ray tries to find out which cluster it is; it would spend minutes.
        os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
        ours = signal.getsignal(signal.SIGTERM)
        with reading(f"--ray-address {address}", CLUSTER, Exception):
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        # Ray has its own idea of how a process ends; an experiment ends with a report and a word on how to go on.
        signal.signal(signal.SIGTERM, ours)
        # By value, since nodes have no such package until it arrives.
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
        self.place, self._local, self._speed_file = (
            f"the Ray cluster at {address}",
            programs["engine"],
            speed_file,
        )
        self._programs = ray.put({name: path.read_bytes() for name, path in programs.items()})
        self._package, self._most_cores, self._worker = _package(), most_cores, worker
        self._threads = threads
        self._node: Any = ray.remote(Node)
        self._tried: dict[str, str] = {}
        """The nodes that were tried, with the reasons of those that do not run the engine."""
        self._scale: dict[str, float] = {}
        self._actors: dict[Seat, Any] = {}
        self._looked = 0.0
        self._look()
        self._expect_seats()

    def submit(self, jobs: Iterable[Job]) -> None:
        jobs = list(jobs)
        if any(job.is_timed for job in jobs) and not self._scale:
            self._measure(self.seats)
        super().submit(jobs)

    def close(self) -> None:
        """Leave the cluster; Ray then ends the workers."""
        ray.shutdown()

    def _look(self) -> None:
        """Take in new nodes."""
        if time.monotonic() < self._looked + PAUSE:
            return
        alive = [one for one in ray.nodes() if one["Alive"] and one["NodeID"] not in self._tried]
        begun = []
        for node in alive:
            cores, place = int(node["Resources"].get("CPU", 0)), f"node {node['NodeManagerAddress']}"
            self._tried[node["NodeID"]] = ""
            for first in range(0, cores, self._most_cores):
                share = min(self._most_cores, cores - first)
                games = max(share // self._threads, 1)
                here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                how = {"num_cpus": share, "max_concurrency": CALLS + 1, "scheduling_strategy": here}
                actor = self._node.options(**how).remote(self._package, self._worker, self._programs, games)
                trial = actor.call.remote("tried", pickle.dumps((["--version"],)))
                begun.append((node, actor, trial, Seat(place, games, _sender(actor))))
        seats = []
        for node, actor, trial, seat in begun:
            try:
                status, _, errors = pickle.loads(ray.get(trial))
            except ray.exceptions.RayError:
                # The node died meanwhile.
                continue
            if status == 0:
                self._actors[seat] = actor
                seats.append(seat)
            elif not self._tried[node["NodeID"]]:
                self._tried[node["NodeID"]] = complaint(status, errors)
                say(f"{seat.name} is left out: it does not run the engine: {self._tried[node['NodeID']]}")
        if self._scale:
            self._measure(seats)
        self.seats += seats
        self._looked = time.monotonic()

    def _expect_seats(self) -> None:
        if not self.seats:
            reasons = list(filter(None, self._tried.values()))
            reason = reasons[-1] if reasons else "none is left of those that did"
            raise InputError(
                f"no node of the cluster runs the engine: {reason}; expected a node that is alive and runs it"
            )

    def _measure(self, seats: list[Seat]) -> None:
        """Scale the times of these workers by the speed of their nodes."""
        reference = self._reference()
        trials = [(seat, self._actors[seat].call.remote("tried", pickle.dumps((BENCH,)))) for seat in seats]
        for seat, trial in trials:
            try:
                _, told, _ = pickle.loads(ray.get(trial))
                scale = reference / read_speed(told)
                ray.get(self._actors[seat].call.remote("set_scale", pickle.dumps((scale,))))
            except ray.exceptions.RayError:
                # Its first call will find it dead.
                continue
            if abs(scale - 1) > ALIKE and seat.name not in self._scale:
                say(f"{seat.name}: times are scaled by {scale:.2f}, as its speed differs")
            self._scale[seat.name] = scale

    def _reference(self) -> float:
        """Return the speed of this machine: that of the file, if there is one."""
        if self._speed_file.is_file():
            return read_speed(self._speed_file.read_text(encoding="utf-8"))
        speed = Engine(self._local).speed()
        replace(self._speed_file, json.dumps({"playouts_per_second": speed}).encode() + b"\n")
        return speed

    def _replies(self, future: Future[Any]) -> list[Reply]:
        return pickle.loads(future.result())

    def _death(self, future: Future[Any]) -> str | None:
        error = future.exception()
        if isinstance(error, ray.exceptions.RayTaskError) or not isinstance(error, ray.exceptions.RayError):
            return None
        return str(error).strip().partition("\n")[0]

    def _lost(self, seat: Seat, call: list[Job], death: str) -> None:
        super()._lost(seat, call, death)
        self._expect_seats()


class Node:
    """A worker on a node. The package arrives as an archive, so that messages need not carry code."""

    def __init__(self, package: bytes, worker: str, programs: dict[str, bytes], cores: int) -> None:
        """Import the package, and make the worker, of a class of this name."""
        archive = Path(tempfile.mkdtemp(prefix="quiver-")) / "tuning.zip"
        archive.write_bytes(package)
        sys.path.insert(0, str(archive))
        from tuning.matches import worker as module

        archive.unlink()
        archive.parent.rmdir()
        self._worker = getattr(module, worker)(programs, cores)

    def call(self, method: str, arguments: bytes) -> bytes:
        """Call a method of the worker; arguments and result are pickled."""
        return pickle.dumps(getattr(self._worker, method)(*pickle.loads(arguments)))


def _package() -> bytes:
    """Return the archive of this package."""
    content, folder = io.BytesIO(), Path(__file__).parents[1]
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(folder.rglob("*.py")):
            archive.write(path, path.relative_to(folder.parent))
    return content.getvalue()


def _sender(actor: Any) -> Any:  # noqa: ANN401 (Ray's types)
    return lambda jobs: actor.call.remote("run", pickle.dumps((jobs,))).future()


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
