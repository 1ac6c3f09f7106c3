"""What doubling the playouts was worth in the literature, to draw beside ours.

J. Kloetzer, Monte-Carlo techniques: applications to the Game of the Amazons, PhD thesis, JAIST, 2010: 10x10, with
several evaluators; the figures are those of the weakest and the strongest gain among them.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """Elo for each doubling of the playouts, over a range of them."""

    begin: int
    end: int
    low: float
    high: float
    about: str


DOUBLINGS = (
    Published(10_000, 160_000, 129, 167, "Kloetzer 2010, mean of 10k to 160k"),
    Published(80_000, 160_000, 57, 98, "Kloetzer 2010, 80k to 160k alone"),
)
