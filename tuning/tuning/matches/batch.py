"""A batch: some paired games between two settings of the engine, played by one command."""

from collections.abc import Iterable
from typing import NamedTuple

OUTPUT = "{output}"
"""In a command: where its output goes, on the machine that runs it."""

Settings = tuple[tuple[str, float], ...]


def assigned(settings: Iterable[tuple[str, float]]) -> list[str]:
    """Return settings as `NAME=VALUE`, as the engine is told them."""
    return [f"{name}={value:.15g}" for name, value in settings]


class Side(NamedTuple):
    """One of two players: the engine with settings of its own and a limit for each move."""

    settings: Settings = ()
    player: str = "quiver"
    """The built-in player."""
    playouts: int | None = None
    time: float | None = None
    threads: int | None = None
    program: str | None = None
    """The name of the program of a player that is a process of its own; None for the engine that plays."""

    def described(self, common: Settings) -> str:
        """Return the player as `quiver match --player` takes it; `common` are the settings of both sides."""
        time = None if self.time is None else f"{{seconds:{self.time:g}}}"
        limits = {"playouts": self.playouts, "time": time}
        if self.program is None:
            settings = ",".join(assigned(self.settings))
            spec = f"{self.player}:{settings}" if settings else self.player
            limits["threads"] = self.threads
        else:
            known = dict(common) | dict(self.settings)
            settings = "".join(f" --set {one}" for one in assigned(known.items()))
            spec = f'"uci:{{{self.program}}} uci --threads {self.threads or 1}{settings}"'
        return " ".join([spec, *(f"{name}={value}" for name, value in limits.items() if value is not None)])

    @property
    def cost(self) -> float:
        """About how long a move takes, in a unit of its own for playouts and for seconds."""
        return self.playouts if self.playouts is not None else (self.time or 0.0)


class Batch(NamedTuple):
    """Games between two sides; which ones follows from its number and the seed."""

    series: str
    """The name of the batches between these sides, which is also their folder."""
    a: Side
    b: Side
    board: int
    games: int
    number: int = 0
    """Batches of one number and seed begin with the same openings in all series."""
    seed: int = 1
    random_plies: int = 4
    clock: str = "cpu"
    common: Settings = ()
    """Settings of both sides."""
    recorded: bool = True
    """True if the records of games are kept, and not their outcome alone."""

    @property
    def key(self) -> tuple[str, int]:
        """The name of this batch among all of an experiment."""
        return self.series, self.number

    @property
    def limit(self) -> str:
        """The limit of a move of the first side, in words."""
        by_time = f"{self.a.time or 0:g} s of {self.clock} time"
        return by_time if self.a.playouts is None else f"{self.a.playouts} playouts"

    def between(self, a: Settings, b: Settings, number: int) -> "Batch":
        """Return the batch of a number between the same sides with other settings."""
        return self._replace(a=self.a._replace(settings=a), b=self.b._replace(settings=b), number=number)

    def command(self) -> tuple[str, ...]:
        words, seed = ["match"], (self.seed << 20) + self.number
        for side in (self.a, self.b):
            words += ["--player", side.described(self.common)]
        for setting in assigned(self.common):
            words += ["--set", setting]
        words += ["--board", str(self.board), "--games", str(self.games), "--seed", str(seed)]
        words += ["--random-plies", str(self.random_plies), "--clock", self.clock]
        return (*words, *(("--record", OUTPUT, "--resume") if self.recorded else ()), "--json")
