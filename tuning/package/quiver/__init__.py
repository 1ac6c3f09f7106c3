"""The Game of the Amazons: the rules, the search and the proofs of the engine Quiver, at Rust's speed.

    >>> import quiver
    >>> position = quiver.Position.start(8)
    >>> report = quiver.Engine(position).search(playouts=1000)
    >>> position = position.play(report.best)

Sides are 0 (first player) and 1 (second). Squares are numbers `16 * y + x`, both from 0 at a1, here as in
files of games. What the engine refuses raises a `ValueError` that says what was expected. A number out of
its type's range raises an `OverflowError`.
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
