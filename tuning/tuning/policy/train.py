"""Trains the policy network: first in floating point, then with quantised weights."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tuning.errors import InputError, reading
from tuning.files import replace
from tuning.policy.net import PolicyNet, QuantisedNet, move_logits
from tuning.policy.samples import TrainingBatch, decode
from tuning.rows import TrainingRows, split_games
from tuning.scores import EMPTY_SQUARE_BINS, group_by_bins


@dataclass(frozen=True)
class TrainingSettings:
    """The settings on which a training depends. The help of `fit-policy` explains them."""

    steps: int
    quantised_steps: int
    batch: int
    rate: float
    quantised_rate: float
    decided_weight: float
    value_weight: float
    seed: int
    holdout: int
    begin: str | None = None
    """The checksum of the network with the initial weights; None for random initial weights."""


def move_log_probabilities(head: Tensor, batch: TrainingBatch) -> Tensor:
    """Return the log-probability of each move [batch, 4 * S]; about -1e9 for an illegal move."""
    logits = move_logits(head.float(), batch.origins)
    return logits.masked_fill(~batch.legal, -1e9).flatten(1).log_softmax(1)


def cross_entropy(head: Tensor, batch: TrainingBatch) -> Tensor:
    """Return the cross-entropy in nats [batch] between the search's visits and the predictions."""
    log_probabilities = move_log_probabilities(head, batch)
    return -(batch.shares * log_probabilities.gather(1, batch.moves)).sum(1)


class Training:
    """A training run, which can continue from its checkpoint.

    A `PolicyNet` is trained in bfloat16 on GPUs, and on processors with instructions for bfloat16.
    On other processors, bfloat16 would be at least eight times as slow as 32-bit floats.
    """

    def __init__(
        self,
        rows: TrainingRows,
        settings: TrainingSettings,
        checkpoint: Path,
        device: torch.device,
        begin: QuantisedNet | None = None,
    ) -> None:
        """Continue from `checkpoint` if it exists, or else start with `begin` or random weights."""
        self.rows, self.settings, self.checkpoint, self.device = rows, settings, checkpoint, device
        self.short_floats = device.type == "cuda" or any(
            there for name, there in torch.cpu.get_capabilities().items() if "bf16" in name
        )
        self.train_index, self.held_out = split_games(rows.fields["game"], settings.holdout)
        if len(self.train_index) < settings.batch or len(self.held_out) == 0:
            raise InputError(
                f"{rows.path}: {len(self.train_index)} rows to train on and {len(self.held_out)} held out,"
                f" expected at least {settings.batch} and 1: more games, or a smaller --batch or --holdout"
            )
        torch.manual_seed(settings.seed)
        self.step = 0
        net = PolicyNet()
        if begin and not checkpoint.exists():
            sample = next(self._batches(0))
            net.load_quantised(begin, sample.planes.cpu(), sample.live.cpu())
        self.net: nn.Module = net.to(device)
        self.optimiser = self._optimiser(settings.rate)
        if checkpoint.exists():
            self._load_checkpoint()

    def run(self, tell: Callable[[str], None], save_seconds: float = 60.0) -> QuantisedNet:
        settings = self.settings
        total = settings.steps + settings.quantised_steps
        begun, saved, first = time.monotonic(), time.monotonic(), self.step
        running = math.nan
        batches = self._batches(self.step)
        while self.step < total:
            if self.step == settings.steps and isinstance(self.net, PolicyNet):
                self._quantise()
            loss = self._train_step(next(batches))
            self.step += 1
            running = loss if math.isnan(running) else 0.99 * running + 0.01 * loss
            now = time.monotonic()
            if self.step % 200 == 0:
                rate = (self.step - first) * settings.batch / (now - begun)
                tell(f"step {self.step} of {total}: loss {running:.4f}, {rate:.0f} rows/s")
            if now - saved > save_seconds:
                self._save_checkpoint()
                saved = now
        self._save_checkpoint()
        assert isinstance(self.net, QuantisedNet)
        return self.net

    def _train_step(self, batch: TrainingBatch) -> float:
        for group in self.optimiser.param_groups:
            group["lr"] = self._learning_rate()
        self.net.train()
        short = self.short_floats and isinstance(self.net, PolicyNet)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=short):
            head, value = self.net(batch.planes.contiguous(memory_format=torch.channels_last), batch.live)
        of_value = F.binary_cross_entropy_with_logits(value, batch.value)
        weight = 1 - (1 - self.settings.decided_weight) * batch.decided.float()
        of_moves = (cross_entropy(head, batch) * weight).sum() / weight.sum().clamp_min(1e-6)
        loss = of_moves + self.settings.value_weight * of_value
        if not torch.isfinite(loss):
            raise InputError(f"step {self.step}: loss {loss:g}, expected a finite one: try a smaller --rate")
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return loss.item()

    def _learning_rate(self) -> float:
        """Return the learning rate: a linear warm-up for 5 % of the steps, then a cosine decay."""
        settings = self.settings
        if self.step < settings.steps:
            done, steps, rate = self.step, settings.steps, settings.rate
        else:
            done, steps, rate = self.step - settings.steps, settings.quantised_steps, settings.quantised_rate
        warm = max(1, steps // 20)
        return rate * min(1, (done + 1) / warm) * (0.02 + 0.98 * (1 + math.cos(math.pi * done / steps)) / 2)

    def _batches(self, step: int) -> Iterator[TrainingBatch]:
        """Yield batches from `step` on. An epoch has each row once, in an order set by the seed."""
        size, board = self.settings.batch, self.rows.board
        epoch_steps = len(self.train_index) // size
        while True:
            epoch, within = divmod(step, epoch_steps)
            random = np.random.default_rng([self.settings.seed, epoch])
            order = random.permutation(self.train_index)
            symmetries = random.integers(8, size=epoch_steps)
            for at in range(within, epoch_steps):
                index = np.sort(order[at * size : (at + 1) * size])
                yield decode(self.rows.fields[index], board, int(symmetries[at]), self.device)
            step = (epoch + 1) * epoch_steps

    def _optimiser(self, rate: float) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.net.parameters(), lr=rate, weight_decay=1e-4)

    def _quantise(self) -> None:
        assert isinstance(self.net, PolicyNet)
        self.net = QuantisedNet(self.net).to(self.device)
        self.optimiser = self._optimiser(self.settings.quantised_rate)

    def _about(self) -> dict[str, Any]:
        source = {name: self.rows.about.get(name) for name in ("games", "rows", "searches")}
        return {"settings": asdict(self.settings)} | source

    def _save_checkpoint(self) -> None:
        state = {
            "about": self._about(),
            "step": self.step,
            "quantised": isinstance(self.net, QuantisedNet),
            "net": self.net.state_dict(),
            "optimiser": self.optimiser.state_dict(),
        }
        # PyTorch's format has a checksum for each part, which `torch.load` verifies.
        content = BytesIO()
        torch.save(state, content)
        replace(self.checkpoint, content.getvalue())

    def _load_checkpoint(self) -> None:
        # Loading a damaged file can raise exceptions of many types.
        with reading(self.checkpoint, "a checkpoint of fit-policy", Exception):
            state = torch.load(self.checkpoint, map_location=self.device, weights_only=True)
            about = state["about"]
        if about != self._about():
            was, now = about["settings"], asdict(self.settings)
            changed = [name for name in now if was.get(name) != now[name]]
            differences = [f"{name} {was.get(name)}, expected {now[name]}" for name in changed]
            what = "; ".join(differences) or "other rows"
            raise InputError(f"{self.checkpoint}: a training with {what}, or another --state")
        self.step = state["step"]
        if state["quantised"]:
            self._quantise()
        with reading(
            self.checkpoint, "a checkpoint of this version's network, or another --state", RuntimeError
        ):
            self.net.load_state_dict(state["net"])
        self.optimiser.load_state_dict(state["optimiser"])


