"""Tunes parameters by Optuna: trials of settings against the start, each ended when it is surely not the best.

Several machines can share one study: give each a --state of its own and the same --storage and --study.
"""

import argparse

from tuning.commands import options, tuners
from tuning.errors import InputError
from tuning.matches.batch import Batch, Terms, spoken
from tuning.matches.engine import Engine
from tuning.matches.progress import Countdown, say
from tuning.matches.record import Outcome
from tuning.matches.series import play_asked
from tuning.tuners.knobs import described, read_knobs
from tuning.tuners.search import Search
from tuning.tuners.study import PRUNERS, SAMPLERS, OpenTrial, Study
from tuning.tuners.tables import Found, report


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    tuners.add_options(command)
    add = command.add_argument
    add("--trial-games", type=int, default=200, metavar="N", help="games of a trial that is not ended early")
    add(
        "--most-open",
        type=int,
        metavar="N",
        help="open trials, at most (default: the cores, up to a fifth of the full trials that --games are enough for)",
    )
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
    if args.most_open is not None and args.most_open < 1:
        raise InputError(f"--most-open {args.most_open}: expected from 1")
    if batches < 1:
        raise InputError(f"--trial-games {args.trial_games}: expected a batch of {args.batch} at least")
    name = f"optuna-{terms.board}x{terms.board}"
    asked = {"knobs": described(knobs), "trial_games": args.trial_games, "sampler": args.sampler}
    asked |= {"pruner": args.pruner, "study": args.study}
    about = options.about("optuna", terms, args.batch, **tuners.fields(args), **asked)
    with options.working(args, engine, name, about) as (state, executor):
        folder = options.report_to(args, name, state)
        url = args.storage or f"sqlite:///{state.folder}/optuna.db"
        study = Study(
            url, args.study, state.about["id"], knobs, args.sampler, args.pruner, terms.seed, batches
        )

        search = Search(study, args.games, args.batch, executor.cores, args.most_open or 0)
        play_asked(_Player(args, search, terms), state, executor)
        best, trials = study.best(), study.trials()
        if best is None:
            say("no trial beat the settings it began with: nothing to confirm")
        values = best.values if best else {knob.name: knob.start for knob in knobs}
        confirmation = tuners.decide(args, values, terms, state, executor) if best else None
        courses: dict[str, tuple[list[float], list[float]]] = {knob.name: ([], []) for knob in knobs}
        games = 0
        for trial in trials:
            games += trial.standing.games
            for knob in knobs:
                courses[knob.name][0].append(games)
                courses[knob.name][1].append(trial.values[knob.name])
        lines = [
            f"Optuna: {len(trials)} trials, {games:,} games at {spoken(start, terms)} a move, sampler {args.sampler}, "
            f"pruner {args.pruner}",
            f"Chosen: {f'trial {best.number}, {best.standing} Elo in its own games' if best else 'the start'}, "
            "by the lower end of its 95 % interval in Elo",
        ]
        title = f"Optuna over {len(knobs)} parameters, {terms.board}x{terms.board}"
        found = Found(title, lines, knobs, values, courses, lined=False)
        report(folder, found, confirmation, state, terms, executor.place)


class _Player:
    """Asks for the batches of the study's trials."""

    def __init__(self, args: argparse.Namespace, search: Search, terms: Terms) -> None:
        self._args, self._search, self._terms = args, search, terms
        self._countdown = Countdown(args.games)
        self._countdown.at(min(search.study.games, args.games), "", False)

    def ask(self) -> tuple[tuple[OpenTrial, int], str, Batch] | None:
        wanted = self._search.ask()
        if wanted is None:
            return None
        trial, number = wanted
        sides = options.limited(self._args, trial.values), options.limited(self._args)
        return wanted, trial.name, Batch(*sides, self._terms, self._args.batch, number)

    def tell(self, key: tuple[OpenTrial, int], outcome: Outcome, fresh: bool) -> None:
        trial, number = key
        if not self._search.tell(trial, number, outcome):
            return
        study = self._search.study
        best = study.best()
        known = (
            f"best so far trial {best.number}, {best.standing} Elo" if best else "none beats the start yet"
        )
        said = f"trial {trial.trial.number}: {trial.total.standing} Elo; {known}"
        self._countdown.at(min(study.games, self._args.games), said, fresh)
