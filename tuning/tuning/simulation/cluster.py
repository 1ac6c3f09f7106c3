"""Workers that take a batch each, in simulated time."""

import heapq
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

SPREAD = 0.09
"""The standard deviation of the logarithm of a batch's time on one node, as eight batches of 20 games had it."""
NODE_SPREAD = 0.3
"""The same of the nodes' speeds, assumed: the slowest of a hundred is about half as fast as the middle one."""
CORES = 16
"""Workers of a node, which are equally fast."""
OVERHEAD = 0.05
"""Seconds between a worker's batches, assumed: Ray begins a task and returns its record."""

Key = TypeVar("Key")


class Asker(Protocol[Key]):
    """Asks for batches by keys of its own, and is told when they have been played."""

    def ask(self) -> Key | None:
        """Return a batch to play; None if none is wanted now."""

    def tell(self, key: Key) -> None:
        """Take note that a batch has been played."""


@dataclass(frozen=True)
class Passed:
    """What a run took."""

    seconds: float
    batches: int
    busy: float
    """The share of the time that workers were playing."""


@dataclass(frozen=True)
class Cluster:
    """Workers on nodes of different speeds."""

    workers: int
    seconds: float
    """The mean time of a batch on a node of mean speed."""

    def run(self, asker: Asker[Key], rng: np.random.Generator) -> Passed:
        """Let workers play until nothing more is asked."""
        nodes = np.exp(rng.normal(0, NODE_SPREAD, -(-self.workers // CORES)))
        idle = list(range(self.workers))
        playing: list[tuple[float, int, int, Key]] = []
        now, begun, batches, busy = 0.0, 0, 0, 0.0
        while True:
            while idle and (key := asker.ask()) is not None:
                worker = idle.pop()
                taken = self.seconds * nodes[worker // CORES] * float(np.exp(rng.normal(0, SPREAD)))
                begun += 1
                heapq.heappush(playing, (now + taken + OVERHEAD, begun, worker, key))
                busy += taken
            if not playing:
                return Passed(now, batches, busy / (now * self.workers) if now else 0.0)
            now, _, worker, key = heapq.heappop(playing)
            idle.append(worker)
            batches += 1
            asker.tell(key)
