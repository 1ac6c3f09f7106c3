"""A game that goes on by half moves with numbered actions, as agents of reinforcement learning see it."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from quiver._native import Move, Position

TERMINAL = -4
"""`State.current_player` where the game is over, as in OpenSpiel."""


@dataclass
class State:
    """A game with the methods of OpenSpiel's states. A full move is two actions: the queen move, then the arrow.

    With `cells = size * size` and square (x, y) as cell `size * y + x`, the queen move is the action
    `cells * from + to`, the arrow `cells * cells + cell`. So each number belongs to one half of a move.
    """

    position: Position
    """The position before the full move that is being made."""
    queen_move: tuple[int, int] | None = None
    """The first half of that move, as square numbers; None where it is still to come."""

    def __post_init__(self) -> None:
        """Refuse a board that is not square."""
        if self.position.width != self.position.height:
            raise ValueError(f"{self.position.fen}: expected a square board")

    @property
    def size(self) -> int:
        """The side of the board."""
        return self.position.width

    def num_distinct_actions(self) -> int:
        """Return the number of all actions: legal ones are below it."""
        return self.size**4 + self.size**2

    def current_player(self) -> int:
        """Return the side that acts, or `TERMINAL`."""
        return TERMINAL if self.is_terminal() else self.position.to_move

    def is_terminal(self) -> bool:
        """Return whether the side to act has no move, and has lost."""
        return self.queen_move is None and self.position.is_over

    def returns(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser; 0 for both while the game goes on."""
        winner = self.position.winner
        return [0.0, 0.0] if winner is None else [1.0 - 2.0 * (side != winner) for side in (0, 1)]

    def legal_action_array(self) -> npt.NDArray[np.int64]:
        """Return the legal actions, of shape (n,)."""
        if self.queen_move is not None:
            return self.size**4 + self._cell(self.position.arrows(*self.queen_move))
        queens = self._cell(self.position.queen_moves())
        return self.size**2 * queens[:, 0] + queens[:, 1]

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order."""
        return sorted(self.legal_action_array().tolist())

    def legal_actions_mask(self) -> npt.NDArray[np.int8]:
        """Return 1 for each legal action, of shape (cells * cells + cells,)."""
        mask = np.zeros(self.num_distinct_actions(), np.int8)
        mask[self.legal_action_array()] = 1
        return mask

    def apply_action(self, action: int) -> Move | None:
        """Make half a move; return the full move that an arrow ends. Raises ValueError if the action is illegal."""
        if action not in self.legal_action_array():
            half = "an arrow" if self.queen_move else "a queen move"
            raise ValueError(f"action {action} is illegal: expected {half} of legal_actions")
        if self.queen_move is None:
            start, end = divmod(int(action), self.size**2)
            self.queen_move = self._square(start), self._square(end)
            return None
        move = Move.from_squares(*self.queen_move, self._square(int(action) - self.size**4))
        self.position, self.queen_move = self.position.play(move), None
        return move

    def actions_of(self, move: Move) -> tuple[int, int]:
        """Return the two actions of a full move."""
        start, end, arrow = self._cell(np.array(move.squares)).tolist()
        return self.size**2 * start + end, self.size**4 + arrow

    def clone(self) -> "State":
        """Return a game of its own that stands at the same place."""
        return replace(self)

    def observation(self, player: int | None = None) -> npt.NDArray[np.int8]:
        """Return what a player sees, by default the one who acts, as shape (4, size, size).

        The planes are 1 at [plane, y, x] for the player's amazons, the other player's, burnt squares, and the amazon
        that is about to shoot, which has left its square.
        """
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
        """Return the `observation` as a flat list, as OpenSpiel has it."""
        return self.observation(player).ravel().astype(float).tolist()

    def _cell(self, squares: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return self.size * (squares // 16) + squares % 16

    def _square(self, cell: int) -> int:
        y, x = divmod(cell, self.size)
        return 16 * y + x
