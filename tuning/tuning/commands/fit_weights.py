"""`fit-weights`: fits a weight file to rows of features, and writes a report."""

import argparse
import math
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from tuning.baseline import baseline_odds
from tuning.design import design
from tuning.errors import InputError
from tuning.fit import Fit, fit
from tuning.fit_report import compared, measured, write_fit
from tuning.labels import labels
from tuning.matches.progress import say
from tuning.model import Model, Phase, joined, quantile_knots, spread
from tuning.provenance import commit
from tuning.rows import Rows, read_rows, split
from tuning.weight_file import checksum_in, read_weights, whole_weights, write_weights


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add, weight = command.add_argument, _up_to(1e12, "a number of rows, 0 or more")
    add("--rows", type=Path, required=True, metavar="FILE", help="rows, as 'quiver features' writes them")
    add("--out", type=Path, required=True, metavar="FILE", help="the weight file to write")
    add("--result", type=Path, metavar="FILE", help="the result to write (default: OUT with .result.json)")
    add("--previous", type=Path, metavar="FILE", help="a weight file to compare with")
    add(
        "--hold",
        type=Path,
        metavar="FILE",
        help="a weight file whose weights stay as they are: only the terms that it lacks are fitted",
    )
    add(
        "--mix",
        type=_up_to(1, "a number from 0 to 1"),
        default=0.3,
        metavar="M",
        help="share of the search's value in a label; the rest is the result",
    )
    add(
        "--knots",
        type=_knots,
        action="append",
        default=[],
        metavar="PHASE=A,B,...",
        help="squares of a phase at which weights are free; repeatable (default: by quantiles)",
    )
    add(
        "--phase",
        action="append",
        default=[],
        metavar="PHASE",
        help="a phase that weights change over; repeatable (default: all)",
    )
    add("--knot-count", type=int, default=7, metavar="N", help="number of knots without --knots")
    add(
        "--smooth",
        type=weight,
        default=100.0,
        metavar="ROWS",
        help="penalty on differences of weights at neighbouring knots",
    )
    add("--ridge", type=weight, default=1.0, metavar="ROWS", help="penalty on weights")
    add("--holdout", type=int, default=10, metavar="N", help="validate on every N-th game")
    add("--scale", type=int, default=2048, metavar="N", help="parts of one in the weights written")
    add(
        "--baseline",
        default="t1",
        metavar="NAME",
        help="the column to compare with, alone; left out where there is none",
    )
    add(
        "--max-iterations",
        type=int,
        default=200,
        metavar="N",
        help="iterations after which the fit is given up",
    )
    add("--commit", metavar="NAME", help="the commit to name in the provenance (default: git's)")
    add("--date", metavar="DAY", help="the day to name in the provenance (default: today)")


def run(args: argparse.Namespace) -> None:
    """Fit, write the weights, and report on them."""
    if args.holdout < 2 or args.knot_count < 2 or args.scale < 1:
        raise InputError("expected --holdout and --knot-count from 2, --scale from 1")
    rows = read_rows(args.rows)
    previous = read_weights(args.previous) if args.previous else None
    held = _held(args, rows)
    fitted, held_out = split(rows.fields["game"], args.holdout)
    if len(fitted) == 0 or not rows.result_usable(held_out).any():
        raise InputError(
            f"{args.rows}: too few games, expected some to fit and some to validate on (--holdout)"
        )
    phases = held.phases if held else _phases(args, rows, fitted)
    used = _used(args, phases)
    say(f"{len(fitted)} rows to fit on, {len(held_out)} to validate on; gathering")
    data = design(rows, fitted, labels(rows, fitted, args.mix), used, held)
    found = fit(data, args.smooth, args.ridge, args.max_iterations, _progress)
    say(f"loss {found.loss:.5f} after {found.iterations} iterations: {found.message}")
    board = (int(rows.about["board"][0]), int(rows.about["board"][1]))
    terms = rows.of_role("term")
    known = {column.name for column in held.terms} if held else set()
    new = [column for column in terms if column.name not in known]
    exact = Model(board, phases, new, spread(found.weights, used, phases))
    exact = joined(held, exact, terms) if held else exact
    # The report measures the weights as the file rounds them.
    written = Model(board, phases, exact.terms, whole_weights(exact, args.scale) / args.scale)
    odds = _all_odds(args, rows, fitted, held_out, written, previous)
    about = _provenance(args, rows, found, fitted, held_out)
    result = measured(rows, held_out, next(iter(odds.values())))
    about["held_out"] |= {"log_loss": round(result.log_loss, 5), "accuracy": round(result.accuracy, 5)}
    write_weights(args.out, written, args.scale, about)
    path = args.result or args.out.with_suffix(".result.json")
    play = {"weights": checksum_in(args.out)}
    write_fit(path, "weights", board[0], play, about, compared(rows, held_out, odds, phases))
    print(
        f"log-loss {result.log_loss:.4f}, accuracy {100 * result.accuracy:.1f} % on {result.rows} rows held out; "
        f"result in {path}"
    )


