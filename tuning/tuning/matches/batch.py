"""A batch: some paired games between two settings of the engine, played by one command."""

from dataclasses import dataclass, field

from tuning.matches.parameters import Parameters

ENGINE, OUTPUT = "{engine}", "{output}"
"""In a command: where the engine is, and where its output goes, on the machine that runs it."""


def seconds(time: float) -> str:
    """Return a time in a command, which a cluster scales by the speed of the node that runs it."""
    return f"{{seconds:{time:g}}}"


@dataclass(frozen=True)
class Side:
    """One of two players: the engine with settings of its own and a limit for each move."""

    settings: tuple[tuple[str, float], ...] = ()
    playouts: int | None = None
    time: float | None = None
    threads: int | None = None
    """Search threads, for a player that is a process of its own: those within a match all have as many."""
    program: str | None = field(default=None, repr=False)
    """The program of a player that is a process of its own, quoted for a shell; None for the engine that plays."""

    def spec(self, table: Parameters, common: tuple[tuple[str, float], ...]) -> str:
        """Return the player as `quiver match` is told it; `common` are the settings of both sides."""
        if self.threads is None and self.program is None:
            words = [f"{name}={table[name].text(value)}" for name, value in self.settings]
            return "quiver" + (":" + ",".join(words) if words else "")
        settings = dict(common) | dict(self.settings)
        words = [f"--set {name}={table[name].text(value)}" for name, value in settings.items()]
        return " ".join([f"uci:{self.program or ENGINE} uci --threads {self.threads or 1}", *words])

    @property
    def cost(self) -> float:
        """About how long a move takes, in a unit of its own for playouts and for seconds."""
        return self.playouts if self.playouts is not None else (self.time or 0.0)


@dataclass(frozen=True)
class Terms:
    """What all games of an experiment have in common."""

    board: int
    seed: int = 1
    random_plies: int = 4
    clock: str = "cpu"
    common: tuple[tuple[str, float], ...] = ()
    """Settings of both sides."""


def spoken(limit: Side, terms: Terms) -> str:
    """Return a limit as people say it."""
    return (
        f"{limit.playouts} playouts"
        if limit.playouts is not None
        else f"{limit.time:g} s of {terms.clock} time"
    )


@dataclass(frozen=True)
class Batch:
    """Games between two sides; which ones follows from its number and the experiment's seed."""

    a: Side
    b: Side
    terms: Terms
    games: int
    number: int

    @property
    def cores(self) -> int:
        """How many cores a game keeps busy: its sides think in turn."""
        return max(self.a.threads or 1, self.b.threads or 1)

    @property
    def seed(self) -> int:
        """The seed of its games: batches of one number begin with the same openings in all series."""
        return (self.terms.seed << 20) + self.number

    def command(self, table: Parameters) -> tuple[str, ...]:
        """Return the arguments of the engine's command."""
        words = ["match"]
        for name, side in (("a", self.a), ("b", self.b)):
            words += [f"--{name}", side.spec(table, self.terms.common)]
            if side.playouts is not None:
                words += [f"--{name}-playouts", str(side.playouts)]
            if side.time is not None:
                words += [f"--{name}-time", seconds(side.time)]
        for name, value in self.terms.common:
            words += ["--set", f"{name}={table[name].text(value)}"]
        words += ["--board", str(self.terms.board), "--games", str(self.games), "--seed", str(self.seed)]
        words += ["--random-plies", str(self.terms.random_plies), "--clock", self.terms.clock]
        return (*words, "--record", OUTPUT, "--resume", "--json")
