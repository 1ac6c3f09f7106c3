"""A batch: a few paired games between two players, which one command of the engine plays."""

from collections.abc import Iterable
from typing import NamedTuple

OUTPUT_PATH = "{output}"
"""A word of a command that the worker replaces by the path of the output file."""

Settings = tuple[tuple[str, float], ...]


def as_assignments(settings: Iterable[tuple[str, float]]) -> list[str]:
    """Return settings as texts `NAME=VALUE` for the engine's command line."""
    return [f"{name}={value:.15g}" for name, value in settings]


class Side(NamedTuple):
    """A player of a batch: an engine or built-in player, its settings and its limits."""

    settings: Settings = ()
    player: str = "quiver"
    """The name of the built-in player, as in `quiver match --player`."""
    playouts: int | None = None
    time: float | None = None
    threads: int | None = None
    program: str | None = None
    """The name of the program if the player is a separate process; None for a built-in player."""

    def as_player(self, common: Settings) -> str:
        """Return the player for `quiver match --player`; `common` are settings of both sides."""
        time = None if self.time is None else f"{{seconds:{self.time:g}}}"
        limits = {"playouts": self.playouts, "time": time}
        if self.program is None:
            settings = ",".join(as_assignments(self.settings))
            spec = f"{self.player}:{settings}" if settings else self.player
            limits["threads"] = self.threads
        else:
            known = dict(common) | dict(self.settings)
            settings = "".join(f" --set {one}" for one in as_assignments(known.items()))
            spec = f'"uci:{{{self.program}}} uci --threads {self.threads or 1}{settings}"'
        return " ".join([spec, *(f"{name}={value}" for name, value in limits.items() if value is not None)])

    @property
    def cost(self) -> float:
        """The limit of a move as a number: its playouts, or else its seconds, or else 0."""
        return self.playouts if self.playouts is not None else (self.time or 0.0)


class Batch(NamedTuple):
    """Paired games between two sides; seed and number of the batch decide their openings."""

    series: str
    """The name of the series of batches between these sides, and of their folder of records."""
    a: Side
    b: Side
    board: int
    games: int
    number: int = 0
    """Batches with equal numbers and seeds have the same openings in all series."""
    seed: int = 1
    random_plies: int = 4
    clock: str = "cpu"
    common: Settings = ()
    """Engine settings of both sides."""
    recorded: bool = True
    """True if the game records are stored; else only the outcome is stored."""

    @property
    def key(self) -> tuple[str, int]:
        """The key that identifies this batch within an experiment."""
        return self.series, self.number

    @property
    def limit(self) -> str:
        """A description of the first side's limit for a move."""
        by_time = f"{self.a.time or 0:g} s of {self.clock} time"
        return by_time if self.a.playouts is None else f"{self.a.playouts} playouts"

    def between(self, a: Settings, b: Settings, number: int) -> "Batch":
        """Return the batch of this number between the same sides with settings `a` and `b`."""
        return self._replace(a=self.a._replace(settings=a), b=self.b._replace(settings=b), number=number)

    def command(self) -> tuple[str, ...]:
        words, seed = ["match"], (self.seed << 20) + self.number
        for side in (self.a, self.b):
            words += ["--player", side.as_player(self.common)]
        for setting in as_assignments(self.common):
            words += ["--set", setting]
        words += ["--board", str(self.board), "--games", str(self.games), "--seed", str(seed)]
        words += ["--random-plies", str(self.random_plies), "--clock", self.clock]
        return (*words, *(("--record", OUTPUT_PATH, "--resume") if self.recorded else ()), "--json")
