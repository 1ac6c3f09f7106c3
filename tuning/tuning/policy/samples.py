"""Decodes rows into batches for training, and can rotate and reflect their boards."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tuning.policy.net import PLANES

LIVE_PLANE = 5
"""The index of the input plane that is 1 at all squares that are not burnt."""


@dataclass(frozen=True)
class TrainingBatch:
    """A batch of decoded training rows, in tensors. The board has S = N * N squares."""

    planes: Tensor
    """[batch, PLANES, N, N]: the network's input, 0 to 1, as in `src/engine/policy/planes.rs`."""
    live: Tensor
    """[batch, 1, N, N]: 1 for a square that is not burnt."""
    origins: Tensor
    """[batch, 4]: amazon squares of the acting side. A half ply uses only item 0, the shooter."""
    legal: Tensor
    """[batch, 4, S]: True if a move from the origin to the square is legal."""
    moves: Tensor
    """[batch, 16]: the most visited moves, each as its origin's index in `origins` * S + target."""
    shares: Tensor
    """[batch, 16]: the fraction of the visits that each of `moves` got. The sum is 1."""
    half: Tensor
    """[batch]: True for a half ply, the position after a queen move and before its arrow."""
    empties: Tensor
    """[batch]: the number of empty squares."""
    value: Tensor
    """[batch]: the search's probability that the side to act wins."""
    decided: Tensor
    """[batch]: True if the probability `value` is within 0.02 of 0 or 1."""


def symmetry(board: int, number: int) -> np.ndarray:
    """Return the original square of each square of the transformed board. A square is N * y + x."""
    grid = np.arange(board * board).reshape(board, board)
    if number & 4:
        grid = grid.T
    return np.rot90(grid, number & 3).ravel().copy()


def decode(rows: np.ndarray, board: int, number: int, device: torch.device) -> TrainingBatch:
    """Decode rows, with the board transformed by the symmetry `number`: 0 (unchanged) to 7."""
    squares, source = board * board, symmetry(board, number)
    forth = np.argsort(source)
    legal = np.unpackbits(rows["legal"], axis=2, bitorder="little", count=squares)
    planes = unpack_planes(rows["planes"][:, source]).reshape(-1, PLANES, board, board)
    value, moves = rows["value"].astype(np.float32) / 65535, rows["moves"].astype(np.int64)
    shares = rows["shares"].astype(np.float32)
    arrays = {
        "planes": planes,
        "live": planes[:, LIVE_PLANE : LIVE_PLANE + 1],
        "origins": forth[rows["from"]],
        "legal": legal[:, :, source] != 0,
        "moves": moves[:, :, 0] * squares + forth[moves[:, :, 1]],
        "shares": shares / shares.sum(1, keepdims=True),
        "half": rows["half"] != 0,
        "empties": rows["empties"].astype(np.int64),
        "value": value,
        "decided": np.abs(value - 0.5) > 0.48,
    }
    tensors = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}
    return TrainingBatch(**{name: tensor.to(device) for name, tensor in tensors.items()})


def unpack_planes(cells: np.ndarray) -> np.ndarray:
    """Unpack the input planes [batch, PLANES, S] from 3 bytes for each square [batch, S, 3]."""
    bits = np.unpackbits(cells[:, :, :2], axis=2, bitorder="little")
    king_moves = np.stack([cells[:, :, 2] & 15, cells[:, :, 2] >> 4], axis=2) / np.float32(7)
    return np.concatenate([bits, king_moves], axis=2, dtype=np.float32).transpose(0, 2, 1)
