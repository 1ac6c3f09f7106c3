"""The parts that both tuners share: options, and the match that decides, of what was found against the start."""

import argparse
import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tuning.command import Parser
from tuning.commands import options
from tuning.errors import InputError
from tuning.matches.batch import Settings, Side
from tuning.matches.engine import Engine
from tuning.matches.outcome import error_of
from tuning.matches.parameters import read_knobs, write_toml
from tuning.matches.progress import say
from tuning.matches.series import Asker, Series, play


def add_options(command: Parser) -> None:
    add, name = command.add_argument, "NAME[=LOW:HIGH]"
    about = "a parameter to tune; repeatable (ten of its steps to either side, where no range is given)"
    add("--param", action="append", default=[], metavar=name, help=about)
    add("--games", type=options.COUNT, default=5000, help="games to tune with")
    most = "games of the match that decides, at most; 0 for none"
    add("--confirm-games", type=options.number(int, 0), default=10_000, help=most)
    limit = command.add_mutually_exclusive_group()
    instead = "of a move in that match, instead of the tuner's limit"
    limit.add_argument("--confirm-playouts", type=options.COUNT, metavar="N", help=f"playouts {instead}")
    limit.add_argument("--confirm-time", type=options.SECONDS, metavar="SECONDS", help=f"seconds {instead}")
    options.add_engine(command)
    options.add_game_options(command, "0,10")


THOUSANDS = 1000
"""Games of a confirming match before which a person is asked."""


class Tuning:
    """A run of a tuner: what is varied, the games, and while it is at work its state and its executor."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Read the options; refuse those that would fail only when the confirming match begins."""
        self.args, self.engine = args, Engine.find(args.engine)
        self.batch = options.batch_of(args, self.engine)
        self.knobs = read_knobs(self.engine.parameters(args.board, args.set), args.param)
        if args.games < args.batch:
            raise InputError(f"--games {args.games}: expected a batch of {args.batch} at least")
        limit = Side(playouts=args.confirm_playouts, time=args.confirm_time)
        self.limit = limit if limit.cost else self.batch.a

    @contextmanager
    def working(self, kind: str, **more: Any) -> Iterator[None]:  # noqa: ANN401
        """Hold the state of this run, which these settings and those of `more` decide, and its executor."""
        knobs = {knob.name: [knob.default, knob.low, knob.high] for knob in self.knobs}
        about = options.about(kind, self.args, self.batch, knobs=knobs, **more)
        with options.working(self.args, self.engine, about) as (self.state, self.executor):
            yield

    def play(self, asker: Asker) -> None:
        play([asker], self.state, self.executor)

    def _agreed(self) -> bool:
        """Ask before a match of thousands of games; where nobody can answer, the options have said so."""
        most, sure = self.args.confirm_games, error_of(self.args.confirm_games)
        said = (
            f"the match that decides has up to {most:,} games, which show differences from {sure:.0f} Elo on"
        )
        if most < THOUSANDS or not sys.stdin.isatty():
            say(said)
            return True
        return input(f"tuning: {said}; play it? [y/N] ").strip().lower() in ("y", "yes")

    def _confirmed(self, settings: Settings) -> dict[str, Any]:
        """Play the settings against the start until the test has a verdict; return its figures."""
        say("tuned; now the match against the settings it began with")
        digest = hashlib.sha256(repr((settings, self.limit)).encode()).hexdigest()[:12]
        # The seed differs from the tuner's, so that the match plays other openings. The options accept no seed
        # this large, so that no tuner can have used it.
        seed = self.batch.seed + (1 << 40)
        batch = self.batch._replace(series=f"confirm-{digest}", seed=seed, a=self.limit, b=self.limit)
        most = max(self.args.confirm_games, 2)
        series = Series(batch.between(settings, (), 0), 2, most, sprt=self.args.sprt)
        self.play(series)
        return judged(series, "the start")

    def decide(
        self, how: Sequence[str], found: Mapping[str, float] | None, course: Sequence[Sequence[float]]
    ) -> None:
        """Confirm what was found, if anything was, and write `result.json` and `tuned.toml` into the state folder.

        `course` has the games, and the value of each parameter after them.
        """
        confirmation = None
        if found and self.args.confirm_games and self._agreed():
            confirmation = self._confirmed(tuple(sorted(found.items())))
        values = found or {knob.name: knob.default for knob in self.knobs}
        listed, rows = self.state.engine.parameters(self.batch.board), []
        for knob in self.knobs:
            name, start, value = knob.name, knob.default, values[knob.name]
            if note := knob.at_bound(value, listed[name]):
                say(f"{name} = {value:g} is {note}")
            bounds = {"start": start, "low": knob.low, "high": knob.high}
            rows.append({"row": name, **bounds, "tuned": value, "note": note})
            print(f"{name:>30}  {knob.text(start)} -> {knob.text(value)}")
        table = {"heads": ["games", *(knob.name for knob in self.knobs)], "rows": list(course)}
        fields = {"how": list(how), "confirmation": confirmation, "rows": rows, "tables": {"course": table}}
        path, tuned = options.write_state_result(self.state, **fields), self.state.folder / "tuned.toml"
        unconfirmed = "not yet confirmed by a match: no result to be adopted"
        said = confirmation["said"] if confirmation else unconfirmed
        notes = [*how, "engine {version}, signature {signature}".format(**self.state.about), said]
        # Both sides were set to the common settings; the file is whole with them.
        write_toml(tuned, listed, {**dict(self.batch.common), **values}, notes)
        say(f"{said}; result in {path}, parameters in {tuned}")


def judged(series: Series, against: str) -> dict[str, Any]:
    """Return the figures of a sequential test: its verdict, the log-likelihood ratio, and both in a sentence."""
    outcome, test = series.counted, series.sprt
    assert test is not None
    ratio, bound, superiority = test.ratio(outcome.pairs), test.bound, outcome.figures.los
    verdict = {"H1": "accepted", "H0": "rejected", None: "undecided"}[test.verdict(outcome.pairs)]
    said = (
        f"{verdict}: {outcome} Elo over {against} after {outcome.games:,} games at {series.first.limit} "
        f"(SPRT of {test.elo0:g} against {test.elo1:g} Elo, ratio {ratio:.2f} of +-{bound:.2f}; "
        f"LOS {100 * (0.5 if superiority is None else superiority):.1f} %)"
    )
    return {"said": said, "verdict": verdict, "llr": ratio, "bound": bound, **outcome.row}
