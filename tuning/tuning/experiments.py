"""The list of experiments, `tuning/experiments.toml`: what is measured, on which boards, by which command.

A section is an experiment. `[NAME.8]` holds what differs on 8x8. Each board is measured, kept and renewed by itself.
"""

import dataclasses
import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tuning.errors import InputError
from tuning.provenance import ROOT

LIST = ROOT / "tuning" / "experiments.toml"
"""The experiments of the repository."""

DEPENDS = ("play", "network", "weights")
"""Parts of an engine that a result can depend on, as `quiver bench --signature --board N` tells them."""


@dataclass(frozen=True)
class Row:
    """A row of the result: a match of two players, or a command of an engine."""

    name: str
    a: str = ""
    b: str = ""
    """Players, as `quiver match --player` takes them; the SPEC `commit:REF` is the engine of a commit."""
    games: int = 0
    command: str = ""
    """Arguments of the engine; `{output}` stands for the file of a table, `{record}` for one that is kept to resume."""
    engine: str = ""
    """The commit whose engine runs the command; empty for the engine that is measured."""
    keep: tuple[str, ...] = ()
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
    """The expected time on one core."""
    rows: tuple[Row, ...]
    depends: str = "play"
    error: float | None = None
    """The half of the 95 % interval, in Elo, at which a match of at least `games` games stops."""
    most: int = 0
    batch: int = 20
    seed: int = 1
    random_plies: int = 4
    clock: str = "cpu"
    set: tuple[str, ...] = ()
    """Settings of both players."""
    made_by: str = ""
    """The command that makes the result, for a fit that `measure` does not repeat."""

    @property
    def is_match(self) -> bool:
        """True if its rows are matches."""
        return bool(self.rows and self.rows[0].a)

    @property
    def is_timed(self) -> bool:
        """True if the result depends on the speed of the machine."""
        return any(row.alone or "time=" in f" {row.a} {row.b}" for row in self.rows)

    @property
    def definition(self) -> dict[str, Any]:
        """The settings that decide the result, as JSON values."""
        fields = {
            name: value for name, value in vars(self).items() if name not in ("question", "minutes") and value
        }
        rows = [{name: value for name, value in vars(row).items() if value} for row in self.rows]
        return json.loads(json.dumps(fields | {"rows": rows}))

    @property
    def key(self) -> str:
        """A digest of the definition."""
        return hashlib.sha256(json.dumps(self.definition, sort_keys=True).encode()).hexdigest()[:16]


NUMBER = (int, float)
KINDS = {str: str, bool: bool, int: int, float: NUMBER, float | None: NUMBER, tuple[str, ...]: list}
"""The values in TOML of a field, by its type."""
ROW_KEYS = {one.name: KINDS[one.type] for one in dataclasses.fields(Row)}
# The section's name and its boards stand for the first two fields.
FIELDS = {one.name: KINDS[one.type] for one in dataclasses.fields(Experiment)[2:] if one.name != "rows"}
KEYS = FIELDS | {"boards": list, "chain": list, "rows": list, "games": (int, list)}


def read_experiments(path: Path = LIST) -> list[Experiment]:
    """Read a list of experiments, one for each board of each section."""
    try:
        sections = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}, expected a list of experiments in TOML") from error
    found = []
    for name, section in sections.items():
        if not isinstance(section, dict):
            raise InputError(
                f"{path}: {name} = {section}, expected sections [NAME] with the keys of one each"
            )
        common = {key: value for key, value in section.items() if not key.isdigit()}
        for board in common.get("boards") or [None]:
            fields = common | section.get(str(board), {})
            try:
                found.append(_experiment(name, board, fields))
            except InputError as error:
                raise InputError(f"{path}, [{name}]: {error}") from None
    return found


