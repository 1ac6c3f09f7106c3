"""The picture of a report: log-loss of each evaluator, by phase of the game."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from tuning.scores import Scores


def plot(path: Path, title: str, groups: list[str], lines: dict[str, list[Scores]]) -> None:
    """Draw log-loss and accuracy by group for each evaluator; the same bytes for the same figures."""
    plt.rcParams["svg.hashsalt"] = "quiver"
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for name, line in lines.items():
        left.plot(groups, [one.log_loss for one in line], marker="o", label=name)
        right.plot(groups, [100 * one.accuracy for one in line], marker="o", label=name)
    left.set(ylabel="log-loss", xlabel="empty squares", ylim=(0, None))
    right.set(ylabel="winner predicted, %", xlabel="empty squares")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    left.legend()
    figure.suptitle(title)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
