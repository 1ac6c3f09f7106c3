"""Batches for training: rows decoded into planes, masks and targets, under one of the board's eight symmetries."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tuning.policy.net import PLANES


@dataclass(frozen=True)
class Batch:
    """Decoded rows. S is the number of squares, N * N."""

    planes: Tensor
    """[batch, PLANES, N, N], in [0, 1], in the order of `src/engine/policy/planes.rs`."""
    live: Tensor
    """[batch, 1, N, N], 1 where a square is not burnt."""
    origins: Tensor
    """[batch, 4]: squares of amazons."""
    legal: Tensor
    """[batch, 4, S]: whether a move from the origin may end on the square."""
    moves: Tensor
    """[batch, 16]: moves as origin place * S + target square, most visited first."""
    shares: Tensor
    """[batch, 16]: the shares of the visits of these moves; they sum to 1."""
    half: Tensor
    """[batch]: whether the row is a half ply."""
    empties: Tensor
    """[batch]: empty squares."""
    value: Tensor
    """[batch]: the chance that the acting side wins, by the search."""
    decided: Tensor
    """[batch]: whether the search was sure of the winner, to 2 %."""


def symmetry(board: int, number: int) -> np.ndarray:
    """Return where each square of the symmetric board comes from: element `N * y + x` is a square's index."""
    grid = np.arange(board * board).reshape(board, board)
    if number & 4:
        grid = grid.T
    return np.rot90(grid, number & 3).ravel().copy()


def decode(rows: np.ndarray, board: int, number: int, device: torch.device) -> Batch:
    """Decode rows under symmetry `number`, 0 to 7; 0 is the board as it stands."""
    squares = board * board
    source = symmetry(board, number)

    def tensor(array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    back, forth = tensor(source), tensor(np.argsort(source))
    content, queen, king = (tensor(rows[name])[:, back] for name in ("content", "queen", "king"))
    half = tensor(rows["half"]) != 0
    live = content != 0
    empty = (content & 4) != 0
    planes = torch.zeros(len(rows), PLANES, squares, device=device)
    for bit in range(4):
        planes[:, bit] = ((content >> bit) & 1).float()
    planes[:, 4] = (live & half[:, None]).float()
    planes[:, 5] = live.float()
    for side, shift in ((0, 0), (1, 4)):
        distance = (queen >> shift) & 15
        for level in range(5):
            planes[:, 6 + 5 * side + level] = ((distance == level) & empty).float()
        planes[:, 16 + side] = ((king >> shift) & 15).float() / 7 * empty
    bits = tensor(np.unpackbits(rows["legal"], axis=2, bitorder="little")[:, :, :squares])
    moves = tensor(rows["moves"]).long()
    shares = tensor(rows["shares"].astype(np.float32))
    value = rows["value"].astype(np.float32) / 65535
    return Batch(
        planes=planes.view(-1, PLANES, board, board),
        live=planes[:, 5].reshape(-1, 1, board, board),
        origins=forth[tensor(rows["from"]).long()],
        legal=bits[:, :, back].bool(),
        moves=moves[:, :, 0] * squares + forth[moves[:, :, 1]],
        shares=shares / shares.sum(1, keepdim=True),
        half=half,
        empties=tensor(rows["empties"].astype(np.int64)),
        value=tensor(value),
        decided=tensor(np.abs(value - 0.5) > 0.48),
    )
