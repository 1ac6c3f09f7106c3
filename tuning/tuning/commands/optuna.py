"""Tunes parameters by Optuna: trials of settings against the start, each ended when it is surely not the best.

Several machines can share one study: give each a --state of its own and the same --storage and --study.
"""

import argparse

from tuning.command import Parser
from tuning.commands import options, tuners
from tuning.errors import InputError
from tuning.matches.outcome import error_of
from tuning.matches.progress import say
from tuning.tuners.study import PRUNERS, SAMPLERS, Study

TRIALS, MOST_GAMES = 10, 200
"""Trials that --games are divided into, and the games of a trial, at most."""


def add_options(command: Parser) -> None:
    tuners.add_options(command)
    add = command.add_argument
    trial = "games of a trial that is not ended early (default: a tenth of --games, at most 200)"
    add("--trial-games", type=options.COUNT, help=trial)
    add("--sampler", choices=SAMPLERS, default="tpe", help="what proposes settings")
    add("--pruner", choices=PRUNERS, default="wilcoxon", help="what ends a trial early")
    add("--storage", metavar="URL", help="a database, or journal:FILE (default: an SQLite file in --state)")
    add("--study", default="quiver", metavar="NAME", help="its name there")


def run(args: argparse.Namespace) -> None:
    tuning = tuners.Tuning(args)
    trial_games = args.trial_games or min(max(args.games // TRIALS, args.batch), MOST_GAMES)
    batches = trial_games // args.batch
    if batches < 1:
        raise InputError(f"--trial-games {args.trial_games}: expected a batch of {args.batch} at least")
    args.trial_games = batches * args.batch
    trials = max(args.games // args.trial_games, 1)
    say(
        f"{args.games:,} games: at least {trials} trial{'s' if trials > 1 else ''} of {args.trial_games} games; "
        f"each knows its Elo to +-{error_of(args.trial_games):.0f}, so settings closer than that look alike"
    )
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
