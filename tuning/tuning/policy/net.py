"""The architecture of the policy network, which `src/engine/policy/network.rs` also implements.

The network has four 3x3 convolutions with 32 channels, each with batch normalisation and an
activation clamped to [0, 4]. Activations of burnt squares are 0. For all convolutions but the
first, a linear map of the means of the input channels over the squares that are not burnt is added
to the output at each square. A 1x1 head outputs 32 numbers for each square: 16 numbers for the
square as the target of a move, and 16 for the square as the origin. The logit of a move is the dot
product of the first 15 numbers of the origin and of the target, plus the 16th number of each. An
arrow is treated as a move from the amazon that shoots.

The value head takes the totals of all 128 channels over the board, and the number of squares that
are not burnt. A hidden layer of 32 and one output give the log-odds that the side to act wins.

`PolicyNet` is trained in floating point. `QuantisedNet` is the same network with batch
normalisation folded into the weights. As in the engine, its weights are rounded to 8 bits and its
activations to 7 bits. Gradients ignore the rounding.
"""

from copy import deepcopy
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

PLANES = 18
CHANNELS = 32
CONVOLUTIONS = 4
MAX_ACTIVATION = 4.0
MAX_LEVEL = 127
"""The integer that the engine uses for the activation `MAX_ACTIVATION`, and also for the largest
absolute weight of each output channel."""
MAX_INPUT_LEVEL = 126
"""The integer that the engine uses for the value 1 in an input plane."""
VALUE_INPUTS = CONVOLUTIONS * CHANNELS + 1
"""The number of the value head's inputs: all channels' totals, and a count of unburnt squares."""
VALUE_AREA = 64
"""The inputs of the value head are divided by this number, so that they are near 1."""
ACTIVATION_UNIT = MAX_ACTIVATION / MAX_LEVEL
"""The activation that the engine represents by the integer 1."""
INPUT_UNITS = [1 / MAX_INPUT_LEVEL] + [ACTIVATION_UNIT] * CONVOLUTIONS + [ACTIVATION_UNIT / VALUE_AREA]
"""For each convolution and both heads, the input value that the engine represents by 1."""
HEAD_LAYERS = ("head", "value_hidden", "value_output")
"""Names of the layers without batch normalisation, in `PolicyNet` and in `QuantisedNet`."""


def move_logits(head: Tensor, origins: Tensor) -> Tensor:
    """Return the logits [batch, 4, N * N] of the moves from four origins to every square.

    `head` is the output of the move head [batch, 32, N, N]; `origins` has squares [batch, 4].
    """
    half = CHANNELS // 2
    outputs = head.flatten(2)
    target, origin = outputs[:, :half], outputs[:, half:]
    origin = torch.gather(origin, 2, origins[:, None, :].expand(-1, half, -1))
    product = torch.einsum("bdk,bds->bks", origin[:, :-1], target[:, :-1])
    return product + origin[:, -1, :, None] + target[:, -1, None, :]


def channel_means(x: Tensor, live: Tensor) -> Tensor:
    """Return channels' means [batch, channels] over unburnt squares. `x` is 0 on burnt squares."""
    return x.sum((2, 3)) / live.sum((2, 3))


def value_inputs(activations: list[Tensor], live: Tensor) -> Tensor:
    """Return the inputs of the value head [batch, VALUE_INPUTS] from the convolutions' outputs."""
    totals = [x.float().sum((2, 3)) for x in [*activations, MAX_ACTIVATION * live]]
    return torch.cat(totals, 1) / VALUE_AREA


