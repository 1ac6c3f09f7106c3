"""Collects blind spots of the search from games, as test positions that `quiver suite` reads.

In each position, a search with the default settings chooses a move. Two searches that explore more
moves propose other moves, and so does a search with the settings of each --compare. If a proposed
move got less than a hundredth of the default search's visits, further searches after the chosen and
the proposed moves judge the values of these moves. The position is a blind spot if such a move is
better than the chosen move by at least --margin. The command also prints how much value each
--compare gains on average over the default settings.

OUT.journal begins with checksums of the engine and the games and with the settings of the searches,
and stores every examined position. After an interruption, or with a larger --positions, the same
command continues from the journal.
"""

import argparse
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from tuning.command import Parser
from tuning.commands import options
from tuning.errors import InputError, reading
from tuning.files import file_checksum, replace
from tuning.matches.progress import print_message

with reading("blind-spots", "the Python package: tuning/python -m pip install ./tuning/package", ImportError):
    from quiver import Engine, Move, Position, Report, _native, read_games

WIDE_SEARCHES = (
    {"exploration": 1.3},
    {"policy_queen_temperature": 2.5, "policy_arrow_temperature": 1.4},
)
"""Settings of two searches that visit more moves: one explores more, one has flatter priors."""

MAX_PROPOSED_MOVES = 2
"""The most moves that each of the `WIDE_SEARCHES` proposes in addition to its best move."""

MIN_LEAD = 0.03
"""A wide search also proposes a move whose value exceeds the chosen move's by more than this."""

PHASES = ((0.8, "opening"), (0.55, "middle"), (0.35, "late"), (0.0, "endgame"))
"""The phases of a game, each with its lowest value of empty squares / (empty + burnt squares)."""

PLY_KIND_OPENING = 1
"""The value of the field `kind` in a game record for a ply that belongs to the opening."""

Settings = Mapping[str, float]

Search = Callable[[Position, Settings], Report]


def add_options(command: Parser) -> None:
    add = command.add_argument
    games = "a record of 'quiver match', for example at 2,000 playouts a move"
    add("--games", type=Path, required=True, help=games)
    add("--out", type=Path, required=True, help="the test positions to write")
    add("--positions", type=options.COUNT, default=500, help="positions to examine")
    add("--playouts", type=options.COUNT, default=100_000, help="playouts of each search")
    margin = "the smallest difference in value, from 0 to 1, that makes a move better"
    add("--margin", type=options.number_parser(float, 0, 1), default=0.05, help=margin)
    of_all = "engine setting of all searches; repeatable"
    add("--set", action="append", default=[], metavar="NAME=VALUE", help=of_all)
    compare = "settings to compare with the defaults, such as exploration=0.9,fpu_reduction=0.1; repeatable"
    add("--compare", action="append", default=[], metavar="NAME=VALUE,...", help=compare)
    add("--seed", type=options.SEED, default=1, help="seed of the random choice of positions")
    add("--workers", type=options.COUNT, default=1, help="positions examined at the same time")


def run(args: argparse.Namespace) -> None:
    common, compared = _settings(args.set), {text: _settings(text.split(",")) for text in args.compare}
    journal = args.out.with_name(f"{args.out.name}.journal")
    drawn = _draw_positions(args.games, args.seed)[: args.positions]
    engine, games = (file_checksum(path) for path in (Path(_native.__file__), args.games))
    settings = {
        "engine": engine,
        "games": games,
        "playouts": args.playouts,
        "set": common,
        "compare": compared,
    }
    if not journal.exists():
        replace(journal, f"{json.dumps(settings)}\n".encode())
    rows = _read_journal(journal, settings)
    todo = [place for place in drawn if (place["game"], place["ply"]) not in rows]

    def search(position: Position, settings: Settings) -> Report:
        return Engine(position, parameters={**common, **settings}).search(playouts=args.playouts)

    def examine_place(place: dict[str, Any]) -> dict[str, Any]:
        return place | (examine(search, position_of(place), compared) or {"choice": None})

    with journal.open("a", encoding="utf-8") as file, ThreadPoolExecutor(args.workers) as pool:
        try:
            for row in pool.map(examine_place, todo):
                file.write(f"{json.dumps(row)}\n")
                file.flush()
                rows[row["game"], row["ply"]] = row
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    known = [row for place in drawn if (row := rows[place["game"], place["ply"]])["choice"]]
    spots = [spot for row in known if (spot := blind_spot(row, args.margin))]
    replace(args.out, "".join(f"{json.dumps(spot)}\n" for spot in spots).encode())
    print_message(f"{args.out}: {len(spots)} blind spots in {len(known)} positions")
    for name in compared if known else ():
        mean, error, differs = mean_gain(known, name)
        print(f"{name}: gain {mean:+.4f} +-{error:.4f}, another move in {differs} of {len(known)} positions")


def position_of(row: Mapping[str, Any]) -> Position:
    position = Position(row["start"])
    for move in row["moves"]:
        position = position.play(move)
    return position


