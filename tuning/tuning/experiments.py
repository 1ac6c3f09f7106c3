"""Reads the list of experiments, `tuning/experiments.toml`.

A section `[NAME]` defines an experiment: its question, its boards, and its matches or commands. A
section `[NAME.8]` replaces keys of `[NAME]` on 8x8. An experiment has a result for each board.
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

EXPERIMENTS = ROOT / "tuning" / "experiments.toml"

BOARDS, DEPENDS, CLOCKS = (4, 5, 6, 8, 10), ("play", "network", "weights"), ("cpu", "wall")
"""The allowed values of the keys `boards`, `depends` and `clock` of an experiment.

`depends` names a part of the engine. If this part changes, the experiment's result is stale.
"""

SEED_LIMIT = 2**40
"""The seeds of experiments are below this limit. The engine gets a seed for each batch of games:
the experiment's seed times 2**20, plus the number of the batch."""


@dataclass(frozen=True)
class RowDefinition:
    """The definition of a row of a result: a match between two players, or an engine command."""

    name: str
    a: str = ""
    b: str = ""
    """The two players, as in `quiver match --player`. `commit:REF` is the engine of a commit."""
    games: int = 0
    command: str = ""
    """The command's arguments. `{record}` stands for a file from which the command can resume."""
    engine: str = ""
    """The commit of the engine that runs the command; empty for the current engine."""
    keep: Sequence[str] = ()
    """The result keeps these fields of the command's JSON output, or all if no field is given."""
    alone: bool = False
    """True if the command measures a speed, so that the machine must otherwise be idle."""

    @property
    def file_name(self) -> str:
        """The name of the row's records on the disk, which is also the group of its batches."""
        return re.sub(r"[^\w.=-]+", "-", self.name)


@dataclass(frozen=True)
class Experiment:
    """The definition of an experiment on one board."""

    name: str
    board: int
    question: str = ""
    minutes: float = 0.0
    """The minutes that the experiment takes on one core; 0 if `experiments.toml` does not say."""
    rows: tuple[RowDefinition, ...] = ()
    depends: str = "play"
    error: float | None = None
    """After `games` games, a match ends once half its 95 % interval is at most `error` Elo."""
    most: int = 0
    batch: int = 20
    seed: int = 1
    random_plies: int = 4
    shipped_openings: bool = False
    """True if games begin with openings drawn from those that ship for 6x6, 8x8 and 10x10."""
    clock: str = "cpu"
    set: Sequence[str] = ()
    made_by: str = ""
    """The training command that makes the result, or "" if `tuning measure` makes the result."""

    @property
    def is_match(self) -> bool:
        return bool(self.rows and self.rows[0].a)

    @property
    def is_timed(self) -> bool:
        return any(row.alone for row in self.rows) or any("time=" in word for word in self._player_words)

    @property
    def is_repeatable(self) -> bool:
        """True if the games depend only on the seed: no time limit, one thread, no other program."""
        pattern = re.compile("time=|threads=|(?!quiver:).*:", re.DOTALL)
        return self.is_match and not any(map(pattern.match, self._player_words))

    @property
    def threads(self) -> int:
        return max([1, *map(int, re.findall(r"\bthreads=(\d+)", " ".join(self._player_words)))])

    @property
    def _player_words(self) -> list[str]:
        return [word for row in self.rows for word in shlex.split(f"{row.a} {row.b}")]

    @property
    def definition(self) -> dict[str, Any]:
        """The fields on which the experiment's result depends, as JSON values."""
        rows = [{name: value for name, value in vars(row).items() if value} for row in self.rows]
        others = vars(self).keys() - {"question", "minutes"}
        fields = {name: value for name, value in vars(self).items() if value and name in others}
        return json.loads(json.dumps(fields | {"rows": rows}))

    @property
    def definition_hash(self) -> str:
        return hashlib.sha256(json.dumps(self.definition, sort_keys=True).encode()).hexdigest()[:16]


NUMBER_TYPES = (int, float)
TOML_TYPES: dict[Any, Any] = {float: NUMBER_TYPES, float | None: NUMBER_TYPES, Sequence[str]: list}
ROW_KEY_TYPES = {
    field.name: TOML_TYPES.get(field.type, field.type) for field in dataclasses.fields(RowDefinition)
}
# Fields that are keys of a section. `name` and `board` come from its title and its key `boards`.
OWN_FIELDS = [field for field in dataclasses.fields(Experiment)[2:] if field.name != "rows"]
FIELD_TYPES = {field.name: TOML_TYPES.get(field.type, field.type) for field in OWN_FIELDS}
KEY_TYPES = FIELD_TYPES | {"boards": list, "chain": list, "rows": list, "games": (int, list)}


def read_experiments(path: Path = EXPERIMENTS) -> list[Experiment]:
    with reading(path, "a list of experiments in TOML"):
        sections = tomllib.loads(path.read_text(encoding="utf-8"))
    experiments = []
    for name, section in sections.items():
        try:
            if not isinstance(section, dict):
                raise InputError(f"a value of {section}, expected the keys of an experiment")
            common = {key: value for key, value in section.items() if not key.isdigit()}
            _check_types(common, KEY_TYPES)
            boards = common.get("boards") or [None]
            for key in section.keys() - common.keys():
                if key not in map(str, boards) or not isinstance(section[key], dict):
                    raise InputError(f"{key} = {section[key]}, expected a table for one of the boards")
            experiments += [
                _experiment(name, board, common | section.get(str(board), {})) for board in boards
            ]
        except InputError as error:
            raise InputError(f"{path}, [{name}]: {error}") from None
    return experiments


