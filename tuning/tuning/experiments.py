"""The list of experiments, `tuning/experiments.toml`: what is measured, on which boards, by which command.

A section is an experiment. `[NAME.8]` holds what differs on 8x8. Each board is measured, kept and renewed by itself.
"""

import dataclasses
import hashlib
import json
import re
import shlex
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tuning.errors import InputError, reading
from tuning.provenance import ROOT

LIST = ROOT / "tuning" / "experiments.toml"
"""The experiments of the repository."""

BOARDS, DEPENDS, CLOCKS = (4, 5, 6, 8, 10), ("play", "network", "weights"), ("cpu", "wall")
"""Values of `boards`, of `depends` (a part of what `quiver bench --signature --board N` tells), and of `clock`."""

SEEDS = 2**40
"""Seeds are below this: the numbers of batches follow them in the engine's seeds."""


@dataclass(frozen=True)
class Row:
    """A row of the result: a match of two players, or a command of an engine."""

    name: str
    a: str = ""
    b: str = ""
    """Players, as `quiver match --player` takes them; the SPEC `commit:REF` is the engine of a commit."""
    games: int = 0
    command: str = ""
    """Arguments of the engine; `{record}` stands for a file that is kept to resume."""
    engine: str = ""
    """The commit whose engine runs the command; empty for the engine that is measured."""
    keep: Sequence[str] = ()
    """Fields of the command's JSON that are kept."""
    alone: bool = False
    """True if the machine must be idle: the command measures a speed."""


@dataclass(frozen=True)
class Experiment:
    """An experiment on one board."""

    name: str
    board: int
    question: str
    minutes: float
    """The expected time on one core; 0 if the list does not say."""
    rows: tuple[Row, ...]
    depends: str = "play"
    error: float | None = None
    """The half of the 95 % interval, in Elo, at which a match of at least `games` games stops."""
    most: int = 0
    batch: int = 20
    seed: int = 1
    random_plies: int = 4
    clock: str = "cpu"
    set: Sequence[str] = ()
    """Settings of both players."""
    made_by: str = ""
    """The command that makes the result, for a fit that `measure` does not repeat."""

    @property
    def is_match(self) -> bool:
        return bool(self.rows and self.rows[0].a)

    @property
    def is_timed(self) -> bool:
        """True if the result depends on the speed of the machine."""
        return any(row.alone for row in self.rows) or self.mentions("time=")

    @property
    def is_repeatable(self) -> bool:
        """True if games depend on seed and playouts alone: no time, one thread, no other engine."""
        return self.is_match and not self.mentions("time=", "threads=", "commit:")

    @property
    def threads(self) -> int:
        """The threads of a player, at most."""
        players = " ".join(f"{row.a} {row.b}" for row in self.rows)
        return max(map(int, re.findall(r"\bthreads=(\d+)", players)), default=1)

    def mentions(self, *words: str) -> bool:
        """Return whether the description of a player has one of these words."""
        players = " ".join(f"{row.a} {row.b}" for row in self.rows)
        return any(word in players for word in words)

    @property
    def definition(self) -> dict[str, Any]:
        """The settings that decide the result, as JSON values."""
        rows = [{name: value for name, value in vars(row).items() if value} for row in self.rows]
        others = vars(self).keys() - {"question", "minutes"}
        fields = {name: value for name, value in vars(self).items() if value and name in others}
        return json.loads(json.dumps(fields | {"rows": rows}))

    @property
    def key(self) -> str:
        return hashlib.sha256(json.dumps(self.definition, sort_keys=True).encode()).hexdigest()[:16]


NUMBER = (int, float)
KINDS: dict[Any, Any] = {
    str: str,
    bool: bool,
    int: int,
    float: NUMBER,
    float | None: NUMBER,
    Sequence[str]: list,
}
"""The values in TOML of a field, by its type."""
ROW_KEYS = {one.name: KINDS[one.type] for one in dataclasses.fields(Row)}
# The section's name and its boards stand for the first two fields.
FIELDS = {one.name: KINDS[one.type] for one in dataclasses.fields(Experiment)[2:] if one.name != "rows"}
KEYS = FIELDS | {"boards": list, "chain": list, "rows": list, "games": (int, list)}


def read_experiments(path: Path = LIST) -> list[Experiment]:
    """Read a list of experiments, one for each board of each section."""
    with reading(path, "a list of experiments in TOML"):
        sections = tomllib.loads(path.read_text(encoding="utf-8"))
    found = []
    for name, section in sections.items():
        try:
            if not isinstance(section, dict):
                raise InputError(f"a value of {section}, expected the keys of an experiment")
            common = {key: value for key, value in section.items() if not key.isdigit()}
            _check(common, KEYS)
            boards = common.get("boards") or [None]
            for key in section.keys() - common.keys():
                if key not in map(str, boards) or not isinstance(section[key], dict):
                    raise InputError(f"{key} = {section[key]}, expected a table of one of its boards")
            found += [_experiment(name, board, common | section.get(str(board), {})) for board in boards]
        except InputError as error:
            raise InputError(f"{path}, [{name}]: {error}") from None
    return found


