"""Batches for training: rows decoded into planes, masks and targets, under one of the board's eight symmetries."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tuning.policy.net import PLANES

LIVE = 5
"""The plane of all squares that are not burnt."""


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
    squares, source = board * board, symmetry(board, number)
    forth = np.argsort(source)
    legal = np.unpackbits(rows["legal"], axis=2, bitorder="little", count=squares)
    planes = unpacked(rows["planes"][:, source]).reshape(-1, PLANES, board, board)
    value, moves = rows["value"].astype(np.float32) / 65535, rows["moves"].astype(np.int64)
    shares = rows["shares"].astype(np.float32)
    arrays = {
        "planes": planes,
        "live": planes[:, LIVE : LIVE + 1],
        "origins": forth[rows["from"]],
        "legal": legal[:, :, source] != 0,
        "moves": moves[:, :, 0] * squares + forth[moves[:, :, 1]],
        "shares": shares / shares.sum(1, keepdims=True),
        "half": rows["half"] != 0,
        "empties": rows["empties"].astype(np.int64),
        "value": value,
        "decided": np.abs(value - 0.5) > 0.48,
    }
    tensors = {name: torch.from_numpy(np.ascontiguousarray(one)) for name, one in arrays.items()}
    return Batch(**{name: one.to(device) for name, one in tensors.items()})


def unpacked(cells: np.ndarray) -> np.ndarray:
    """Return the planes [batch, PLANES, S] of squares in three bytes [batch, S, 3], as the engine packs them."""
    bits = np.unpackbits(cells[:, :, :2], axis=2, bitorder="little")
    king_moves = np.stack([cells[:, :, 2] & 15, cells[:, :, 2] >> 4], axis=2) / np.float32(7)
    return np.concatenate([bits, king_moves], axis=2, dtype=np.float32).transpose(0, 2, 1)
