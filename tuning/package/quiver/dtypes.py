"""The rows of the arrays that this package makes.

`GAME` is a game: its `number`; the `winner` (0 first player, 1 second, -1 unknown); its end `manner` as an index of
`MANNERS`; the side that `begins`; the index `first` of its first ply and the number of its `plies`; the index of its
`start` in `starts`.

`PLY` is a ply: the index of its `game`; the `mover` (0 or 1); the `squares` from, to and arrow; the `kind` (0 a
player's choice, 1 a ply of the opening, 2 a deliberate blunder); whether the value is `proven`; the mover's `value`, a
chance of winning from 0 to 1, and the `seconds` used, both nan where the file does not say.

`SHARE` is a visit share: the index of the `ply`; `squares` from and to of a queen move, or the arrow twice; the `share`
of the visits.

`CANDIDATE` is a move that a search looked at: `squares` from, to and arrow; `visits`, the playouts through it; the
mover's `value` after it; its `prior`; its `static_value` by the static evaluator.

`MANNERS` are the ends of a game: the loser had no move, resigned, was late, broke the rules; the source does not say;
the game goes on.
"""

import numpy as np

MANNERS = ("no move", "resignation", "time", "forfeit", "unstated", "unfinished")

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

SHARE = np.dtype([("ply", "<u4"), ("squares", "<i2", 2), ("share", "<f4")])

CANDIDATE = np.dtype(
    [("squares", "<i2", 3), ("visits", "<u8"), ("value", "<f8"), ("prior", "<f8"), ("static_value", "<f8")]
)
