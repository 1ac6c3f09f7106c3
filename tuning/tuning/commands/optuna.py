"""Tunes parameters by Optuna: trials of settings against the start, each ended when it is surely not the best.

Several machines can share one study: give each a --state of its own and the same --storage and --study.
"""

import argparse
import hashlib

from tuning.command import Parser
from tuning.commands import options, tuners
from tuning.errors import InputError
from tuning.matches.batch import Batch
from tuning.matches.executor import Executor
from tuning.matches.outcome import Outcome
from tuning.matches.progress import say
from tuning.matches.series import play
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
    about, name = tuning.about("optuna", **asked), f"optuna-{args.board}x{args.board}"
    with options.working(args, tuning.engine, name, about) as (state, executor):
        url, how = args.storage or f"sqlite:///{state.folder}/optuna.db", (args.sampler, args.pruner)
        study = Study(url, args.study, state.about["id"], tuning.knobs, *how, tuning.terms.seed, batches)
        play(_Asker(tuning, study, executor), state, executor)
        best, trials = study.best(), study.trials()
        if best is None:
            say("no trial beat the settings it began with: nothing to confirm")
        values = best.values if best else {knob.name: knob.start for knob in tuning.knobs}
        confirmation = tuning.decide(values, state, executor) if best else None
        course, games = [], 0
        for trial in trials:
            games += trial.outcome.games
            course.append([games, *trial.values.values()])
        chosen = f"trial {best.number}, {best.outcome} Elo in its own games" if best else "the start"
        lines = [
            f"Optuna: {len(trials)} trials, {games:,} games at {tuning.spoken} a move, sampler {args.sampler}, "
            f"pruner {args.pruner}",
            f"Chosen: {chosen}, by the lower end of its 95 % interval in Elo",
        ]
        tuning.report(lines, values, course, confirmation, state)


class _Asker:
    """Asks for the batches of one trial after the other, as many at a time as there are cores."""

    def __init__(self, tuning: tuners.Tuning, study: Study, executor: Executor) -> None:
        self._tuning, self._study, self._executor = tuning, study, executor
        self._games, self._in_flight, self._trial = study.games, 0, None

    @property
    def left(self) -> float:
        return max(self._tuning.args.games - self._games, 0)

    def ask(self) -> tuple[str, Batch] | None:
        args = self._tuning.args
        if self._trial is None:
            # Batches of an ended trial may still be played, and the next one may have its settings.
            if self._in_flight or not self.left:
                return None
            self._trial, self._values = self._study.begin()
            self._total, self._told, self._asked, self._waiting = Outcome(), 0, 0, {}
        if self._asked >= min(self._told + self._executor.cores, self._study.batches):
            return None
        sides = options.limited(args, tuple(self._values.items())), options.limited(args)
        self._asked, self._in_flight = self._asked + 1, self._in_flight + 1
        # Games of a trial are kept by its settings, and are found again if those are asked for again.
        name = "trial-" + hashlib.sha256(repr(sorted(self._values.items())).encode()).hexdigest()[:12]
        return name, Batch(*sides, self._tuning.terms, args.batch, self._asked - 1)

    def tell(self, _series: str, batch: Batch, outcome: Outcome) -> str:
        self._in_flight -= 1
        self._waiting[batch.number] = outcome
        while self._trial and (one := self._waiting.pop(self._told, None)):
            self._total += one
            if self._study.add(self._trial, self._told, self._total, one):
                say(f"trial {self._trial.number}: {self._total} Elo after {self._total.games} games")
                self._games, self._trial = self._study.games, None
            self._told += 1
        return f"{self._games:,} of {self._tuning.args.games:,} games"
