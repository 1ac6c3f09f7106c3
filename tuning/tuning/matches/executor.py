"""Hands jobs to workers, several a call, on this machine or (`ray_executor`) on a cluster.

Either gives the same games for the same jobs.
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
from tuning.matches.progress import say
from tuning.matches.worker import PATIENCE, TRIES, Job, Reply, Said, Worker

CALL_SECONDS = 5.0
"""The time that a call should take: long beside what it costs, short beside a run."""

CALLS = 6
"""Calls that a worker holds at most: one comes back whole, and the others keep the cores busy meanwhile."""

MOST_JOBS = 10_000
"""Jobs of a call, at most."""


@dataclass(eq=False)
class Seat:
    """A worker, as it is seen from here."""

    name: str
    cores: int
    send: Callable[[list[Job]], Future[Any]]
    calls: dict[Future[Any], list[Job]] = field(default_factory=dict)
    rounds: int = 1
    """Jobs of a core in the next call: they double until the call takes `CALL_SECONDS`.

    A run that ends soon has then few games that nobody needed.
    """

    @property
    def most(self) -> int:
        """Jobs of the next call."""
        return min(self.cores * self.rounds, MOST_JOBS)

    def learn(self, replies: Sequence[Reply]) -> None:
        """Measure a call, and choose the size of the next ones."""
        seconds = sum(reply.seconds for reply in replies) / len(replies)
        self.rounds = max(min(2 * self.rounds, int(CALL_SECONDS / max(seconds, 1e-4))), 1)

    @property
    def room(self) -> int:
        return room_of(self.cores, self.rounds, [len(call) for call in self.calls.values()])


def room_of(cores: int, rounds: int, calls: Sequence[int]) -> int:
    """Return how many jobs a worker can take beside its calls of these sizes, `rounds` jobs of a core being a call.

    A core has at most one job that waits, where a job is as long as a call.
    """
    held = 2 if rounds == 1 else CALLS * rounds
    return max(cores * held - sum(calls), 0) if len(calls) < CALLS else 0


class Executor(ABC):
    """Workers, the jobs that wait for them, and the calls that they are at work on."""

    place: str

    def __init__(self) -> None:
        self.seats: list[Seat] = []
        self._waiting: deque[Job] = deque()
        self._ended: SimpleQueue[tuple[Seat, Future[Any]]] = SimpleQueue()
        self._deaths: dict[Job, int] = {}
        self._refusal = ""
        self.calls = 0
        """Calls so far."""

    @property
    def cores(self) -> int:
        return sum(seat.cores for seat in self.seats)

    @property
    def room(self) -> int:
        """Jobs that it can take now."""
        return sum(seat.room for seat in self.seats) - len(self._waiting)

    @property
    def is_idle(self) -> bool:
        return not self._refusal and not self._waiting and not any(seat.calls for seat in self.seats)

    def submit(self, jobs: Iterable[Job]) -> None:
        """Take jobs, and hand them to workers in even shares."""
        self._waiting.extend(jobs)
        while self._waiting and (free := [seat for seat in self.seats if seat.room > 0]):
            cores, total = sum(seat.cores for seat in free), len(self._waiting)
            for seat in free:
                count = min(-(-total * seat.cores // cores), seat.most, len(self._waiting))
                if count:
                    call = [self._waiting.popleft() for _ in range(count)]
                    future, self.calls = seat.send(call), self.calls + 1
                    seat.calls[future] = call
                    future.add_done_callback(partial(self._note, seat))

    def _note(self, seat: Seat, future: Future[Any]) -> None:
        self._ended.put((seat, future))

    def wait(self) -> list[tuple[Job, Said]]:
        """Wait until a call has ended; return its jobs with what they came to, and all others that have ended."""
        if self._refusal:
            raise InputError(self._refusal)
        try:
            ended = [self._ended.get(timeout=PATIENCE)]
        except Empty:
            self._look()
            self.submit(())
            return []
        while not self._ended.empty():
            ended.append(self._ended.get())
        found: list[tuple[Job, Said]] = []
        for seat, future in ended:
            call = seat.calls.pop(future)
            if (death := self._death(future)) is not None:
                self._lost(seat, call, death)
                continue
            replies = self._replies(future)
            seat.learn(replies)
            for job, reply in zip(call, replies, strict=True):
                if reply.error:
                    self._refusal = reply.error
                    continue
                if reply.content is not None and job.output is not None:
                    job.output.parent.mkdir(parents=True, exist_ok=True)
                    replace(job.output, reply.content)
                found.append((job, reply.said))
        # What has ended is counted before the run ends with an error.
        if self._refusal and not found:
            raise InputError(self._refusal)
        return found

    def each(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Said]]:
        """Yield all of these jobs with what they came to, as they end."""
        left = deque(jobs)
        while left or not self.is_idle:
            self.submit([left.popleft() for _ in range(min(self.room, len(left)))])
            yield from self.wait()

    def _lost(self, seat: Seat, call: list[Job], death: str) -> None:
        """Give the jobs of a worker that died to the others."""
        if seat in self.seats:
            self.seats.remove(seat)
            say(f"{seat.name}: {death}; its jobs are tried again")
        for job in reversed(call):
            tried = self._deaths[job] = self._deaths.get(job, 0) + 1
            if tried >= TRIES:
                raise InputError(f"{seat.name}: {death}, {TRIES} times at the same job; expected it to end")
            self._waiting.appendleft(job)
        self._look()

    def _replies(self, future: Future[Any]) -> list[Reply]:
        """Return the answers of a call."""
        return future.result()

    def _death(self, future: Future[Any]) -> str | None:
        """Return how the worker of a call died; None if it did not."""
        return None

    def _look(self) -> None:  # noqa: B027 (most executors have the same workers all the time)
        """See whether there are other workers than before."""

    @abstractmethod
    def close(self) -> None:
        """End the jobs in progress."""


class LocalExecutor(Executor):
    """The cores of this machine."""

    def __init__(self, programs: Mapping[str, Path], cores: int) -> None:
        super().__init__()
        self._worker, self._threads = Worker(programs, cores, say), ThreadPoolExecutor(CALLS)
        self.place = "this machine"
        self.seats = [Seat(self.place, cores, lambda jobs: self._threads.submit(self._worker.run, jobs))]

    def close(self) -> None:
        self._worker.close()
        self._threads.shutdown(cancel_futures=True)


def all_cores() -> int:
    return len(os.sched_getaffinity(0))
