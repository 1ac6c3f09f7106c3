"""Describes a batch: a few paired games of two players, which one command of the engine plays."""

import shlex
from collections.abc import Iterable
from typing import NamedTuple

OUTPUT_PATH = "{output}"
"""The word in a command that the worker replaces by the path of the command's output file."""

Settings = tuple[tuple[str, float], ...]


def as_assignments(settings: Iterable[tuple[str, float]]) -> list[str]:
    return [f"{name}={value:.15g}" for name, value in settings]


class Side(NamedTuple):
    """A player of a batch: an engine or built-in player, with settings and limits for each move."""

    settings: Settings = ()
    player: str = "quiver"
    """The name of the built-in player, as in `quiver match --player`."""
    playouts: int | None = None
    time: float | None = None
    threads: int | None = None
    program: str | None = None
    """The name of the program, if the player runs as a separate process; else None."""

    def as_player(self, common: Settings) -> str:
        """Return the argument of `quiver match --player`. `common` has settings of both sides."""
        time = None if self.time is None else f"{{seconds:{self.time:g}}}"
        limits = {"playouts": self.playouts, "time": time}
        if self.program is None:
            settings = ",".join(as_assignments(self.settings))
            spec = shlex.quote(f"{self.player}:{settings}" if settings else self.player)
            limits["threads"] = self.threads
        else:
            known = dict(common) | dict(self.settings)
            settings = "".join(f" --set {setting}" for setting in as_assignments(known.items()))
            spec = f'"uci:{{{self.program}}} uci --threads {self.threads or 1}{settings}"'
        return " ".join([spec, *(f"{name}={value}" for name, value in limits.items() if value is not None)])

    @property
    def cost(self) -> float:
        return self.playouts if self.playouts is not None else (self.time or 0.0)


class Batch(NamedTuple):
    """Paired games between two sides. The openings depend only on the batch's seed and number."""

    group: str
    """The name of the batch's match, trial or SPSA run, and of its folder of records."""
    a: Side
    b: Side
    board: int
    games: int
    number: int = 0
    seed: int = 1
    random_plies: int = 4
    shipped_openings: bool = False
    clock: str = "cpu"
    common: Settings = ()
    recorded: bool = True

    @property
    def key(self) -> tuple[str, int]:
        return self.group, self.number

    @property
    def limit_text(self) -> str:
        by_time = f"{self.a.time or 0:g} s of {self.clock} time"
        return by_time if self.a.playouts is None else f"{self.a.playouts} playouts"

    def between(self, a: Settings, b: Settings, number: int) -> "Batch":
        return self._replace(a=self.a._replace(settings=a), b=self.b._replace(settings=b), number=number)

    def command(self) -> tuple[str, ...]:
        words, seed = ["match"], (self.seed << 20) + self.number
        for side in (self.a, self.b):
            words += ["--player", side.as_player(self.common)]
        for setting in as_assignments(self.common):
            words += ["--set", setting]
        words += ["--board", str(self.board), "--games", str(self.games), "--seed", str(seed)]
        shipped = ("--openings", "suite", "--openings-shuffled")
        words += shipped if self.shipped_openings else ("--random-plies", str(self.random_plies))
        words += ["--clock", self.clock]
        return (*words, *(("--record", OUTPUT_PATH, "--resume") if self.recorded else ()), "--json")