def _experiment(name: str, board: int, fields: dict[str, Any]) -> Experiment:
    _check_types(fields, KEY_TYPES)
    given = {key: value for key, value in fields.items() if key in FIELD_TYPES}
    new = Experiment(f"{name}-{board}", board, **given)
    for holds, got in (
        (board in BOARDS, f"boards = {fields.get('boards')}, expected a list of 4, 5, 6, 8 and 10"),
        (new.depends in DEPENDS, f"depends = '{new.depends}', expected one of {', '.join(DEPENDS)}"),
        (len({"chain", "rows", "made_by"} & fields.keys()) == 1, "expected one of chain, rows and made_by"),
        (new.clock in CLOCKS, f"clock = '{new.clock}', expected cpu or wall"),
        (0 <= new.seed < SEED_LIMIT, f"seed = {new.seed}, expected a number from 0 to 2^40 - 1"),
        (new.batch >= 2 and new.batch % 2 == 0, f"batch = {new.batch}, expected an even number from 2"),
        (
            not new.shipped_openings or (board in (6, 8, 10) and "random_plies" not in fields),
            f"shipped_openings on {board}x{board}, expected 6x6, 8x8 or 10x10, and no random_plies",
        ),
        (new.error is None or new.error > 0, f"error = {new.error}, expected a number above 0"),
    ):
        if not holds:
            raise InputError(got)
    texts = _chain_rows(fields) if "chain" in fields else fields.get("rows", [])
    rows = tuple(_row_definition(row, fields, board) for row in texts)
    if len({row.file_name for row in rows}) < len(rows):
        names = ", ".join(f"'{row.name}'" for row in rows)
        raise InputError(f"rows {names}: expected names that differ in letters, digits or one of _.=-")
    least = max((row.games for row in rows), default=0)
    if new.error is not None and new.most < least:
        raise InputError(f"most = {new.most}, expected at least the {least} games of a row, because of error")
    if len({bool(row.a) for row in rows}) > 1:
        raise InputError("rows of matches and of commands, expected rows of one kind")
    return dataclasses.replace(new, rows=rows, made_by=new.made_by.replace("{board}", str(board)))


def _chain_rows(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a chain, in which each player plays a match against the previous one."""
    chain, games = fields["chain"], fields.get("games", 0)
    if len(chain) < 2 or not all(isinstance(player, str) for player in chain):
        raise InputError("chain: expected two or more players as strings")
    counts = games if isinstance(games, list) else [games] * (len(chain) - 1)
    if len(counts) != len(chain) - 1:
        raise InputError(f"games = {games}, expected {len(chain) - 1} numbers for {len(chain)} players")
    pairs = zip(pairwise(chain), counts, strict=True)
    return [{"name": a, "a": a, "b": b, "games": count} for (b, a), count in pairs]


def _row_definition(row: object, fields: dict[str, Any], board: int) -> RowDefinition:
    if not isinstance(row, dict):
        raise InputError(f"row {row}, expected a table of keys")
    _check_types(row, ROW_KEY_TYPES)
    if not row.get("name") or bool(row.get("a") and row.get("b")) == bool(row.get("command")):
        raise InputError(f"row {row}, expected a name, and either players a and b or a command")
    command = row.get("command", "").replace("{board}", str(board))
    with reading(f"row '{row['name']}'", "a closing quote for each opening quote"):
        for key in ("a", "b", "command"):
            shlex.split(row.get(key, ""))
    games = 0 if command else row.get("games", fields.get("games", 0))
    if not command and (not isinstance(games, int) or games < 2 or games % 2):
        raise InputError(f"row '{row['name']}': {games} games, expected an even number from 2")
    return RowDefinition(**row | {"games": games, "command": command})


def _check_types(fields: dict[str, Any], known: dict[str, Any]) -> None:
    for key, value in fields.items():
        if key not in known:
            raise InputError(f"unknown key '{key}', expected one of {', '.join(known)}")
        if not isinstance(value, known[key]) or (isinstance(value, bool) and known[key] is not bool):
            raise InputError(f"{key} = {value!r}, expected a value of another type")


def experiment_of(definition: dict[str, Any]) -> Experiment:
    with reading("a definition", "the definition of an experiment"):
        rows = tuple(RowDefinition(**row) for row in definition["rows"])
        return Experiment(**{"seed": 0, "random_plies": 0} | definition | {"rows": rows})


def experiments_named(experiments: Sequence[Experiment], names: Sequence[str]) -> list[Experiment]:
    """Return the experiments with these names. A name without a board means all of its boards."""
    selected = []
    for name in names:
        matching = [e for e in experiments if name in (e.name, e.name.rpartition("-")[0])]
        if not matching:
            boards: dict[str, list[str]] = {}
            for experiment in experiments:
                boards.setdefault(experiment.name.rpartition("-")[0], []).append(f"{experiment.board}")
            listed = ", ".join(f"{base} ({', '.join(sizes)})" for base, sizes in boards.items())
            hint = "NAME alone stands for all its boards, NAME-8 for 8x8"
            raise InputError(f"no experiment is called '{name}', expected one of {listed}; {hint}")
        selected += [e for e in matching if e not in selected]
    return selected