QUALITY_NAMES = ("cross-entropy", "top 1", "top 5", "error of the value")
"""Names of the measures of a network. They are the mean cross-entropy of the visits in nats, the
fraction of rows whose most visited move has the largest prior, the fraction of rows where this move
has one of the five largest priors, and the root mean squared error against the search's value."""


def measure_network(
    net: nn.Module, rows: TrainingRows, index: np.ndarray, device: torch.device
) -> list[tuple[str, str, int, list[float]]]:
    """Measure a network on the rows at `index`, separately for queen moves and arrows.

    Each item of the list is for a group of rows: their kind of move, their bin of empty squares or
    "all", the number of rows, and the measures in the order of `QUALITY_NAMES`.
    """
    net.eval()
    measures: list[np.ndarray] = []
    with torch.no_grad():
        for begin in range(0, len(index), 4096):
            batch = decode(rows.fields[index[begin : begin + 4096]], rows.board, 0, device)
            head, value = net(batch.planes, batch.live)
            log_probabilities = move_log_probabilities(head, batch)
            best = log_probabilities.gather(1, batch.moves[:, :1])
            rank = (log_probabilities > best).sum(1)
            error = (value.sigmoid() - batch.value) ** 2
            figures = [batch.half, batch.empties, cross_entropy(head, batch), rank < 1, rank < 5, error]
            measures.append(torch.stack([figure.double() for figure in figures], 1).cpu().numpy())
    half, empties, entropy, top_1, top_5, error = np.concatenate(measures).T
    groups = {"all": np.ones(len(empties), dtype=bool)} | group_by_bins(empties, EMPTY_SQUARE_BINS, 1)
    qualities = []
    for kind, is_half in (("queen move", 0), ("arrow", 1)):
        for name, group in groups.items():
            chosen = group & (half == is_half)
            if chosen.any():
                *means, square = (float(values[chosen].mean()) for values in (entropy, top_1, top_5, error))
                qualities.append((kind, name, int(chosen.sum()), [*means, square**0.5]))
    return qualities