def _experiment(name: str, board: int, fields: dict[str, Any]) -> Experiment:
    _check(fields, KEYS)
    given: dict[str, Any] = {"question": "", "minutes": 0.0, "rows": ()}
    given |= {key: value for key, value in fields.items() if key in FIELDS}
    one = Experiment(f"{name}-{board}", board, **given)
    for holds, got in (
        (board in BOARDS, f"boards = {fields.get('boards')}, expected a list of 4, 5, 6, 8 and 10"),
        (one.depends in DEPENDS, f"depends = '{one.depends}', expected one of {', '.join(DEPENDS)}"),
        (len({"chain", "rows", "made_by"} & fields.keys()) == 1, "expected either chain, rows or made_by"),
        (one.clock in CLOCKS, f"clock = '{one.clock}', expected cpu or wall"),
        (0 <= one.seed < SEEDS, f"seed = {one.seed}, expected a number from 0, below 2^40"),
        (one.batch >= 2 and one.batch % 2 == 0, f"batch = {one.batch}, expected an even number from 2"),
        (one.error is None or one.error > 0, f"error = {one.error}, expected one above 0"),
    ):
        if not holds:
            raise InputError(got)
    texts = _links(fields) if "chain" in fields else fields.get("rows", [])
    rows = tuple(_row(row, fields, board) for row in texts)
    if len({row.name for row in rows}) < len(rows):
        raise InputError(f"rows {', '.join(row.name for row in rows)}: expected a name of its own for each")
    if len({bool(row.a) for row in rows}) > 1:
        raise InputError("expected rows of matches, or rows of commands")
    return dataclasses.replace(one, rows=rows, made_by=one.made_by.replace("{board}", str(board)))


def _links(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a chain: each player against the one before."""
    chain, games = fields["chain"], fields.get("games", 0)
    if len(chain) < 2 or not all(isinstance(player, str) for player in chain):
        raise InputError("chain: expected two players or more, as strings")
    counts = games if isinstance(games, list) else [games] * (len(chain) - 1)
    if len(counts) != len(chain) - 1:
        raise InputError(f"games = {games}, expected {len(chain) - 1} numbers for {len(chain)} players")
    pairs = zip(pairwise(chain), counts, strict=True)
    return [{"name": a, "a": a, "b": b, "games": count} for (b, a), count in pairs]


def _row(row: object, fields: dict[str, Any], board: int) -> Row:
    if not isinstance(row, dict):
        raise InputError(f"row {row}, expected a table of keys")
    _check(row, ROW_KEYS)
    if not row.get("name") or bool(row.get("a") and row.get("b")) == bool(row.get("command")):
        raise InputError(f"row {row}, expected a name, and either players a and b or a command")
    command = row.get("command", "").replace("{board}", str(board))
    with reading(f"row '{row['name']}'", "quotes in pairs"):
        for key in ("a", "b", "command"):
            shlex.split(row.get(key, ""))
    games = 0 if command else row.get("games", fields.get("games", 0))
    if not command and (not isinstance(games, int) or games < 2 or games % 2):
        raise InputError(f"row '{row['name']}': {games} games, expected an even number from 2")
    return Row(**row | {"games": games, "command": command})


def _check(fields: dict[str, Any], known: dict[str, Any]) -> None:
    for key, value in fields.items():
        if key not in known:
            raise InputError(f"unknown key '{key}', expected one of {', '.join(known)}")
        if not isinstance(value, known[key]) or (isinstance(value, bool) and known[key] is not bool):
            raise InputError(f"{key} = {value!r}, expected another type of value")


def experiment_of(definition: dict[str, Any]) -> Experiment:
    """Return the experiment of a definition, as results keep it."""
    with reading("a definition", "that of an experiment"):
        rows = tuple(Row(**row) for row in definition["rows"])
        left_out: dict[str, Any] = {"question": "", "minutes": 0.0, "seed": 0, "random_plies": 0}
        return Experiment(**left_out | definition | {"rows": rows})


def chosen(experiments: Sequence[Experiment], names: Sequence[str]) -> list[Experiment]:
    """Return the experiments of these names; a name without a board is that of all its boards."""
    found = []
    for name in names:
        matching = [one for one in experiments if name in (one.name, one.name.rpartition("-")[0])]
        if not matching:
            boards: dict[str, list[str]] = {}
            for one in experiments:
                boards.setdefault(one.name.rpartition("-")[0], []).append(f"{one.board}")
            listed = ", ".join(f"{base} ({', '.join(sizes)})" for base, sizes in boards.items())
            hint = "each alone or with a board, as in NAME-8"
            raise InputError(f"no experiment is called '{name}', expected one of {listed}; {hint}")
        found += [one for one in matching if one not in found]
    return found
