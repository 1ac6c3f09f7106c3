"""Tunes parameters by Optuna: trials of settings against the start, each ended when it is surely not the best.

Several machines can share one study: give each a --state of its own and the same --storage and --study.
"""

import argparse

from tuning.command import Parser
from tuning.commands import options, tuners
from tuning.errors import InputError
from tuning.matches.progress import say
from tuning.tuners.study import PRUNERS, SAMPLERS, Study


def add_options(command: Parser) -> None:
    tuners.add_options(command)
    add = command.add_argument
    add("--trial-games", type=options.COUNT, default=200, help="games of a trial that is not ended early")
    add("--sampler", choices=SAMPLERS, default="tpe", help="what proposes settings")
    add("--pruner", choices=PRUNERS, default="wilcoxon", help="what ends a trial early")
    add("--storage", metavar="URL", help="a database, or journal:FILE (default: an SQLite file in --state)")
    add("--study", default="quiver", metavar="NAME", help="its name there")


def run(args: argparse.Namespace) -> None:
    tuning = tuners.Tuning(args)
    batches = args.trial_games // args.batch
    if batches < 1:
        raise InputError(f"--trial-games {args.trial_games}: expected a batch of {args.batch} at least")
    asked = {name: getattr(args, name) for name in ("trial_games", "sampler", "pruner", "study")}
    with tuning.working("optuna", **asked):
        study = Study(
            url=args.storage or f"sqlite:///{tuning.state.folder}/optuna.db",
            name=args.study,
            owner=tuning.state.about["id"],
            knobs=tuning.knobs,
            batch=tuning.batch,
            sampler=args.sampler,
            pruner=args.pruner,
            batches=batches,
            most=args.games,
        )
        tuning.play(study)
        best, trials = study.best(), study.trials()
        if best is None:
            say("no trial beat the settings it began with: nothing to confirm")
        course, games = [], 0
        for trial in trials:
            games += trial.outcome.games
            course.append([games, *trial.values.values()])
        chosen = f"trial {best.number}, {best.outcome} Elo in its own games" if best else "the start"
        lines = [
            f"Optuna: {len(trials)} trials, {games:,} games at {tuning.batch.limit} a move, sampler {args.sampler}, "
            f"pruner {args.pruner}",
            f"Chosen: {chosen}, by the lower end of its 95 % interval in Elo",
        ]
        tuning.decide(lines, best.values if best else None, course)
