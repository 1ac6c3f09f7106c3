"""`State`, the state of a game for reinforcement learning, with numbered actions."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from quiver._native import Move, Position

TERMINAL = -4
"""The value of `State.current_player` after the end of a game, as in OpenSpiel."""


@dataclass
class State:
    """A game with the methods of OpenSpiel's states.

    A full move consists of two actions: the queen move, then the arrow. Square (x, y) is cell `size
    * y + x`, and `cells = size * size`. The queen move from cell `a` to cell `b` is the action
    `cells * a + b`, and the arrow to cell `c` is the action `cells * cells + c`.
    """

    position: Position
    """The position before the current full move."""
    queen_move: tuple[int, int] | None = None
    """The current queen move's squares from and to (`16 * y + x`); None before that move."""

    def __post_init__(self) -> None:
        """Raise ValueError for a board that is not square."""
        if self.position.width != self.position.height:
            raise ValueError(f"{self.position.fen}: expected a square board")

    @property
    def size(self) -> int:
        """The number of squares along a side of the board."""
        return self.position.width

    def num_distinct_actions(self) -> int:
        """Return the number of all actions, legal or not."""
        return self.size**4 + self.size**2

    def current_player(self) -> int:
        """Return the side to act, 0 or 1, or `TERMINAL` after the end of the game."""
        return TERMINAL if self.is_terminal() else self.position.to_move

    def is_terminal(self) -> bool:
        """Return True if the side to act has no move and thus has lost."""
        return self.queen_move is None and self.position.is_over

    def returns(self) -> list[float]:
        """Return the rewards of sides 0 and 1: 1 for a win, -1 for a loss, 0 before the end."""
        winner = self.position.winner
        return [0.0, 0.0] if winner is None else [1.0 - 2.0 * (side != winner) for side in (0, 1)]

    def legal_action_array(self) -> npt.NDArray[np.int64]:
        """Return the legal actions as an array of shape (n,)."""
        if self.queen_move is not None:
            return self.size**4 + self._cell(self.position.arrows(*self.queen_move))
        queens = self._cell(self.position.queen_moves())
        return self.size**2 * queens[:, 0] + queens[:, 1]

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order."""
        return sorted(self.legal_action_array().tolist())

    def legal_actions_mask(self) -> npt.NDArray[np.int8]:
        """Return an array of shape (cells * cells + cells,) with 1 for legal actions, else 0."""
        mask = np.zeros(self.num_distinct_actions(), np.int8)
        mask[self.legal_action_array()] = 1
        return mask

    def apply_action(self, action: int) -> Move | None:
        """Apply an action; return the full move after an arrow, None after a queen move.

        Raises ValueError if the action is illegal.
        """
        if action not in self.legal_action_array():
            half = "an arrow" if self.queen_move else "a queen move"
            raise ValueError(f"action {action} is illegal: expected {half} among legal_actions")
        if self.queen_move is None:
            start, end = divmod(int(action), self.size**2)
            self.queen_move = self._square(start), self._square(end)
            return None
        move = Move.from_squares(*self.queen_move, self._square(int(action) - self.size**4))
        self.position, self.queen_move = self.position.play(move), None
        return move

    def actions_of(self, move: Move) -> tuple[int, int]:
        """Return the two actions of a full move: its queen move, then its arrow."""
        start, end, arrow = self._cell(np.array(move.squares)).tolist()
        return self.size**2 * start + end, self.size**4 + arrow

    def clone(self) -> "State":
        """Return an independent copy of this state."""
        return replace(self)

    def observation(self, player: int | None = None) -> npt.NDArray[np.int8]:
        """Return what a player observes: an array of shape (4, size, size) of 0 and 1.

        `player` is by default the side to act. Plane 0 has a 1 on the player's amazons, plane 1 on
        the opponent's, plane 2 on burnt squares, and plane 3 on the amazon that has moved and is
        about to shoot. The axes are plane, y and x.
        """
        if player not in (None, 0, 1):
            raise ValueError(f"player = {player}: expected 0, 1 or None")
        planes = np.zeros((4, self.size, self.size), np.int8)
        planes[:3] = self.position.planes()
        if self.queen_move is not None:
            start, end = (divmod(square, 16) for square in self.queen_move)
            planes[0][start] = 0
            planes[0][end] = planes[3][end] = 1
        if player not in (None, self.position.to_move):
            planes[:2] = planes[1::-1]
        return planes

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return the `observation` as a flat list, as in OpenSpiel."""
        return self.observation(player).ravel().astype(float).tolist()

    def _cell(self, squares: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return self.size * (squares // 16) + squares % 16

    def _square(self, cell: int) -> int:
        y, x = divmod(cell, self.size)
        return 16 * y + x
