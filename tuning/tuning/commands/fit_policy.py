"""`fit-policy`: trains a policy network on rows of self-play games, and writes a report."""

import argparse
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path

from tuning.errors import InputError
from tuning.fit_report import write_fit
from tuning.matches.progress import say
from tuning.policy.rows import read_policy_rows
from tuning.provenance import commit


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = command.add_argument
    add("--rows", type=Path, required=True, metavar="FILE", help="rows of 'quiver features --policy'")
    add("--out", type=Path, required=True, metavar="FILE", help="the network file to write")
    add("--result", type=Path, metavar="FILE", help="the result to write (default: OUT with .result.json)")
    add("--state", type=Path, metavar="FILE", help="the checkpoint to go on from (default: OUT.checkpoint)")
    add("--begin", type=Path, metavar="FILE", help="a network file to begin with (default: random weights)")
    add("--steps", type=_count, default=6000, metavar="N", help="batches in floating point")
    add("--quantised-steps", type=_count, default=1000, metavar="N", help="batches on the engine's integers")
    add("--batch", type=_count, default=1024, metavar="N", help="rows a batch")
    add("--rate", type=float, default=3e-3, metavar="R", help="the largest learning rate")
    add(
        "--quantised-rate",
        type=float,
        default=5e-4,
        metavar="R",
        help="the largest learning rate on integers",
    )
    add(
        "--decided-weight",
        type=float,
        default=0.5,
        metavar="W",
        help="weight in the moves' loss of rows whose winner is known",
    )
    add("--value-weight", type=float, default=1.0, metavar="W", help="weight of the value beside the moves")
    add("--holdout", type=_count, default=50, metavar="N", help="validate on every N-th game")
    add("--seed", type=int, default=1, metavar="N", help="seed of weights and batches")
    add("--threads", type=_count, metavar="N", help="processor threads (default: all)")


def run(args: argparse.Namespace) -> None:
    """Train, write the network, and report on it."""
    try:
        import torch
    except ImportError as error:
        raise InputError(
            f"{error}; expected PyTorch: tuning/python -m pip install --no-deps -r tuning/requirements-policy.lock"
        ) from error
    from tuning.policy.net_file import read_net, write_net
    from tuning.policy.train import Settings, Training, measure

    if args.holdout < 2:
        raise InputError(f"--holdout {args.holdout}: expected 2 or more")
    if not 0 <= args.decided_weight <= 1:
        raise InputError(f"--decided-weight {args.decided_weight}: expected a number from 0 to 1")
    if not 0 <= args.value_weight <= 100:
        raise InputError(f"--value-weight {args.value_weight}: expected a number from 0 to 100")
    if not (args.rate > 0 and args.quantised_rate > 0):
        raise InputError(
            f"--rate {args.rate}, --quantised-rate {args.quantised_rate}: expected numbers above 0"
        )
    if args.threads:
        torch.set_num_threads(args.threads)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows = read_policy_rows(args.rows)
    begin = read_net(args.begin) if args.begin else None
    asked = {one.name: getattr(args, one.name) for one in fields(Settings)}
    settings = Settings(**asked | {"begin": _checksum(args.begin) if args.begin else None})
    checkpoint = args.state or args.out.with_name(args.out.name + ".checkpoint")
    for file in (args.out, checkpoint):
        if not file.parent.is_dir():
            raise InputError(f"{file}: no folder {file.parent}, expected one that exists")
    training = Training(rows, settings, checkpoint, device, begin)
    say(f"{len(training.train_index)} rows to train on, {len(training.held_out)} held out, {device}")
    net = training.run(say)
    qualities = measure(net, rows, training.held_out, device)
    games = [
        {name: one.get(name) for name in ("games", "playouts", "seed", "blunders")}
        for one in rows.about["games"]
    ]
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "training": asdict(settings) | {"rows": len(training.train_index)},
        "games": games,
    }
    write_net(args.out, net, rows.board, about)
    cells = []
    for one in qualities:
        low, high = one.empties
        figures = (one.cross_entropy, one.top_1, one.top_5, one.value_error)
        cells.append(
            [one.kind, f"{low} to {high - 1}", str(one.rows), *(f"{figure:.3f}" for figure in figures)]
        )
    heads = ["moves", "empty squares", "rows", "cross-entropy", "top 1", "top 5", "error of the value"]
    path = args.result or args.out.with_suffix(".result.json")
    play = {"network": _checksum(args.out)}
    write_fit(path, "policy", rows.board, play, about, {"held out": {"heads": heads, "rows": cells}})
    for one in qualities:
        if one.empties[0] == 0:
            print(
                f"{one.kind}: cross-entropy {one.cross_entropy:.3f}, top 1 {one.top_1:.3f}, top 5 {one.top_5:.3f}, "
                f"error of the value {one.value_error:.3f}"
            )


def _checksum(path: Path) -> str:
    """Return the checksum of a network, as the engine tells it."""
    return path.read_bytes()[:-5:-1].hex()


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected a whole number above 0")
    return int(text)
