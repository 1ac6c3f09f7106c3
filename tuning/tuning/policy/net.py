"""The architecture of the network. Change it together with `src/engine/policy/network.rs`.

Four 3x3 convolutions with 32 channels, each with batch normalisation, an activation clamped to [0, 4] and zeros at
burnt squares. The third also gets a linear map of the channels' means over the squares that are not burnt. A 1x1 head
gives 32 numbers a square: 16 for the square as a move's target, 16 for it as a move's origin. The logit of a move is
the product of the first 15 of either, plus the last of either. An arrow is a move from the shooter.

The value head gets the totals of all 128 channels over the board, and the number of squares that are not burnt. A layer
of 32 and one output give the logit of the chance that the acting side wins.

`PolicyNet` is trained in floating point. `QuantisedNet` is the same net with batch normalisation folded into the
weights; it rounds weights to 8 and activations to 7 bits, as the engine computes, and lets gradients pass.
"""

from copy import deepcopy
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

PLANES = 18
CHANNELS = 32
CONVOLUTIONS = 4
POOLED = 2
"""The convolution, from 0, that gets the channels' means."""
TOP = 4.0
"""The largest activation."""
LEVELS = 127
"""The integer that stands for it."""
INPUT_LEVELS = 126
"""The integer that stands for 1 in an input plane."""
VALUE_INPUTS = CONVOLUTIONS * CHANNELS + 1
"""Inputs of the value head: the channels' totals, and the total of a channel that is `TOP` at every live square."""
VALUE_AREA = 64
"""Totals are divided by this many squares, so that they are near 1."""
STEP = TOP / LEVELS
"""The unit of an activation."""
UNITS = [1 / INPUT_LEVELS] + [STEP] * CONVOLUTIONS + [STEP / VALUE_AREA]
"""The units of the inputs of each convolution, of the head, and of the value's layer."""
HEADS = ("head", "value_hidden", "value_output")
"""The layers without normalisation, which both networks have."""


def move_logits(head: Tensor, origins: Tensor) -> Tensor:
    """Return the logits [batch, origin, target] of a head's output [batch, 32, N, N] for origins [batch, 4]."""
    half = CHANNELS // 2
    outputs = head.flatten(2)
    target, origin = outputs[:, :half], outputs[:, half:]
    origin = torch.gather(origin, 2, origins[:, None, :].expand(-1, half, -1))
    product = torch.einsum("bdk,bds->bks", origin[:, :-1], target[:, :-1])
    return product + origin[:, -1, :, None] + target[:, -1, None, :]


def channel_means(x: Tensor, live: Tensor) -> Tensor:
    """Return the means [batch, channels] over the squares that are not burnt; `x` is zero elsewhere."""
    return x.sum((2, 3)) / live.sum((2, 3))


def value_inputs(activations: list[Tensor], live: Tensor) -> Tensor:
    """Return the value head's inputs [batch, VALUE_INPUTS], in 32 bits, from the activations of all convolutions."""
    totals = [x.float().sum((2, 3)) for x in [*activations, TOP * live]]
    return torch.cat(totals, 1) / VALUE_AREA


