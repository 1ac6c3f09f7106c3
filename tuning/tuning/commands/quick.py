"""`measure --quick`: the engine against the last version, for the message of a commit that alters play."""

from functools import partial
from pathlib import Path

from tuning.errors import InputError
from tuning.experiments import Experiment, Row
from tuning.matches.build import version
from tuning.matches.engine import Engine
from tuning.matches.executor import LocalExecutor
from tuning.measure import IDLE, Load, Place, busy_cores
from tuning.pages import elo
from tuning.provenance import machine

SECONDS, GAMES = 0.05, 100
"""CPU time of a move, and games on each board."""


def run(engine: Engine, against: str | None, workers: int, busy: bool, states: Path) -> int:
    """Play and time both versions on both boards, and print what a commit message can hold."""
    if not busy and (others := busy_cores()) > IDLE:
        raise InputError(f"other processes keep {others:.1f} cores busy, expected an idle machine or --busy")
    # An engine built from a changed tree is compared with the commit below it.
    old = version(against or ("HEAD" if engine.about["tree"] == "changed" else "HEAD~1"), states / "engines")
    load = Load()
    print(f"Against {old.name}, {SECONDS * 1000:g} ms of CPU time a move, {GAMES} paired games a board:")
    for board in (8, 10):
        name = f"quick-{board}"
        row = Row(name, f"quiver time={SECONDS}", f"commit:{against or old.commit} time={SECONDS}", GAMES)
        experiment = Experiment(name, board, "against the last version", 5, (row,), batch=10)
        place = Place(engine, partial(_local, workers), states)
        found = place.run(experiment)["rows"][0]
        speeds = [one.speed_on(board) for one in (engine, old.engine)]
        print(
            f"{board}x{board}: Elo {elo(found)} ({found['wins']} - {found['games'] - found['wins']}), "
            f"{speeds[0]:,.0f} playouts a second, before {speeds[1]:,.0f} ({speeds[0] / speeds[1]:.2f} times), "
            f"signature {engine.play(board)['signature']}",
            flush=True,
        )
    print(f"Machine: {machine()}; {load.others():.1f} cores busy with other work")
    return 0


def _local(workers: int, engine: Engine, _: Path) -> LocalExecutor:
    return LocalExecutor(engine, workers)
