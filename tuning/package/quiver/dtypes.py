"""The rows of the arrays that this package makes."""

import numpy as np

MANNERS = ("no move", "resignation", "time", "forfeit", "unstated", "unfinished")
"""Ends of a game, by the numbers in `GAME`: the loser had no move, resigned, was late, broke the rules; the
source does not say; the game goes on."""

GAME = np.dtype(
    [
        ("number", "<u4"),
        ("winner", "i1"),
        ("manner", "u1"),
        ("begins", "u1"),
        ("first", "<u4"),
        ("plies", "<u2"),
        ("start", "<u4"),
    ]
)
"""A game: its number; the winner (0 first player, 1 second, -1 unknown); its end as an index of `MANNERS`; the
side that moves first; the index of its first ply and how many there are; the index of its start in `starts`."""

PLY = np.dtype(
    [
        ("game", "<u4"),
        ("mover", "u1"),
        ("squares", "<i2", 3),
        ("kind", "u1"),
        ("proven", "?"),
        ("value", "<f4"),
        ("seconds", "<f4"),
    ]
)
"""A ply: the index of its game; the mover (0 or 1); from, to and arrow; the kind (0 a player's choice, 1 a ply of
the opening, 2 a deliberate blunder); whether the value is proven; the mover's chance of winning from 0 to 1, and
the seconds used, nan where the file does not say."""

SHARE = np.dtype([("ply", "<u4"), ("squares", "<i2", 2), ("share", "<f4")])
"""A visit share: the index of the ply; from and to of a queen move, or the arrow twice; the share of the visits."""

CANDIDATE = np.dtype(
    [("squares", "<i2", 3), ("visits", "<u8"), ("value", "<f8"), ("prior", "<f8"), ("static_value", "<f8")]
)
"""A move that a search looked at: from, to and arrow; playouts through it; the mover's chance of winning after it;
its prior; its value by the static evaluator."""