def _held(args: argparse.Namespace, rows: Rows) -> Model | None:
    """Return the model whose weights are held, if one is."""
    if args.hold is None:
        return None
    if args.knots:
        raise InputError("--knots with --hold: expected one of them, the weights held have their own knots")
    held = read_weights(args.hold)
    names = {column.name for column in held.terms}
    terms = {column.name for column in rows.of_role("term")}
    if list(held.board) != list(rows.about["board"]):
        raise InputError(f"{args.hold}: a board of {held.board}, expected that of {args.rows}")
    if not names < terms:
        raise InputError(f"{args.hold}: all terms or others, expected some of those of {args.rows}")
    return held


def _used(args: argparse.Namespace, phases: list[Phase]) -> list[Phase]:
    """Return the phases that weights change over."""
    names = [phase.column.name for phase in phases]
    for name in args.phase:
        if name not in names:
            raise InputError(f"--phase {name}: no such phase, expected one of {', '.join(names)}")
    return [phase for phase in phases if not args.phase or phase.column.name in args.phase]


def _phases(args: argparse.Namespace, rows: Rows, fitted: np.ndarray) -> list[Phase]:
    """Return the phases of the rows with their knots, each on a whole square."""
    asked = dict(args.knots)
    phases = []
    for column in rows.of_role("phase"):
        (place,) = rows.places([column.name])
        squares = asked.pop(column.name, None)
        if squares is None:
            squares = quantile_knots(rows.matrix[fitted, place] / column.unit, args.knot_count)
        knots = np.array(squares, dtype=np.int64) * column.unit
        if len(knots) < 2 or (np.diff(knots) <= 0).any():
            raise InputError(f"knots {list(squares)} of {column.name}: expected two or more, ascending")
        phases.append(Phase(column, knots))
    for name in asked:
        names = ", ".join(phase.column.name for phase in phases)
        raise InputError(f"--knots {name}=...: no such phase, expected one of {names}")
    return phases


def _all_odds(
    args: argparse.Namespace,
    rows: Rows,
    fitted: np.ndarray,
    asked: np.ndarray,
    model: Model,
    previous: Model | None,
) -> dict[str, np.ndarray]:
    """Return the log-odds of all evaluators that are compared."""
    odds = {"fit": model.log_odds(rows, asked)}
    if any(column.name == args.baseline for column in rows.columns):
        odds[f"{args.baseline} alone"] = baseline_odds(rows, args.baseline, fitted, asked)
    if previous is not None:
        odds["previous"] = previous.log_odds(rows, asked)
    for column in rows.of_role("odds"):
        (place,) = rows.places([column.name])
        odds[column.name.removeprefix("odds:")] = rows.matrix[asked, place] / column.unit
    return odds


def _provenance(
    args: argparse.Namespace, rows: Rows, found: Fit, fitted: np.ndarray, held_out: np.ndarray
) -> dict[str, Any]:
    """Return where weights come from: everything needed to make them again."""
    return {
        "date": args.date or datetime.now(UTC).date().isoformat(),
        "commit": args.commit or commit(),
        "fit": {
            "mix": args.mix,
            "held": checksum_in(args.hold) if args.hold else None,
            "smooth": args.smooth,
            "ridge": args.ridge,
            "holdout": args.holdout,
            "phases": args.phase or None,
            "loss": round(found.loss, 6),
            "iterations": found.iterations,
            "rows": len(fitted),
            "games": len(np.unique(rows.fields["game"][fitted])),
        },
        "held_out": {"rows": len(held_out), "games": len(np.unique(rows.fields["game"][held_out]))},
        "every": rows.about.get("every"),
        "games": rows.about.get("games"),
    }


def _progress(iteration: int, loss: float) -> None:
    if iteration % 10 == 0:
        say(f"iteration {iteration}: loss {loss:.5f}")


def _up_to(most: float, expected: str) -> Callable[[str], float]:
    """Return what reads a number from 0 to this."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}': expected {expected}")
        return value

    return read


def _knots(text: str) -> tuple[str, list[int]]:
    name, _, squares = text.partition("=")
    try:
        return name, [int(word) for word in squares.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}': expected PHASE=A,B,... in whole squares") from error
