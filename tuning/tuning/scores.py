"""Scores of predicted log-odds against results, by phase of the game."""

from dataclasses import dataclass

import numpy as np

CLIP = 1e-6
"""Chances are taken into [CLIP, 1 - CLIP] before their logarithm, as `quiver evaluate` does."""


@dataclass(frozen=True)
class Scores:
    """The scores of a set of rows; the means are nan for an empty set."""

    rows: int
    log_loss: float
    accuracy: float


@dataclass(frozen=True)
class Group:
    """Rows that are measured together: what they have in common, and which they are."""

    name: str
    chosen: np.ndarray


def scores(odds: np.ndarray, won: np.ndarray) -> Scores:
    """Measure log-odds of the side that acts against whether it won."""
    if len(odds) == 0:
        return Scores(0, float("nan"), float("nan"))
    chance = np.clip(1 / (1 + np.exp(-np.clip(odds, -700, 700))), CLIP, 1 - CLIP)
    log_loss = -np.mean(np.log(np.where(won, chance, 1 - chance)))
    right = np.where(odds == 0, 0.5, (odds > 0) == won)
    return Scores(len(odds), float(log_loss), float(np.mean(right)))


def empties_bin(empties: np.ndarray) -> np.ndarray:
    """Return the bin of numbers of empty squares: 0 to 20, then steps of 15, without their upper ends."""
    empties = empties.astype(np.int64)
    return np.where(empties < 20, 0, 1 + (empties - 20) // 15)


def by_empties(empties: np.ndarray) -> list[Group]:
    """Group rows by empty squares, the most first."""
    bins = empties_bin(empties)
    groups = []
    for number in np.unique(bins)[::-1].tolist():
        first, last = (0, 19) if number == 0 else (5 + 15 * number, 19 + 15 * number)
        groups.append(Group(f"{first} to {last}", bins == number))
    return groups


def by_phase(phase: np.ndarray, knots: np.ndarray, unit: int) -> list[Group]:
    """Group rows by the knots that their phases are between, the highest first."""
    places = np.clip(np.searchsorted(knots, phase, side="right") - 1, 0, len(knots) - 2)
    groups = []
    for place in np.unique(places)[::-1].tolist():
        low, high = knots[place] / unit, knots[place + 1] / unit
        groups.append(Group(f"{low:.4g} to {high:.4g}", places == place))
    return groups
