"""Trains a policy network on the rows of `quiver features --policy`, and writes a report."""

import argparse
from dataclasses import asdict, fields
from pathlib import Path

from tuning.command import Parser, output_path
from tuning.commands.options import COUNT, SEED, number_parser
from tuning.errors import PIP_INSTALL, reading
from tuning.matches.progress import print_message
from tuning.provenance import commit, now
from tuning.rows import read_policy_rows
from tuning.scores import write_fit_result


def add_options(command: Parser) -> None:
    add, rate, weight = (
        command.add_argument,
        number_parser(float, 1e-9, metavar="R"),
        number_parser(float, 0, 100, "W"),
    )
    add("--rows", type=Path, required=True, help="the file of rows that 'quiver features --policy' wrote")
    add("--out", type=output_path, required=True, help="the network file to write")
    add("--result", type=output_path, help="the result file to write (default: OUT with .result.json)")
    add("--state", type=output_path, help="the checkpoint to continue from (default: OUT.checkpoint)")
    add("--begin", type=Path, help="a network file whose weights the training begins with (default: random)")
    add("--steps", type=COUNT, default=6000, help="training steps in floating point, one batch each")
    add("--quantised-steps", type=COUNT, default=1000, help="training steps in integers, as in the engine")
    add("--batch", type=COUNT, default=1024, help="rows in a batch")
    add("--rate", type=rate, default=3e-3, help="the largest learning rate in floating point")
    add("--quantised-rate", type=rate, default=5e-4, help="the largest learning rate of the quantised steps")
    decided = "weight of rows whose search was sure of the winner, in the loss of the moves"
    add("--decided-weight", type=number_parser(float, 0, 1, "W"), default=0.5, help=decided)
    add("--value-weight", type=weight, default=1.0, help="weight of the value's loss; the moves' loss has 1")
    add("--holdout", type=number_parser(int, 2), default=50, help="validate on every N-th game")
    add("--seed", type=SEED, default=1, help="seed of the random weights and of the order of batches")
    add("--threads", type=COUNT, help="processor threads (default: all)")


def run(args: argparse.Namespace) -> None:
    with reading("fit-policy", f"PyTorch: {PIP_INSTALL}requirements-policy.lock", ImportError):
        import torch
    from tuning.policy.net_file import read_net, write_net
    from tuning.policy.train import QUALITY_NAMES, Training, TrainingSettings, measure_network

    if args.threads:
        torch.set_num_threads(args.threads)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows = read_policy_rows(args.rows)
    begin = read_net(args.begin) if args.begin else None
    asked = {field.name: getattr(args, field.name) for field in fields(TrainingSettings)}
    settings = TrainingSettings(**asked | {"begin": _checksum(args.begin) if args.begin else None})
    checkpoint = args.state or args.out.with_name(args.out.name + ".checkpoint")
    training = Training(rows, settings, checkpoint, device, begin)
    print_message(
        f"{len(training.train_index)} rows to train on, {len(training.held_out)} held out, {device}"
    )
    net = training.run(print_message)
    qualities = measure_network(net, rows, training.held_out, device)
    names = ("games", "playouts", "seed", "blunders")
    about = {
        "date": now()[:10],
        "commit": commit(),
        "training": asdict(settings) | {"rows": len(training.train_index)},
        "games": [{name: games.get(name) for name in names} for games in rows.about["games"]],
        "searches": rows.about.get("searches"),
    }
    write_net(args.out, net, rows.board, about)
    cells = []
    for kind, empties, count, figures in qualities:
        shown = [f"{figure:.3f}" for figure in figures]
        cells.append([kind, empties, str(count), *shown])
        if empties == "all":
            print(f"{kind}: {', '.join(map(' '.join, zip(QUALITY_NAMES, shown, strict=True)))}")
    heads = ["moves", "empty squares", "rows", *QUALITY_NAMES]
    path = args.result or args.out.with_suffix(".result.json")
    play = {"board": rows.board, "network": _checksum(args.out)}
    write_fit_result(path, "policy", play, about, {"held out": {"heads": heads, "rows": cells}})


def _checksum(path: Path) -> str:
    """Return a network file's checksum in hex digits, as `quiver bench --signature` prints it."""
    return path.read_bytes()[:-5:-1].hex()