class PolicyNet(nn.Module):
    """The network in floating point."""

    def __init__(self) -> None:
        super().__init__()
        widths = [PLANES] + [CHANNELS] * CONVOLUTIONS
        layers = (nn.Conv2d(a, b, 3, padding=1, bias=False) for a, b in pairwise(widths))
        self.convolutions = nn.ModuleList(layers)
        self.norms = nn.ModuleList(nn.BatchNorm2d(CHANNELS) for _ in range(CONVOLUTIONS))
        self.pooled = nn.Linear(CHANNELS, CHANNELS, bias=False)
        nn.init.zeros_(self.pooled.weight)
        self.head = nn.Conv2d(CHANNELS, CHANNELS, 1)
        self.value_hidden = nn.Linear(VALUE_INPUTS, CHANNELS)
        self.value_output = nn.Linear(CHANNELS, 1)

    def forward(self, planes: Tensor, live: Tensor) -> tuple[Tensor, Tensor]:
        """Return the head's output [batch, 32, N, N] and the value's logit [batch].

        For planes [batch, 18, N, N] and live squares [batch, 1, N, N].
        """
        x, activations = planes, []
        for number, norm in enumerate(self.norms):
            x = norm(self._sums(number, x, live)).clamp(0, TOP) * live
            activations.append(x)
        with torch.autocast(planes.device.type, enabled=False):
            value = self.value_output(self.value_hidden(value_inputs(activations, live)).relu())
        return self.head(x), value[:, 0]

    def _sums(self, number: int, x: Tensor, live: Tensor) -> Tensor:
        """Return what a convolution makes of its inputs, before normalisation."""
        sums = self.convolutions[number](x)
        return sums + self.pooled(channel_means(x, live))[:, :, None, None] if number == POOLED else sums

    @torch.no_grad()
    def unfold(self, folded: "QuantisedNet", planes: Tensor, live: Tensor) -> None:
        """Compute what a folded network computes, but for its rounding.

        Its sums over these planes stand for the running statistics of the normalisation.
        """
        self.eval()
        self.pooled.weight.copy_(folded.pooled)
        for name in HEADS:
            getattr(self, name).load_state_dict(getattr(folded, name).state_dict())
        x = planes
        for number, norm in enumerate(self.norms):
            self.convolutions[number].weight.copy_(folded.weights[number])
            sums = self._sums(number, x, live)
            norm.running_mean.copy_(sums.mean((0, 2, 3)))
            norm.running_var.copy_(sums.var((0, 2, 3)))
            norm.weight.copy_((norm.running_var + norm.eps).sqrt())
            norm.bias.copy_(folded.biases[number] + norm.running_mean)
            x = norm(sums).clamp(0, TOP) * live


def _rounded(x: Tensor) -> Tensor:
    """Return whole numbers; the gradient is that of the identity."""
    return x + (x.round() - x).detach()


def weight_scale(*weights: Tensor) -> Tensor:
    """Return the value of one unit for each output of weights [output, ...] in 8 bits."""
    largest = torch.stack([weight.detach().flatten(1).abs().amax(1) for weight in weights]).amax(0)
    return largest.clamp_min(1e-4) / LEVELS


def _on_grid(weight: Tensor, scale: Tensor) -> Tensor:
    scale = scale.view(-1, *[1] * (weight.dim() - 1))
    return _rounded(weight / scale) * scale


class QuantisedNet(nn.Module):
    """The network with folded normalisation, computing on the engine's integers."""

    def __init__(self, net: PolicyNet) -> None:
        """Fold the normalisation of a trained network into its weights."""
        super().__init__()
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for number, (convolution, norm) in enumerate(zip(net.convolutions, net.norms, strict=True)):
            gain = norm.weight.detach() / (norm.running_var + norm.eps).sqrt()
            self.weights.append(nn.Parameter(convolution.weight.detach() * gain[:, None, None, None]))
            self.biases.append(nn.Parameter(norm.bias.detach() - norm.running_mean * gain))
            if number == POOLED:
                self.pooled = nn.Parameter(net.pooled.weight.detach() * gain[:, None])
        for name in HEADS:
            setattr(self, name, deepcopy(getattr(net, name)))

    def layers(self) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Return weights, biases and the value of one unit of the weights, by output.

        Of each convolution, of the head, and of the value's layer.
        """
        heads = [(layer.weight, layer.bias) for layer in (self.head, self.value_hidden)]
        layers = [*zip(self.weights, self.biases, strict=True), *heads]
        scales = [
            weight_scale(weight, *[self.pooled] * (at == POOLED)) for at, (weight, _) in enumerate(layers)
        ]
        return [(*layer, scale) for layer, scale in zip(layers, scales, strict=True)]

    def forward(self, planes: Tensor, live: Tensor) -> tuple[Tensor, Tensor]:
        """Return the outputs of both heads, as `PolicyNet` does."""
        x, activations, layers = planes, [], self.layers()
        *convolutions, head, value = [
            (_on_grid(weight, scale), _on_grid(bias, scale * unit))
            for (weight, bias, scale), unit in zip(layers, UNITS, strict=True)
        ]
        for number, layer in enumerate(convolutions):
            sums = F.conv2d(x, *layer, padding=1)
            if number == POOLED:
                means = _rounded(channel_means(x, live) / STEP) * STEP
                sums = sums + F.linear(means, _on_grid(self.pooled, layers[POOLED][-1]))[:, :, None, None]
            x = _rounded(sums.clamp(0, TOP) / STEP) * STEP * live
            activations.append(x)
        hidden = F.linear(value_inputs(activations, live), *value)
        return F.conv2d(x, *head), self.value_output(hidden.relu())[:, 0]
