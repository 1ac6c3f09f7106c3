"""Declares the options of `spsa` and `optuna`; plays the match that confirms tuned settings."""

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
from tuning.matches.match import BatchSource, Match, play
from tuning.matches.outcome import elo_error_of
from tuning.matches.parameters import select_parameters, write_toml
from tuning.matches.progress import print_message


def add_options(command: Parser) -> None:
    add, name = command.add_argument, "NAME[=LOW:HIGH]"
    about = "a parameter to tune; repeatable (default range: ten steps to either side of its start value)"
    add("--param", action="append", default=[], metavar=name, help=about)
    add("--games", type=options.COUNT, default=5000, help="games for tuning")
    most = "largest number of games of the confirming match; 0 for no match"
    add("--confirm-games", type=options.number_parser(int, 0), default=10_000, help=most)
    limit = command.add_mutually_exclusive_group()
    instead = "for each move of the confirming match (default: the limit of the tuning games)"
    limit.add_argument("--confirm-playouts", type=options.COUNT, metavar="N", help=f"playouts {instead}")
    limit.add_argument("--confirm-time", type=options.SECONDS, metavar="SECONDS", help=f"seconds {instead}")
    options.add_engine(command)
    options.add_game_options(command, "0,10")


LONG_MATCH_GAMES = 1000
"""At a terminal, the command asks the user before a match of at least this many games."""


class Tuning:
    """A run of SPSA or Optuna, with its options and engine. `open_run` opens its state folder."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.engine = args, Engine.find(args.engine)
        self.batch = options.batch_of(args, self.engine)
        self.parameters = select_parameters(self.engine.parameters(args.board, args.set), args.param)
        if args.games < args.batch:
            raise InputError(f"--games {args.games}: expected at least the {args.batch} games of a batch")
        limit = Side(playouts=args.confirm_playouts, time=args.confirm_time)
        self.limit = limit if limit.cost else self.batch.a

    @contextmanager
    def open_run(self, kind: str, **more: Any) -> Iterator[None]:  # noqa: ANN401
        """Open the run's folder and executor. `more` has further settings that affect the games."""
        ranges = {p.name: [p.default, p.low, p.high] for p in self.parameters}
        about = options.settings_of_run(kind, self.args, self.batch, knobs=ranges, **more)
        with options.open_run(self.args, self.engine, about) as (self.state, self.executor):
            yield

    def play(self, source: BatchSource) -> None:
        play([source], self.state, self.executor)

    def _ask_for_confirming_match(self) -> bool:
        """Return true if the confirming match is to be played. A user at a terminal may decline it."""
        most, sure = self.args.confirm_games, elo_error_of(self.args.confirm_games)
        message = (
            f"the confirming match has up to {most:,} games; its 95 % interval is then its Elo +-{sure:.0f}"
        )
        if most < LONG_MATCH_GAMES or not sys.stdin.isatty():
            print_message(message)
            return True
        return input(f"tuning: {message}; play it? [y/N] ").strip().lower() in ("y", "yes")

    def _play_confirming_match(self, settings: Settings) -> dict[str, Any]:
        """Play an SPRT match of `settings` against the start settings; return its results."""
        print_message("the tuning has ended; the match against the start settings begins")
        digest = hashlib.sha256(repr((settings, self.limit)).encode()).hexdigest()[:12]
        # The match plays other openings than the tuner, because its seed is larger than any seed
        # that the options accept.
        seed = self.batch.seed + (1 << 40)
        batch = self.batch._replace(group=f"confirm-{digest}", seed=seed, a=self.limit, b=self.limit)
        most = max(self.args.confirm_games, 2)
        match = Match(batch.between(settings, (), 0), 2, most, sprt=self.args.sprt)
        self.play(match)
        return match_results(match, "the start")

    def confirm_and_write(
        self, lines: Sequence[str], tuned: Mapping[str, float] | None, course: Sequence[Sequence[float]]
    ) -> None:
        """Play the confirming match; write `result.json` and `tuned.toml` to the state folder.

        `lines` describe the tuning in words. `tuned` has the tuned values. It is None if the tuner
        found no better values; then no match is played. Each row of `course` has a number of games
        and the values of the parameters after this number of games.
        """
        confirmation = None
        if tuned and self.args.confirm_games and self._ask_for_confirming_match():
            confirmation = self._play_confirming_match(tuple(sorted(tuned.items())))
        values = tuned or {p.name: p.default for p in self.parameters}
        listed, rows = self.state.engine.parameters(self.batch.board), []
        for parameter in self.parameters:
            name, start, value = parameter.name, parameter.default, values[parameter.name]
            if note := parameter.bound_remark(value, listed[name]):
                print_message(f"{name} = {value:g} is {note}")
            bounds = {"start": start, "low": parameter.low, "high": parameter.high}
            rows.append({"row": name, **bounds, "tuned": value, "note": note})
            print(f"{name:>30}  {parameter.text(start)} -> {parameter.text(value)}")
        table = {"heads": ["games", *(p.name for p in self.parameters)], "rows": list(course)}
        fields = {"how": list(lines), "confirmation": confirmation, "rows": rows, "tables": {"course": table}}
        path, tuned_file = options.write_state_result(self.state, **fields), self.state.folder / "tuned.toml"
        unconfirmed = "no match has confirmed these settings, so they should not be adopted"
        verdict = confirmation["said"] if confirmation else unconfirmed
        notes = [*lines, "engine {version}, signature {signature}".format(**self.state.about), verdict]
        # The file includes the settings of --set, since both sides of the match played with them.
        write_toml(tuned_file, {**dict(self.batch.common), **values}, notes)
        print_message(f"{verdict}; result in {path}, parameters in {tuned_file}")


def match_results(match: Match, against: str) -> dict[str, Any]:
    """Return the results of a match and of its SPRT as JSON fields, with a sentence about them."""
    outcome, test = match.counted, match.sprt
    assert test is not None
    ratio, bound, superiority = test.ratio(outcome.pairs), test.bound, outcome.elo_statistics.los
    verdict = {"H1": "accepted", "H0": "rejected", None: "undecided"}[test.verdict(outcome.pairs)]
    sentence = (
        f"{verdict}: {outcome} Elo over {against} after {outcome.games:,} games at {match.first.limit_text} "
        f"(SPRT of {test.elo0:g} against {test.elo1:g} Elo, ratio {ratio:.2f} of +-{bound:.2f}; "
        f"LOS {100 * (0.5 if superiority is None else superiority):.1f} %)"
    )
    return {"said": sentence, "verdict": verdict, "llr": ratio, "bound": bound, **outcome.row}
