"""The numpy types of the rows in this package's arrays.

`GAME` describes a game: its `number`; the `winner` (0 first player, 1 second player, -1 unknown);
the `manner` of its end, an index into `MANNERS`; the side that `begins`; the index of its `first`
ply and its number of `plies`; the index of its `start` position in `starts`.

`PLY` describes a ply: the index of its `game`; the `mover` (0 or 1); the `squares` from, to and
arrow; the `kind` (0 a player's choice, 1 an opening move, 2 a deliberate blunder); `proven`, True
if the value is proven; the `value`, which is the mover's probability of winning from 0 to 1; the
`seconds` that the mover used. `value` and `seconds` are nan if the file does not have them.

`SHARE` describes a visit share: the index of the `ply`; the `squares` from and to of a queen move,
or the arrow's square twice; the `share`, which is the queen move's fraction of the search's visits,
or the arrow's fraction of the visits after the played queen move.

`CANDIDATE` describes a move in a search report: the `squares` from, to and arrow; the number of
playouts with this move as `visits`; the `value`, which is the mover's probability of winning with
this move; the `prior` of the move; the `static_value`, which is the static evaluator's value of the
move.

`MANNERS` are the ways in which a game ends: the loser had no move, resigned, exceeded the time, or
broke the rules. "unstated": the file gives no reason. "unfinished": the game has not ended.
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
