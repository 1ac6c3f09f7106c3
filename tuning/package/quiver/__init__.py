"""The Game of the Amazons: rules, search, evaluation and endgame proofs by the engine Quiver.

    >>> import quiver
    >>> position = quiver.Position.start(8)
    >>> report = quiver.Engine(position).search(playouts=1000)
    >>> position = position.play(report.best)

Sides are 0 (first player) and 1 (second player). A square is the number `16 * y + x`, where x is
the column and y the row; both are 0 at a1. An invalid argument raises a `ValueError` that says what
was expected. An integer that does not fit the argument's type in Rust, such as `playouts=-1`,
raises an `OverflowError`.
"""

from quiver._native import (
    Candidate,
    Engine,
    Move,
    Position,
    Report,
    Solution,
    __version__,
    evaluate,
    features,
    log_odds,
    parameters,
    perft,
    priors,
    solve,
)
from quiver.dtypes import CANDIDATE, GAME, MANNERS, PLY, SHARE
from quiver.games import Games, read_games, selfplay, selfplay_batches
from quiver.state import TERMINAL, State

__all__ = [
    "CANDIDATE",
    "GAME",
    "MANNERS",
    "PLY",
    "SHARE",
    "TERMINAL",
    "Candidate",
    "Engine",
    "Games",
    "Move",
    "Position",
    "Report",
    "Solution",
    "State",
    "__version__",
    "evaluate",
    "features",
    "log_odds",
    "parameters",
    "perft",
    "priors",
    "read_games",
    "selfplay",
    "selfplay_batches",
    "solve",
]
