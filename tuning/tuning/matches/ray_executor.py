"""A cluster that runs Ray. The engine travels to its nodes, so that nothing has to be installed there but Ray.

A batch whose worker or node dies is played again from its beginning: a record reaches the state's folder only when it
is whole.
"""

import logging
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from tuning.errors import InputError
from tuning.matches.engine import Engine
from tuning.matches.executor import DeathError, Job, filled_in, judge, retried

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
"""Seconds after which whoever waits for a job looks up, whether it is still wanted."""

Files = dict[str, bytes]
"""What a job has written: contents by path within its output, "" for an output that is a file."""


class RayExecutor:
    """The cores of a Ray cluster, as many as it has at the moment."""

    def __init__(self, engine: Engine, address: str) -> None:
        """Join the cluster that has this address."""
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
        self.place = f"the Ray cluster at {address}"
        self._engine = ray.put(engine.path.read_bytes())
        self._play = ray.remote(max_retries=0)(_play)
        self._threads = ThreadPoolExecutor(MOST_AT_A_TIME)
        self._closing = threading.Event()

    @property
    def cores(self) -> int:
        """The cores of all nodes that are alive."""
        return max(int(ray.cluster_resources().get("CPU", 0)), 1)

    def submit(self, job: Job) -> Future[None]:
        """Begin a job."""
        return self._threads.submit(retried, lambda: self._run(job), str(job.output))

    def close(self) -> None:
        """Leave the cluster, which gives up what it is playing."""
        self._closing.set()
        # In this order: Ray never wakes who still waits for a result when it is shut down.
        self._threads.shutdown(cancel_futures=True)
        ray.shutdown()

    def _run(self, job: Job) -> None:
        try:
            played = self._play.options(num_cpus=job.cores).remote(self._engine, job.words)
            while not ray.wait([played], timeout=PATIENCE)[0]:
                if self._closing.is_set():
                    return
            status, errors, files = ray.get(played)
        except ray.exceptions.RayTaskError:
            raise
        except ray.exceptions.RayError as error:
            if self._closing.is_set():
                return
            raise DeathError(str(error).strip().partition("\n")[0]) from error
        judge(status, errors)
        _keep(files, job.output)


def _play(engine: bytes, words: tuple[str, ...]) -> tuple[int, str, Files]:
    """Run the engine, on a node; return its status, what it complains of and what it wrote."""
    with tempfile.TemporaryDirectory(prefix="quiver-") as name:
        folder = Path(name)
        binary, output = folder / "engine", folder / "output"
        binary.write_bytes(engine)
        binary.chmod(0o700)
        done = subprocess.run(
            filled_in(words, binary, output),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if output.is_file():
            return done.returncode, done.stderr, {"": output.read_bytes()}
        files = [path for path in output.rglob("*") if path.is_file()]
        return (
            done.returncode,
            done.stderr,
            {str(path.relative_to(output)): path.read_bytes() for path in files},
        )


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


ADVICE = "'ray start' has begun there, and this machine is part of"


def _reach(address: str) -> None:
    """See that somebody listens at HOST:PORT: Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host:
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, ValueError, OverflowError) as error:
        raise InputError(f"--ray-address {address}: {error}; expected a Ray cluster that {ADVICE}") from error
