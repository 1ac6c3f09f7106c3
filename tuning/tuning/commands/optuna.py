"""Tunes parameters by Optuna. In each trial, new settings play against the start settings.

A pruner ends a trial early if its settings are clearly not the best. Several machines can share a
study: give each of them its own --state, and all of them the same --storage and --study.
"""

import argparse

from tuning.command import Parser
from tuning.commands import options, tuners
from tuning.errors import InputError
from tuning.matches.outcome import elo_error_of
from tuning.matches.progress import print_message
from tuning.tuners.study import PRUNERS, SAMPLERS, Study

DEFAULT_TRIALS, MAX_TRIAL_GAMES = 10, 200


def add_options(command: Parser) -> None:
    tuners.add_options(command)
    add = command.add_argument
    trial = "games of a trial that does not end early (default: a tenth of --games, at most 200)"
    add("--trial-games", type=options.COUNT, help=trial)
    add("--sampler", choices=SAMPLERS, default="tpe", help="Optuna's method of proposing settings")
    add("--pruner", choices=PRUNERS, default="wilcoxon", help="Optuna's method of ending trials early")
    add("--storage", metavar="URL", help="a database, or journal:FILE (default: an SQLite file in --state)")
    add("--study", default="quiver", metavar="NAME", help="the name of the study in the storage")


def run(args: argparse.Namespace) -> None:
    tuning = tuners.Tuning(args)
    trial_games = args.trial_games or min(max(args.games // DEFAULT_TRIALS, args.batch), MAX_TRIAL_GAMES)
    batches = trial_games // args.batch
    if batches < 1:
        raise InputError(f"--trial-games {args.trial_games}: expected at least a batch, {args.batch} games")
    args.trial_games = batches * args.batch
    trials = max(args.games // args.trial_games, 1)
    print_message(
        f"{args.games:,} games: at least {trials} trial{'s' if trials > 1 else ''} of {args.trial_games} games; "
        f"the 95 % interval of a trial is its Elo +-{elo_error_of(args.trial_games):.0f}"
    )
    asked = {name: getattr(args, name) for name in ("trial_games", "sampler", "pruner", "study")}
    with tuning.open_run("optuna", **asked):
        study = Study(
            url=args.storage or f"sqlite:///{tuning.state.folder}/optuna.db",
            name=args.study,
            owner=tuning.state.about["id"],
            parameters=tuning.parameters,
            batch=tuning.batch,
            sampler=args.sampler,
            pruner=args.pruner,
            batches=batches,
            most=args.games,
        )
        tuning.play(study)
        best, trials = study.best(), study.trials()
        if best is None:
            print_message("no trial beat the start settings, so there is no confirming match")
        course, games = [], 0
        for trial in trials:
            games += trial.outcome.games
            course.append([games, *trial.values.values()])
        chosen = f"trial {best.number}, {best.outcome} Elo in its own games" if best else "the start"
        lines = [
            f"Optuna: {len(trials)} trials, {games:,} games at {tuning.batch.limit_text} a move, "
            f"sampler {args.sampler}, pruner {args.pruner}",
            f"Chosen: {chosen}, by the lower end of its 95 % interval in Elo",
        ]
        tuning.confirm_and_write(lines, best.values if best else None, course)