def _experiment(name: str, board: int, fields: dict[str, Any]) -> Experiment:
    _check(fields, KEYS)
    if board not in (4, 5, 6, 8, 10):
        raise InputError(f"boards = {fields.get('boards')}, expected a list of 4, 5, 6, 8 and 10")
    if not {"question", "minutes"} <= fields.keys():
        raise InputError("expected a question, and minutes as the expected cost")
    if fields.get("depends", "play") not in DEPENDS:
        raise InputError(f"depends = '{fields['depends']}', expected one of {', '.join(DEPENDS)}")
    if sum(key in fields for key in ("chain", "rows", "made_by")) != 1:
        raise InputError("expected either chain, rows or made_by")
    rows = tuple(_row(row, fields) for row in [*_links(fields), *fields.get("rows", [])])
    names = [row.name for row in rows]
    if len(set(names)) < len(names):
        raise InputError(f"rows {', '.join(names)}: expected a name of its own for each")
    if len({bool(row.a) for row in rows}) > 1:
        raise InputError("expected rows of matches, or rows of commands")
    given = {key: value for key, value in fields.items() if key in FIELDS}
    given |= {"set": tuple(fields.get("set", ())), "name": f"{name}-{board}", "board": board}
    given["made_by"] = fields.get("made_by", "").replace("{board}", str(board))
    found = Experiment(**given, rows=tuple(_on_board(row, board) for row in rows))
    if found.clock not in ("cpu", "wall"):
        raise InputError(f"clock = '{found.clock}', expected cpu or wall")
    if not 0 <= found.seed < 2**40:
        raise InputError(f"seed = {found.seed}, expected a number from 0, below 2^40")
    if found.batch < 2 or found.batch % 2:
        raise InputError(f"batch = {found.batch}, expected an even number from 2")
    return found


def _links(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a chain: each player against the one before."""
    chain, games = fields.get("chain", []), fields.get("games", 0)
    if "chain" in fields and (len(chain) < 2 or not all(isinstance(player, str) for player in chain)):
        raise InputError("chain: expected two players or more, as strings")
    counts = games if isinstance(games, list) else [games] * (len(chain) - 1)
    if chain and len(counts) != len(chain) - 1:
        raise InputError(
            f"games = {games}, expected {len(chain) - 1} numbers for a chain of {len(chain)} players"
        )
    pairs = zip(pairwise(chain), counts, strict=True) if chain else []
    return [{"name": a, "a": a, "b": b, "games": count} for (b, a), count in pairs]


def _row(row: object, fields: dict[str, Any]) -> Row:
    if not isinstance(row, dict):
        raise InputError(f"row {row}, expected a table of keys")
    _check(row, ROW_KEYS)
    games = fields.get("games", 0)
    filled = {"games": games if isinstance(games, int) else 0, **row}
    if not row.get("name") or bool(row.get("a") and row.get("b")) == bool(row.get("command")):
        raise InputError(f"row {row}, expected a name, and either players a and b or a command")
    if row.get("command"):
        filled["games"] = 0
    elif filled["games"] < 2 or filled["games"] % 2:
        raise InputError(f"row '{row['name']}': {filled['games']} games, expected an even number from 2")
    return Row(**{**filled, "keep": tuple(row.get("keep", ()))})


def _on_board(row: Row, board: int) -> Row:
    return dataclasses.replace(row, command=row.command.replace("{board}", str(board)))


def _check(fields: dict[str, Any], known: dict[str, Any]) -> None:
    for key, value in fields.items():
        if key not in known:
            raise InputError(f"unknown key '{key}', expected one of {', '.join(known)}")
        if not isinstance(value, known[key]) or (isinstance(value, bool) and known[key] is not bool):
            raise InputError(f"{key} = {value!r}, expected another type of value")


def experiment_of(definition: dict[str, Any]) -> Experiment:
    """Return the experiment of a definition, as results keep it."""
    try:
        rows = tuple(Row(**{**row, "keep": tuple(row.get("keep", ()))}) for row in definition["rows"])
        fields = {
            name: tuple(value) if isinstance(value, list) else value for name, value in definition.items()
        }
        return Experiment(**{"question": "", "minutes": 0.0, **fields, "rows": rows})
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"a definition: {error}, expected that of an experiment") from error


def chosen(experiments: Sequence[Experiment], names: Sequence[str]) -> list[Experiment]:
    """Return the experiments of these names; a name without a board is that of all its boards."""
    found = []
    for name in names:
        matching = [one for one in experiments if name in (one.name, one.name.rpartition("-")[0])]
        if not matching:
            listed = sorted({one.name.rpartition("-")[0] for one in experiments})
            raise InputError(f"no experiment is called '{name}', expected one of {', '.join(listed)}")
        found += matching
    return found