class PolicyNet(nn.Module):
    """The policy network in floating point, with batch normalisation."""

    def __init__(self) -> None:
        super().__init__()
        widths = [PLANES] + [CHANNELS] * CONVOLUTIONS
        layers = (nn.Conv2d(a, b, 3, padding=1, bias=False) for a, b in pairwise(widths))
        self.convolutions = nn.ModuleList(layers)
        self.norms = nn.ModuleList(nn.BatchNorm2d(CHANNELS) for _ in range(CONVOLUTIONS))
        means = (nn.Linear(CHANNELS, CHANNELS, bias=False) for _ in range(1, CONVOLUTIONS))
        self.means = nn.ModuleList(means)
        for layer in self.means:
            nn.init.zeros_(layer.weight)
        self.head = nn.Conv2d(CHANNELS, CHANNELS, 1)
        self.value_hidden = nn.Linear(VALUE_INPUTS, CHANNELS)
        self.value_output = nn.Linear(CHANNELS, 1)

    def forward(self, planes: Tensor, live: Tensor) -> tuple[Tensor, Tensor]:
        """Return the move head's output [batch, 32, N, N], and the log-odds of winning [batch].

        `planes` [batch, 18, N, N] is the input; `live` [batch, 1, N, N] is 1 at unburnt squares.
        """
        x, activations = planes, []
        for number, norm in enumerate(self.norms):
            x = norm(self._convolution_sums(number, x, live)).clamp(0, MAX_ACTIVATION) * live
            activations.append(x)
        with torch.autocast(planes.device.type, enabled=False):
            value = self.value_output(self.value_hidden(value_inputs(activations, live)).relu())
        return self.head(x), value[:, 0]

    def _convolution_sums(self, number: int, x: Tensor, live: Tensor) -> Tensor:
        """Return a convolution of `x` plus a linear map of `channel_means`, not yet normalised."""
        sums = self.convolutions[number](x)
        if number > 0:
            sums = sums + self.means[number - 1](channel_means(x, live))[:, :, None, None]
        return sums

    @torch.no_grad()
    def load_quantised(self, folded: "QuantisedNet", planes: Tensor, live: Tensor) -> None:
        """Set the weights to those of `folded`. Outputs then differ only by `folded`'s rounding.

        The means and variances for batch normalisation are measured on the input `planes`.
        """
        self.eval()
        for layer, weight in zip(self.means, folded.means, strict=True):
            layer.weight.copy_(weight)
        for name in HEAD_LAYERS:
            getattr(self, name).load_state_dict(getattr(folded, name).state_dict())
        x = planes
        for number, norm in enumerate(self.norms):
            self.convolutions[number].weight.copy_(folded.weights[number])
            sums = self._convolution_sums(number, x, live)
            norm.running_mean.copy_(sums.mean((0, 2, 3)))
            norm.running_var.copy_(sums.var((0, 2, 3)))
            norm.weight.copy_((norm.running_var + norm.eps).sqrt())
            norm.bias.copy_(folded.biases[number] + norm.running_mean)
            x = norm(sums).clamp(0, MAX_ACTIVATION) * live


def _rounded(x: Tensor) -> Tensor:
    """Round to whole numbers. The gradient ignores the rounding (straight-through estimator)."""
    return x + (x.round() - x).detach()


def weight_scale(*weights: Tensor) -> Tensor:
    """Return the weight that the integer 1 represents in all `weights`, for each output channel."""
    largest = torch.stack([weight.detach().flatten(1).abs().amax(1) for weight in weights]).amax(0)
    return largest.clamp_min(1e-4) / MAX_LEVEL


def _quantised(weight: Tensor, scale: Tensor) -> Tensor:
    scale = scale.view(-1, *[1] * (weight.dim() - 1))
    return _rounded(weight / scale) * scale


class QuantisedNet(nn.Module):
    """The policy network with folded batch normalisation, and values rounded as in the engine."""

    def __init__(self, net: PolicyNet) -> None:
        super().__init__()
        self.weights, self.biases, self.means = (nn.ParameterList() for _ in range(3))
        for number, (convolution, norm) in enumerate(zip(net.convolutions, net.norms, strict=True)):
            gain = norm.weight.detach() / (norm.running_var + norm.eps).sqrt()
            self.weights.append(nn.Parameter(convolution.weight.detach() * gain[:, None, None, None]))
            self.biases.append(nn.Parameter(norm.bias.detach() - norm.running_mean * gain))
            if number > 0:
                means = net.means[number - 1].weight.detach() * gain[:, None]
                self.means.append(nn.Parameter(means))
        for name in HEAD_LAYERS:
            setattr(self, name, deepcopy(getattr(net, name)))

    def layers(self) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Return for each quantised layer its weights, its biases, and its `weight_scale`."""
        heads = [(layer.weight, layer.bias) for layer in (self.head, self.value_hidden)]
        layers = [*zip(self.weights, self.biases, strict=True), *heads]
        means = [(), *((weight,) for weight in self.means), (), ()]
        scales = [weight_scale(layer[0], *more) for layer, more in zip(layers, means, strict=True)]
        return [(*layer, scale) for layer, scale in zip(layers, scales, strict=True)]

    def forward(self, planes: Tensor, live: Tensor) -> tuple[Tensor, Tensor]:
        x, activations, layers = planes, [], self.layers()
        *convolutions, head, value = [
            (_quantised(weight, scale), _quantised(bias, scale * unit))
            for (weight, bias, scale), unit in zip(layers, INPUT_UNITS, strict=True)
        ]
        for number, layer in enumerate(convolutions):
            sums = F.conv2d(x, *layer, padding=1)
            if number > 0:
                means = _rounded(channel_means(x, live) / ACTIVATION_UNIT) * ACTIVATION_UNIT
                weight = _quantised(self.means[number - 1], layers[number][-1])
                sums = sums + F.linear(means, weight)[:, :, None, None]
            x = _rounded(sums.clamp(0, MAX_ACTIVATION) / ACTIVATION_UNIT) * ACTIVATION_UNIT * live
            activations.append(x)
        hidden = F.linear(value_inputs(activations, live), *value)
        return F.conv2d(x, *head), self.value_output(hidden.relu())[:, 0]
