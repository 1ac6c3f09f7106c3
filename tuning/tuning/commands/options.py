"""Declares options that several commands share; opens the state folder and executor of a run."""

import argparse
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tuning.command import Parser
from tuning.errors import InputError
from tuning.experiments import EXPERIMENTS, SEED_LIMIT
from tuning.matches.batch import Batch, Side
from tuning.matches.engine import Engine
from tuning.matches.executor import Executor, LocalExecutor, all_cores
from tuning.matches.outcome import Sprt
from tuning.matches.progress import print_message
from tuning.matches.state import State
from tuning.measure import first_batch
from tuning.provenance import STATES_DIR
from tuning.results import RESULTS, write_result


def number_parser(
    kind: type[int] | type[float], low: float, high: float = math.inf, metavar: str = "N"
) -> Callable[[str], Any]:
    """Return a parser for the text of an option: a finite number of type `kind` in [low, high]."""

    def parse_number(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not (low <= value <= high and math.isfinite(value)):
            what = "a whole number" if kind is int else "a number"
            words = f"{low:g} to {high:g}" if high < math.inf else f"{low:g}, or more"
            raise argparse.ArgumentTypeError(f"'{text}', expected {what} from {words}")
        return value

    vars(parse_number)["metavar"] = metavar
    return parse_number


def _parse_sprt(text: str) -> Sprt:
    low, _, high = text.partition(",")
    try:
        test = Sprt(float(low), float(high))
    except ValueError:
        test = Sprt(0, 0)
    if not -1000 <= test.elo0 < test.elo1 <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}', expected ELO0,ELO1 with ELO0 below ELO1, as in 0,10")
    return test


COUNT = number_parser(int, 1)
SEED = number_parser(int, 0, SEED_LIMIT - 1)
SECONDS = number_parser(float, 1e-6, metavar="SECONDS")


def add_engine(command: Parser, default: str = "$QUIVER, or target/release/quiver") -> None:
    command.add_argument("--engine", type=Path, help=f"the engine (default: {default})")


def add_workers(command: Parser, what: str = "simultaneous games on this machine") -> None:
    add = command.add_argument
    add("--workers", type=COUNT, default=all_cores(), help=what)
    add("--ray-address", metavar="ADDRESS", help="play on the Ray cluster at HOST:PORT, or auto")


def add_measurement_options(command: Parser) -> None:
    add_engine(command)
    add_experiment_options(command)
    command.add_argument("--state", type=Path, default=STATES_DIR, metavar="DIR", help="the folder of games")


def add_experiment_options(command: Parser) -> None:
    add = command.add_argument
    add("--experiments", type=Path, default=EXPERIMENTS, help="another list of experiments")
    add("--results", type=Path, metavar="DIR", help="the folder of results (default: beside the list)")


def results_of(args: argparse.Namespace) -> Path:
    return (args.results or args.experiments.parent / RESULTS.name).resolve()


def add_common_options(command: Parser, batch: int) -> None:
    add = command.add_argument
    add("--board", type=number_parser(int, 4, 10), default=10, help="squares along a side")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="setting of both sides; repeatable")
    add("--seed", type=SEED, default=1, help="seed of all random choices")
    add("--batch", type=COUNT, default=batch, help="games of a batch, which one command of the engine plays")
    add("--state", type=Path, metavar="DIR", help="the folder of the run (default: target/tuning/NAME)")
    add_workers(command)


def add_game_options(command: Parser, sprt: str) -> None:
    limit = command.add_mutually_exclusive_group(required=True)
    limit.add_argument("--playouts", type=COUNT, metavar="N", help="playouts for each move")
    limit.add_argument("--time", type=SECONDS, metavar="SECONDS", help="time for each move")
    add_common_options(command, 20)
    add = command.add_argument
    hypotheses = "the two hypotheses of the sequential test, in Elo"
    add("--sprt", type=_parse_sprt, default=sprt, metavar="ELO0,ELO1", help=hypotheses)
    add(
        "--random-plies", type=number_parser(int, 0), default=4, help="random plies at the start of each pair"
    )
    add("--clock", choices=["wall", "cpu"], default="cpu", help="the kind of time that --time limits")


def batch_of(args: argparse.Namespace, engine: Engine) -> Batch:
    if args.batch % 2:
        raise InputError(f"--batch {args.batch}: expected an even number of games, from 2")
    return first_batch(args, engine, Side(playouts=args.playouts, time=args.time))


def settings_of_run(kind: str, args: argparse.Namespace, batch: Batch, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return all settings on which a run's games depend, for storage in the run's state folder."""
    names = ("board", "seed", "random_plies", "clock", "batch", "playouts", "time")
    asked = {name: getattr(args, name) for name in names}
    return {"kind": kind, **asked, "set": dict(batch.common), **more}


@contextmanager
def open_run(
    args: argparse.Namespace,
    engine: Engine,
    fields: dict[str, Any],
    name: str = "{kind}-{board}x{board}",
    **programs: Path,
) -> Iterator[tuple[State, Executor]]:
    """Lock a run's state folder, yield it together with an executor, and close both afterwards."""
    state = State(args.state or STATES_DIR / name.format(**fields), engine, fields)
    print_message(f"the run is stored in {state.folder}; after an interruption run the same command again")
    every = {"engine": state.engine.path, **programs}
    with closing(state), closing(executor_of(args, every, state.folder)) as executor:
        yield state, executor


def executor_of(args: argparse.Namespace, programs: Mapping[str, Path], folder: Path) -> Executor:
    threads = getattr(args, "threads", 1)
    if args.ray_address is None:
        return LocalExecutor(programs, max(args.workers // threads, 1))
    from tuning.matches.ray_executor import RayExecutor

    return RayExecutor(programs, args.ray_address, folder / "speed.json", threads)


def write_state_result(state: State, **fields: Any) -> Path:  # noqa: ANN401 (values of JSON)
    path = state.folder / "result.json"
    write_result(path, state.about | {"experiment": state.folder.name, "engine": state.engine.about} | fields)
    return path
