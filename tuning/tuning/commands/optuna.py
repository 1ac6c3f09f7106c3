"""Tunes parameters by Optuna: trials of settings against the start, each ended when it is surely not the best.

Several machines can share one study: give each a --state of its own and the same --storage and --study.
"""

import argparse
import hashlib
from collections.abc import Callable

from tuning.commands import options, tuners
from tuning.errors import InputError
from tuning.matches.batch import Batch, Side, Terms, spoken
from tuning.matches.engine import Engine
from tuning.matches.executor import Executor
from tuning.matches.progress import Countdown, say
from tuning.matches.series import job, whole
from tuning.matches.state import State
from tuning.matches.statistics import Standing
from tuning.tuners.knobs import described, read_knobs
from tuning.tuners.study import PRUNERS, SAMPLERS, Study
from tuning.tuners.tables import Found, report


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    tuners.add_options(command)
    add = command.add_argument
    add("--trial-games", type=int, default=200, metavar="N", help="games of a trial that is not ended early")
    add("--sampler", choices=SAMPLERS, default="tpe", help="what proposes settings")
    add("--pruner", choices=PRUNERS, default="wilcoxon", help="what ends a trial early")
    add(
        "--storage",
        metavar="URL",
        help="a database, or journal:FILE (default: an SQLite file in --state)",
    )
    add("--study", default="quiver", metavar="NAME", help="its name there")


def run(args: argparse.Namespace) -> None:
    """Tune, confirm and report; go on from the study that is in the storage."""
    engine = Engine.find(args.engine)
    terms = options.terms(args, engine)
    knobs = read_knobs(engine.parameters(terms.board), args.param, terms.common)
    tuners.checked(args)
    start = options.limited(args)
    batches = args.trial_games // args.batch
    if batches < 1:
        raise InputError(f"--trial-games {args.trial_games}: expected a batch of {args.batch} at least")
    name = f"optuna-{terms.board}x{terms.board}"
    asked = {"knobs": described(knobs), "trial_games": args.trial_games, "sampler": args.sampler}
    asked |= {"pruner": args.pruner, "study": args.study}
    about = options.about("optuna", terms, args.batch, **tuners.fields(args), **asked)
    with options.working(args, engine, name, about) as (state, executor):
        url = args.storage or f"sqlite:///{state.folder}/optuna.db"
        study = Study(
            url, args.study, state.about["id"], knobs, args.sampler, args.pruner, terms.seed, batches
        )
        countdown = Countdown(args.games)
        while (games := study.games) < args.games:
            countdown.at(games, "", True)
            _play(study, lambda values: options.limited(args, values), terms, args.batch, state, executor)
        countdown.at(args.games, "", True)
        best, trials = study.best(), study.trials()
        if best is None:
            say("no trial beat the settings it began with: nothing to confirm")
        values = best.values if best else {knob.name: knob.start for knob in knobs}
        confirmation = tuners.decide(args, values, terms, state, executor) if best else None
        course, games = [], 0
        for trial in trials:
            games += trial.standing.games
            course.append([games, *(trial.values[knob.name] for knob in knobs)])
        lines = [
            f"Optuna: {len(trials)} trials, {games:,} games at {spoken(start, terms)} a move, sampler {args.sampler}, "
            f"pruner {args.pruner}",
            f"Chosen: {f'trial {best.number}, {best.standing} Elo in its own games' if best else 'the start'}, "
            "by the lower end of its 95 % interval in Elo",
        ]
        report(Found(lines, knobs, values, course), confirmation, state, terms)


def _play(
    study: Study, side: Callable[[dict], Side], terms: Terms, per_batch: int, state: State, executor: Executor
) -> None:
    """Play a trial, as many batches at a time as there are cores, until the study ends it."""
    trial, values = study.begin()
    # Games of a trial are kept by its settings, and are found again if those are asked for again.
    name = "trial-" + hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()[:12]
    total, number = Standing(), 0
    while True:
        numbers = range(number, min(number + executor.cores, study.batches))
        wave = [Batch(side(values), side({}), terms, per_batch, one) for one in numbers]
        missing = [batch for batch in wave if state.outcome(name, batch) is None]
        for future in [executor.submit(job(name, batch, state)) for batch in missing]:
            future.result()
        for batch in wave:
            standing = whole(name, batch, state).standing
            total += standing
            if study.add(trial, batch.number, total, standing):
                say(f"trial {trial.number}: {total} Elo after {total.games} games")
                return
        number += len(wave)
