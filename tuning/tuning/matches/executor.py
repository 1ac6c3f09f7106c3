"""Sends jobs to workers on this machine or on a cluster. A call sends a worker one or many jobs.

The games of a job with fixed playouts are the same on this machine and on a cluster.
"""

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from tuning.errors import InputError
from tuning.files import replace
from tuning.matches.progress import print_message
from tuning.matches.worker import MAX_TRIES, POLL_SECONDS, Job, JobResult, Reply, Worker

CALL_SECONDS = 5.0
"""The intended duration in seconds of a call to a worker. Shorter calls have too much overhead."""

MAX_OPEN_CALLS = 6
"""The largest number of unfinished calls to a worker. Queued calls keep the worker busy."""

MAX_CALL_JOBS = 10_000
"""The largest number of jobs in a call to a worker."""


@dataclass(eq=False)
class WorkerHandle:
    """The executor's data about a worker, which may run on another machine."""

    name: str
    cores: int
    send: Callable[..., Future[Any]]
    calls: dict[Future[Any], list[Job]] = field(default_factory=dict)
    jobs_per_core: int = 1
    """The number of jobs that the next call sends for each core of the worker.

    The number begins at 1, so that a short run plays no unneeded games. After each call the number
    is set so that a call takes about `CALL_SECONDS`, but it is at most doubled.
    """

    @property
    def max_call_jobs(self) -> int:
        """The largest number of jobs that the next call to this worker may have."""
        return min(self.cores * self.jobs_per_core, MAX_CALL_JOBS)

    def adapt_jobs_per_core(self, replies: Sequence[Reply]) -> None:
        seconds = sum(reply.seconds for reply in replies) / len(replies)
        self.jobs_per_core = max(min(2 * self.jobs_per_core, int(CALL_SECONDS / max(seconds, 1e-4))), 1)

    @property
    def free_job_slots(self) -> int:
        """The number of jobs that the worker can take now.

        A worker may have up to `MAX_OPEN_CALLS` times `jobs_per_core` jobs for each core, but only
        two jobs for each core if `jobs_per_core` is 1.
        """
        held = 2 if self.jobs_per_core == 1 else MAX_OPEN_CALLS * self.jobs_per_core
        free = max(self.cores * held - sum(map(len, self.calls.values())), 0)
        return free if len(self.calls) < MAX_OPEN_CALLS else 0


class Executor(ABC):
    """Holds a queue of jobs, sends them to workers in calls, and receives the results."""

    place: str
    """The name of the workers' machine or cluster for messages."""

    def __init__(self) -> None:
        self.handles: list[WorkerHandle] = []
        self._waiting: deque[Job] = deque()
        self._ended: SimpleQueue[tuple[WorkerHandle, Future[Any]]] = SimpleQueue()
        self._deaths: dict[Job, int] = {}
        self._refusal = ""

    @property
    def cores(self) -> int:
        return sum(handle.cores for handle in self.handles)

    @property
    def free_job_slots(self) -> int:
        return sum(handle.free_job_slots for handle in self.handles) - len(self._waiting)

    @property
    def is_idle(self) -> bool:
        return not self._refusal and not self._waiting and not any(handle.calls for handle in self.handles)

    def submit(self, jobs: Iterable[Job]) -> None:
        """Add jobs to the queue, and send as many as workers can take, evenly over their cores."""
        self._waiting.extend(jobs)
        while self._waiting and (free := [handle for handle in self.handles if handle.free_job_slots > 0]):
            cores, total = sum(handle.cores for handle in free), len(self._waiting)
            for handle in free:
                count = min(-(-total * handle.cores // cores), handle.max_call_jobs, len(self._waiting))
                if count:
                    call = [self._waiting.popleft() for _ in range(count)]
                    future = handle.send(call)
                    handle.calls[future] = call
                    future.add_done_callback(partial(self._note_ended_call, handle))

    def _note_ended_call(self, handle: WorkerHandle, future: Future[Any]) -> None:
        self._ended.put((handle, future))

    def poll(self) -> list[tuple[Job, JobResult]]:
        """Wait up to `POLL_SECONDS` for calls to end; return their jobs, each with its result."""
        if self._refusal:
            raise InputError(self._refusal)
        try:
            ended = [self._ended.get(timeout=POLL_SECONDS)]
        except Empty:
            self._find_workers()
            self.submit(())
            return []
        while not self._ended.empty():
            ended.append(self._ended.get())
        results: list[tuple[Job, JobResult]] = []
        for handle, future in ended:
            call = handle.calls.pop(future)
            if (death := self._failure_of(future)) is not None:
                self._retry_jobs(handle, call, death)
                continue
            replies = self._unpack_replies(future)
            handle.adapt_jobs_per_core(replies)
            for job, reply in zip(call, replies, strict=True):
                if reply.error:
                    self._refusal = reply.error
                    continue
                if reply.content is not None and job.output is not None:
                    job.output.parent.mkdir(parents=True, exist_ok=True)
                    replace(job.output, reply.content)
                results.append((job, reply.result))
        # Results of ended jobs are returned before the error of another job is raised.
        if self._refusal and not results:
            raise InputError(self._refusal)
        return results

    def run_jobs(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, JobResult]]:
        left = deque(jobs)
        while left or not self.is_idle:
            self.submit([left.popleft() for _ in range(min(self.free_job_slots, len(left)))])
            yield from self.poll()

    def _retry_jobs(self, handle: WorkerHandle, call: list[Job], death: str) -> None:
        if handle in self.handles:
            self.handles.remove(handle)
            print_message(f"{handle.name}: {death}; its jobs are run again")
        for job in reversed(call):
            tried = self._deaths[job] = self._deaths.get(job, 0) + 1
            if tried >= MAX_TRIES:
                raise InputError(f"{handle.name}: {death}, {MAX_TRIES} times; expected the job to end")
            self._waiting.appendleft(job)
        self._find_workers()

    def _unpack_replies(self, future: Future[Any]) -> list[Reply]:
        return future.result()

    def _failure_of(self, future: Future[Any]) -> str | None:
        """Return as text why a worker died during a call, or None if the worker did not die."""
        return None

    def _find_workers(self) -> None:  # noqa: B027 (most executors have the same workers all the time)
        """Look for workers that have become available, and add them."""

    @abstractmethod
    def close(self) -> None:
        """End the jobs in progress and release the workers."""


class LocalExecutor(Executor):
    """Runs jobs on the cores of this machine."""

    def __init__(self, programs: Mapping[str, Path], cores: int) -> None:
        super().__init__()
        self._worker, self._threads = (
            Worker(programs, cores, print_message),
            ThreadPoolExecutor(MAX_OPEN_CALLS),
        )
        self.place = "this machine"
        self.handles = [
            WorkerHandle(self.place, cores, lambda jobs: self._threads.submit(self._worker.run, jobs))
        ]

    def close(self) -> None:
        self._worker.close()
        self._threads.shutdown(cancel_futures=True)


def all_cores() -> int:
    return len(os.sched_getaffinity(0))
