"""Options and setup that all commands with games share."""

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tuning.errors import InputError
from tuning.experiments import LIST
from tuning.matches.batch import Side, Terms
from tuning.matches.engine import Engine
from tuning.matches.executor import Executor, LocalExecutor, all_cores
from tuning.matches.parameters import read_setting
from tuning.matches.progress import say
from tuning.matches.state import State
from tuning.provenance import STATES
from tuning.results import RESULTS


def add_engine(command: argparse.ArgumentParser, default: str = "QUIVER, or target/release/quiver") -> None:
    """Declare the engine of a command."""
    command.add_argument("--engine", type=Path, metavar="FILE", help=f"the engine (default: {default})")


def add_list_options(command: argparse.ArgumentParser) -> None:
    """Declare an engine, a list of experiments, and the folders of what comes of it."""
    add_engine(command)
    add = command.add_argument
    add("--experiments", type=Path, default=LIST, metavar="FILE", help="another list of experiments")
    add("--results", type=Path, metavar="DIR", help="the folder of results (default: tuning/results)")
    add("--state", type=Path, default=STATES, metavar="DIR", help="the folder of games and engines")


def results_of(args: argparse.Namespace) -> Path:
    """Return the folder of results: that of the repository for its own list, else one beside the list."""
    return args.results or (RESULTS if args.experiments == LIST else args.experiments.parent / "results")


def add_common_options(command: argparse.ArgumentParser, batch: int) -> None:
    """Declare the options of every command that plays games."""
    add_engine(command)
    add = command.add_argument
    add("--board", type=int, default=10, metavar="N", help="squares along a side")
    add(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of both sides; repeatable"
    )
    add("--seed", type=int, default=1, metavar="N", help="seed of all random choices")
    add("--batch", type=int, default=batch, metavar="N", help="games that are asked for at a time")
    add("--state", type=Path, metavar="DIR", help="the folder to keep games in (default: target/tuning/NAME)")
    add("--workers", type=int, default=all_cores(), metavar="N", help="games at a time on this machine")
    add("--ray-address", metavar="ADDRESS", help="play on the Ray cluster there: HOST:PORT, or auto")


def add_game_options(command: argparse.ArgumentParser) -> None:
    """Declare the options of every command that plays matches."""
    add_common_options(command, 20)
    add = command.add_argument
    add("--random-plies", type=int, default=4, metavar="K", help="random plies that each pair begins with")
    add("--clock", choices=["wall", "cpu"], help="what --time counts (default: cpu; wall for threads)")


def add_limit_options(command: argparse.ArgumentParser, required: bool = True) -> None:
    """Declare the limit of a move."""
    limit = command.add_mutually_exclusive_group(required=required)
    limit.add_argument("--playouts", type=int, metavar="N", help="playouts of a move")
    limit.add_argument("--time", type=float, metavar="SECONDS", help="time of a move")


def limited(args: argparse.Namespace, settings: dict[str, float] | None = None) -> Side:
    """Return a side with these settings under the limit that was asked for."""
    if (args.playouts if args.playouts is not None else args.time) <= 0:
        raise InputError("a limit of a move: expected one above 0")
    return Side(tuple((settings or {}).items()), playouts=args.playouts, time=args.time)


def terms(args: argparse.Namespace, engine: Engine, clock: str = "cpu") -> Terms:
    """Return the terms of all games."""
    if not 4 <= args.board <= 10:
        raise InputError(f"--board {args.board}: expected 4 to 10 squares")
    if args.batch < 2 or args.batch % 2:
        raise InputError(f"--batch {args.batch}: expected an even number of games, from 2")
    if not 0 <= args.seed < 2**40:
        raise InputError(f"--seed {args.seed}: expected a number from 0, below 2^40")
    table = engine.parameters(args.board)
    common = [read_setting(table, text) for text in args.set]
    return Terms(args.board, args.seed, args.random_plies, args.clock or clock, tuple(common))


def about(kind: str, terms: Terms, per_batch: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the settings that decide what is played, as the state folder keeps them."""
    fields = {"kind": kind, "board": terms.board, "seed": terms.seed, "random_plies": terms.random_plies}
    return {**fields, "clock": terms.clock, "set": dict(terms.common), "batch": per_batch, **more}


@contextmanager
def working(
    args: argparse.Namespace, engine: Engine, name: str, fields: dict[str, Any]
) -> Iterator[tuple[State, Executor]]:
    """Hold the state of an experiment and the executor of its games, and print where they are."""
    if args.workers < 1:
        raise InputError(f"--workers {args.workers}: expected at least 1")
    state = State(args.state or STATES / name, engine, fields)
    say(f"games are kept in {state.folder}; the same command goes on after any interruption")
    with closing(state), closing(_executor(args, state)) as executor:
        yield state, executor


def result_path(state: State) -> Path:
    """Return the path of the result of an experiment."""
    return state.folder / "result.json"


def provenance(state: State) -> dict[str, Any]:
    """Return the settings of an experiment, its engine, and the runs that worked on it."""
    return {**state.about, "experiment": state.folder.name, "engine": state.engine.about}


def _executor(args: argparse.Namespace, state: State) -> Executor:
    if args.ray_address is None:
        return LocalExecutor(state.engine, args.workers)
    from tuning.matches.ray_executor import RayExecutor

    return RayExecutor(state.engine, args.ray_address, state.folder / "speed.json")