def examine(search: Search, position: Position, compared: Mapping[str, Settings]) -> dict[str, Any] | None:
    """Search a position with all settings; return the judged moves and their values.

    If each proposed move got at least a hundredth of the visits of the default search, the position
    is no blind spot, and only the moves of `compared` are judged.

    The key `visits` has the visits of each judged move in the search with the default settings, or
    None for a move that the report of the default search does not list. If the default search
    proves the winner, the function returns None.
    """
    usual = search(position, {})
    if usual.proven:
        return None
    proposed = {usual.best}
    for settings in WIDE_SEARCHES:
        wide = search(position, settings)
        values = {c.move: c.value for c in wide.candidates if 200 * c.visits > wide.playouts}
        least = values.get(usual.best, wide.value) + MIN_LEAD
        ordered = sorted(values, key=values.__getitem__, reverse=True)
        proposed.update([wide.best, *[move for move in ordered if values[move] > least][:MAX_PROPOSED_MOVES]])
    chosen = {name: search(position, settings).best for name, settings in compared.items()}
    visits = {c.move: c.visits for c in usual.candidates}
    moves = sorted(proposed.union(chosen.values()))
    if not any(_is_overlooked(visits.get(move), usual.playouts) for move in moves):
        moves = sorted({usual.best, *chosen.values()})
    answers = {str(move): position.play(move) for move in moves if len(moves) > 1}
    return {
        "choice": str(usual.best),
        "chosen": {name: str(move) for name, move in chosen.items()},
        "value": usual.value,
        "playouts": usual.playouts,
        "judged": {move: 1 if p.is_over else 1 - search(p, {}).value for move, p in answers.items()},
        "visits": {str(move): visits.get(move) for move in moves},
    }


def blind_spot(row: Mapping[str, Any], margin: float) -> dict[str, Any] | None:
    """Return a blind spot as a test position of `quiver suite`; None for any other position."""
    judged, choice = row["judged"], row["choice"]
    solutions = sorted(Move(move) for move in judged if judged[move] >= judged[choice] + margin)
    if not any(_is_overlooked(row["visits"][str(move)], row["playouts"]) for move in solutions):
        return None
    position, best = position_of(row), max(solutions, key=lambda move: judged[str(move)])
    planes = position.planes()
    empty_fraction = (planes.sum(0) == 0).sum() / (planes[0].size - planes[:2].sum())
    same = [a == b for a, b in zip(best.squares[:2], Move(choice).squares[:2], strict=True)]
    common = {"playouts": row["playouts"]}
    return {
        "id": f"{position.width}-blind-{row['game']}-{row['ply']}",
        "task": "best",
        "phase": next(name for least, name in PHASES if empty_fraction >= least),
        "theme": ("which-amazon", "which-square", "which-arrow")[sum(same) if same[0] else 0],
        "position": position.fen,
        "moves": row["moves"],
        "solutions": [str(move) for move in solutions],
        "legal": position.count_moves(),
        "searches": [
            common | {"move": choice, "value": judged[choice], "visits": row["visits"][choice]},
            common | {"move": str(best), "value": judged[str(best)]},
        ],
    }


def mean_gain(rows: Sequence[Mapping[str, Any]], name: str) -> tuple[float, float, int]:
    """Return the mean gain of settings `name`, its 95 % error, and how many moves they change."""
    judged = [(row["judged"], row["chosen"][name], row["choice"]) for row in rows]
    gains = [values[chosen] - values[choice] if values else 0.0 for values, chosen, choice in judged]
    error = 1.96 * stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else math.inf
    return fmean(gains), error, sum(chosen != choice for _, chosen, choice in judged)


def _is_overlooked(visits: int | None, playouts: int) -> bool:
    return (visits or 0) < playouts / 100


def _settings(texts: Sequence[str]) -> Settings:
    with reading(f"settings {', '.join(texts)}", "NAME=VALUE of the engine's parameters"):
        settings = {name: float(value) for name, value in (text.split("=") for text in texts)}
        Engine(Position.start(8), memory=1 << 20, parameters=settings)
    return settings


def _draw_positions(path: Path, seed: int) -> list[dict[str, Any]]:
    """Return the positions of all games after the opening and before ply size**2 / 4, shuffled."""
    places = []
    with reading("--games", "a record of 'quiver match'"):
        games = read_games(path)
        for index, game in enumerate(games.games):
            moves, start = list(map(str, games.moves(index))), games.starts[game["start"]]
            begun = int((games.plies_of(index)["kind"] == PLY_KIND_OPENING).sum())
            places += [
                {"game": int(game["number"]), "ply": ply, "start": start, "moves": moves[:ply]}
                for ply in range(begun, min(len(moves), games.size**2 // 4))
            ]
    random.Random(seed).shuffle(places)
    return places


def _read_journal(journal: Path, settings: Mapping[str, Any]) -> dict[tuple[int, int], dict[str, Any]]:
    """Read a journal: return its rows by game and ply. Remove an incomplete last line.

    If the journal was written with other settings than `settings`, raise `InputError`.
    """
    with reading(journal, "the journal of this command"):
        lines = journal.read_bytes().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            replace(journal, b"".join(lines[:-1]))
            lines = lines[:-1]
        stored, *rows = map(json.loads, lines)
        others = [f"{name} = {stored[name]}" for name in settings if stored[name] != settings[name]]
        known = {(row["game"], row["ply"]): row for row in rows}
    if others:
        raise InputError(f"{journal}: has {', '.join(others)}, expected the same settings or another --out")
    return known
