"""Collects blind spots of the search from games, as test positions that `quiver suite --positions` reads.

With --compare it also says what other settings gain: the judged value of their choice less that of the usual choice.
OUT.journal keeps every examined position: the same command goes on where it was ended, and with more positions.
"""

import argparse
import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tuning.blind_spots import blind_spot, examine, gain, search_by
from tuning.command import Parser
from tuning.commands import options
from tuning.errors import InputError, reading
from tuning.files import replace
from tuning.matches.engine import Engine
from tuning.matches.progress import say


def add_options(command: Parser) -> None:
    add = command.add_argument
    add(
        "--games",
        type=Path,
        required=True,
        help="the games, a record of 'quiver match' at 2,000 playouts a move",
    )
    add("--out", type=Path, required=True, help="the test positions to write")
    add("--positions", type=options.COUNT, default=500, help="positions to examine")
    add("--playouts", type=options.COUNT, default=100_000, help="playouts of each search")
    add("--margin", type=options.number(float, 0, 1), default=0.05, help="by how much a move must be better")
    add("--board", type=options.number(int, 6, 10), default=10, help="squares along a side")
    add(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="setting of all searches; repeatable"
    )
    compare = "settings to compare with the usual ones, such as exploration=0.9,fpu_reduction=0.1; repeatable"
    add("--compare", action="append", default=[], metavar="NAME=VALUE,...", help=compare)
    add("--seed", type=options.SEED, default=1, help="seed of the choice of positions")
    add("--workers", type=options.COUNT, default=1, help="positions at a time")
    options.add_engine(command)


def run(args: argparse.Namespace) -> None:
    engine = Engine.find(args.engine)
    search = search_by(engine, args.board, args.playouts, dict(engine.settings(args.board, args.set)))
    compared = {text: dict(engine.settings(args.board, text.split(","))) for text in args.compare}
    journal = args.out.with_name(f"{args.out.name}.journal")
    drawn = _drawn(args.games, args.seed)[: args.positions]
    rows = _read(journal) if journal.exists() else {}
    todo = [place for place in drawn if (place["game"], place["ply"]) not in rows]
    if any(row["choice"] and row["chosen"].keys() != compared.keys() for row in rows.values()):
        raise InputError(f"{journal}: compares other settings, expected the same --compare, or another --out")

    def examined(place: dict[str, Any]) -> dict[str, Any]:
        return place | (examine(search, place["moves"], compared) or {"choice": None})

    with journal.open("a", encoding="utf-8") as file, ThreadPoolExecutor(args.workers) as pool:
        try:
            for row in pool.map(examined, todo):
                file.write(f"{json.dumps(row)}\n")
                file.flush()
                rows[row["game"], row["ply"]] = row
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    of_games = [row for place in drawn if (row := rows[place["game"], place["ply"]])["choice"]]
    spots = [spot for row in of_games if (spot := blind_spot(row, args.margin))]
    replace(args.out, "".join(f"{json.dumps(spot)}\n" for spot in spots).encode())
    say(f"{args.out}: {len(spots)} blind spots in {len(of_games)} positions")
    for name in compared:
        mean, error, differs = gain(of_games, name)
        print(
            f"{name}: gain {mean:+.4f} +-{error:.4f}, another move in {differs} of {len(of_games)} positions"
        )


def _drawn(path: Path, seed: int) -> list[dict[str, Any]]:
    """Return the positions of the first quarter of games, after their openings, in the order that the seed gives."""
    places = []
    with reading(path, "a record of 'quiver match'"):
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            game = json.loads(line)
            if "moves" not in game:
                continue
            moves, start = [*game["opening"], *game["moves"]], game["start"]
            last = min(len(moves), (start.count("/") + 1) ** 2 // 4)
            places += [
                {"game": game["game"], "ply": ply, "start": start, "moves": moves[:ply]}
                for ply in range(len(game["opening"]), last)
            ]
    random.Random(seed).shuffle(places)
    return places


def _read(journal: Path) -> dict[tuple[int, int], dict[str, Any]]:
    """Return the examined positions of a journal by game and ply; a last line that was cut short is left out."""
    with reading(journal, "the journal of this command"):
        lines = journal.read_bytes().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            replace(journal, b"".join(lines[:-1]))
            lines = lines[:-1]
        return {(row["game"], row["ply"]): row for row in map(json.loads, lines)}
