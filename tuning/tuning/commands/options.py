"""Options and setup that several commands share."""

import argparse
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tuning.command import Parser
from tuning.errors import InputError
from tuning.experiments import LIST, SEEDS
from tuning.matches.batch import Batch, Side
from tuning.matches.engine import Engine
from tuning.matches.executor import Executor, LocalExecutor, all_cores
from tuning.matches.outcome import Sprt
from tuning.matches.progress import say
from tuning.matches.state import State
from tuning.measure import first_batch
from tuning.provenance import STATES
from tuning.results import RESULTS, write_result


def number(
    kind: type[int] | type[float], low: float, high: float = math.inf, metavar: str = "N"
) -> Callable[[str], Any]:
    """Return what reads a number of this kind within these bounds, both included."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            what = "a whole number" if kind is int else "a number"
            words = f"{low:g} to {high:g}" if high < math.inf else f"{low:g}, or more"
            raise argparse.ArgumentTypeError(f"'{text}', expected {what} from {words}")
        return value

    vars(read)["metavar"] = metavar
    return read


def _sprt(text: str) -> Sprt:
    low, _, high = text.partition(",")
    try:
        test = Sprt(float(low), float(high))
    except ValueError:
        test = Sprt(0, 0)
    if not -1000 <= test.elo0 < test.elo1 <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}', expected ELO0,ELO1 with ELO0 below ELO1, as in 0,10")
    return test


COUNT = number(int, 1)
SEED = number(int, 0, SEEDS - 1)
SECONDS = number(float, 1e-6, metavar="SECONDS")


def add_engine(command: Parser, default: str = "QUIVER, or target/release/quiver") -> None:
    command.add_argument("--engine", type=Path, help=f"the engine (default: {default})")


def add_workers(command: Parser, what: str = "games at a time on this machine") -> None:
    add = command.add_argument
    add("--workers", type=COUNT, default=all_cores(), help=what)
    add("--ray-address", metavar="ADDRESS", help="play on the Ray cluster at HOST:PORT, or auto")


def add_list_options(command: Parser) -> None:
    """Declare an engine, a list of experiments, and the folders of what comes of it."""
    add_engine(command)
    add_list(command)
    command.add_argument("--state", type=Path, default=STATES, metavar="DIR", help="the folder of games")


def add_list(command: Parser) -> None:
    """Declare a list of experiments and the folder of its results."""
    add = command.add_argument
    add("--experiments", type=Path, default=LIST, help="another list of experiments")
    add("--results", type=Path, metavar="DIR", help="the folder of results (default: beside the list)")


def results_of(args: argparse.Namespace) -> Path:
    """Return the folder of results, by default beside the list, as the repository has it."""
    return (args.results or args.experiments.parent / RESULTS.name).resolve()


def add_common_options(command: Parser, batch: int) -> None:
    """Declare the options of every command that plays games, but for its engines."""
    add = command.add_argument
    add("--board", type=number(int, 4, 10), default=10, help="squares along a side")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="setting of both sides; repeatable")
    add("--seed", type=SEED, default=1, help="seed of all random choices")
    add("--batch", type=COUNT, default=batch, help="games that are asked for at a time")
    add("--state", type=Path, metavar="DIR", help="the folder to keep games in (default: target/tuning/NAME)")
    add_workers(command)


def add_game_options(command: Parser, sprt: str) -> None:
    """Declare the options of every command that plays matches; `sprt` are the hypotheses of its test."""
    limit = command.add_mutually_exclusive_group(required=True)
    limit.add_argument("--playouts", type=COUNT, metavar="N", help="playouts of a move")
    limit.add_argument("--time", type=SECONDS, metavar="SECONDS", help="time of a move")
    add_common_options(command, 20)
    add = command.add_argument
    hypotheses = "the two hypotheses of the match that decides"
    add("--sprt", type=_sprt, default=sprt, metavar="ELO0,ELO1", help=hypotheses)
    add("--random-plies", type=number(int, 0), default=4, help="random plies that each pair begins with")
    add("--clock", choices=["wall", "cpu"], default="cpu", help="what --time counts")


def batch_of(args: argparse.Namespace, engine: Engine) -> Batch:
    """Return the first batch that the options ask for, between two sides alike."""
    if args.batch % 2:
        raise InputError(f"--batch {args.batch}: expected an even number of games, from 2")
    return first_batch(args, engine, Side(playouts=args.playouts, time=args.time))


def about(kind: str, args: argparse.Namespace, batch: Batch, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the settings that decide what is played, as the state folder keeps them."""
    names = ("board", "seed", "random_plies", "clock", "batch", "playouts", "time")
    asked = {name: getattr(args, name) for name in names}
    return {"kind": kind, **asked, "set": dict(batch.common), **more}


@contextmanager
def working(
    args: argparse.Namespace,
    engine: Engine,
    fields: dict[str, Any],
    name: str = "{kind}-{board}x{board}",
    **programs: Path,
) -> Iterator[tuple[State, Executor]]:
    """Hold the state of an experiment and the executor of its games, and print where they are."""
    state = State(args.state or STATES / name.format(**fields), engine, fields)
    say(f"games are kept in {state.folder}; the same command goes on after any interruption")
    every = {"engine": state.engine.path, **programs}
    with closing(state), closing(executor_of(args, every, state.folder)) as executor:
        yield state, executor


def executor_of(args: argparse.Namespace, programs: Mapping[str, Path], folder: Path) -> Executor:
    """Return what runs the jobs of an experiment whose state is in this folder, a game on as many cores as threads."""
    threads = getattr(args, "threads", 1)
    if args.ray_address is None:
        return LocalExecutor(programs, max(args.workers // threads, 1))
    from tuning.matches.ray_executor import RayExecutor

    return RayExecutor(programs, args.ray_address, folder / "speed.json", threads)


def write_state_result(state: State, **fields: Any) -> Path:  # noqa: ANN401 (values of JSON)
    """Write `result.json`: the settings of an experiment, its engine, the runs that worked on it, and the rest."""
    path = state.folder / "result.json"
    write_result(path, state.about | {"experiment": state.folder.name, "engine": state.engine.about} | fields)
    return path
