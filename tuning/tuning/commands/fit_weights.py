"""Fits the evaluator's weights to rows of features, and writes a weight file and a report."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from tuning.command import Parser, output_path
from tuning.commands.options import number_parser
from tuning.errors import InputError
from tuning.fit import Fit, Model, Phase, design, fit, join_models, quantile_knots
from tuning.matches.progress import print_message
from tuning.provenance import commit, now
from tuning.rows import TrainingRows, read_rows, split_games
from tuning.scores import baseline_odds, comparison_tables, labels, scores, write_fit_result
from tuning.weight_file import integer_weights, read_checksum, read_weights, write_weights


def add_options(command: Parser) -> None:
    add, weight, from_2 = command.add_argument, number_parser(float, 0, 1e12, "ROWS"), number_parser(int, 2)
    add("--rows", type=Path, required=True, help="the file of rows that 'quiver features' wrote")
    add("--out", type=output_path, required=True, help="the weight file to write")
    add("--result", type=output_path, help="the result file to write (default: OUT with .result.json)")
    add("--previous", type=Path, help="another weight file, which the report compares with the new one")
    hold = "a weight file whose weights are kept: only the terms that it lacks are fitted"
    add("--hold", type=Path, help=hold)
    mix = "share of the search's value in a label; the rest is the game's result"
    add("--mix", type=number_parser(float, 0, 1, "M"), default=0.3, help=mix)
    knots = "values of a phase, in squares, that have weights of their own; repeatable (default: quantiles)"
    add("--knots", type=_parse_knots, action="append", default=[], metavar="PHASE=A,B,...", help=knots)
    phase = "a phase that the weights may depend on; repeatable (default: all)"
    add("--phase", action="append", default=[], metavar="PHASE", help=phase)
    add("--knot-count", type=from_2, default=7, help="number of knots of a phase without --knots")
    smooth = "penalty on squared differences of weights at neighbouring knots; the loss of a row counts 1"
    add("--smooth", type=weight, default=100.0, help=smooth)
    add("--ridge", type=weight, default=1.0, help="penalty on squared weights; the loss of a row counts 1")
    add("--holdout", type=from_2, default=10, help="validate on every N-th game")
    add("--scale", type=number_parser(int, 1), default=2048, help="the integer for a weight of 1 in the file")
    baseline = "the single column whose prediction the report compares with the fit"
    add("--baseline", default="t1", metavar="NAME", help=baseline)
    add("--max-iterations", type=number_parser(int, 1), default=200, help="largest number of iterations")
    add("--commit", metavar="NAME", help="the commit to name in the provenance (default: git's)")
    add("--date", metavar="DAY", help="the day to name in the provenance (default: today)")


def run(args: argparse.Namespace) -> None:
    rows = read_rows(args.rows)
    previous = read_weights(args.previous) if args.previous else None
    held = _read_held_model(args, rows)
    fitted, held_out = split_games(rows.fields["game"], args.holdout)
    judged = held_out[rows.has_usable_result(held_out)]
    if len(fitted) == 0 or len(judged) == 0:
        raise InputError(f"{args.rows}: too few games, expected some for the fit and some for --holdout")
    phases = held.phases if held else _phases(args, rows, fitted)
    names = [phase.column.name for phase in phases]
    for option, asked in (("--phase", args.phase), ("--knots", dict(args.knots))):
        for name in {*asked} - {*names}:
            raise InputError(f"{option} {name}: no such phase, expected one of {', '.join(names)}")
    print_message(f"reading {len(fitted)} rows to fit on; {len(held_out)} rows are for validation")
    data = design(rows, fitted, labels(rows, fitted, args.mix), phases, held, args.phase)
    new_fit = fit(data, args.smooth, args.ridge, args.max_iterations, print_message)
    print_message(f"loss {new_fit.loss:.5f} after {new_fit.iterations} iterations: {new_fit.message}")
    terms = rows.columns_of_role("term")
    known = {column.name for column in held.terms} if held else set()
    new = [column for column in terms if column.name not in known]
    exact = Model(rows.board, phases, new, new_fit.weights)
    exact = join_models(held, exact, terms) if held else exact
    # The report measures the rounded weights of the weight file, not the exact weights.
    written = Model(rows.board, phases, exact.terms, integer_weights(exact, args.scale) / args.scale)
    odds = {"fit": written.log_odds(rows, judged)}
    if any(column.name == args.baseline for column in rows.columns):
        odds[f"{args.baseline} alone"] = baseline_odds(rows, args.baseline, fitted, judged)
    if previous is not None:
        odds["previous"] = previous.log_odds(rows, judged)
    for column in rows.columns_of_role("odds"):
        odds[column.name.removeprefix("odds:")] = rows.column(column.name, judged) / column.unit
    result = scores(odds["fit"], rows.fields["result"][judged] == 1)
    about = _provenance(args, rows, new_fit, fitted, held_out)
    about["held_out"] |= {"log_loss": round(result.log_loss, 5), "accuracy": round(result.accuracy, 5)}
    write_weights(args.out, written, args.scale, about)
    path = args.result or args.out.with_suffix(".result.json")
    play = {"board": rows.board, "weights": read_checksum(args.out)}
    write_fit_result(path, "weights", play, about, comparison_tables(rows, judged, odds, phases))
    print(
        f"log-loss {result.log_loss:.4f}, accuracy {100 * result.accuracy:.1f} % on {result.rows} rows held out; "
        f"result in {path}"
    )


def _read_held_model(args: argparse.Namespace, rows: TrainingRows) -> Model | None:
    if args.hold is None:
        return None
    if args.knots:
        raise InputError("--knots with --hold: expected only one, since the file of --hold has its knots")
    held = read_weights(args.hold)
    if held.board != rows.board:
        raise InputError(f"{args.hold}: weights for board {held.board}, expected board {rows.board}")
    if not {column.name for column in held.terms} < {column.name for column in rows.columns_of_role("term")}:
        raise InputError(f"{args.hold}: expected weights for some, but not all, of the terms of {args.rows}")
    return held


def _phases(args: argparse.Namespace, rows: TrainingRows, fitted: np.ndarray) -> list[Phase]:
    asked, phases = dict(args.knots), []
    for column in rows.columns_of_role("phase"):
        squares = asked.get(column.name)
        if squares is None:
            squares = quantile_knots(rows.column(column.name, fitted) / column.unit, args.knot_count)
        knots, most = np.array(squares, dtype=np.int64) * column.unit, rows.board**2
        if len(squares) < 2 or (np.diff([-1, *squares, most + 1]) <= 0).any():
            raise InputError(
                f"knots {list(squares)} of {column.name}: expected two or more, ascending, from 0 to {most}"
            )
        phases.append(Phase(column, knots))
    return phases


def _provenance(
    args: argparse.Namespace, rows: TrainingRows, new_fit: Fit, fitted: np.ndarray, held_out: np.ndarray
) -> dict[str, Any]:
    games = [len(np.unique(rows.fields["game"][part])) for part in (fitted, held_out)]
    return {
        "date": args.date or now()[:10],
        "commit": args.commit or commit(),
        "fit": {
            **{name: getattr(args, name) for name in ("mix", "smooth", "ridge", "holdout")},
            "held": read_checksum(args.hold) if args.hold else None,
            "phases": args.phase or None,
            "loss": round(new_fit.loss, 6),
            "iterations": new_fit.iterations,
            "rows": len(fitted),
            "games": games[0],
        },
        "held_out": {"rows": len(held_out), "games": games[1]},
        "every": rows.about.get("every"),
        "games": rows.about.get("games"),
    }


def _parse_knots(text: str) -> tuple[str, list[int]]:
    name, _, squares = text.partition("=")
    try:
        return name, [int(word) for word in squares.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}', expected PHASE=A,B,... in whole squares") from error
