"""Reads and writes network files, whose format `src/engine/policy/network.rs` describes."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tuning.errors import InputError, reading
from tuning.files import replace
from tuning.policy.net import (
    ACTIVATION_UNIT,
    CHANNELS,
    CONVOLUTIONS,
    INPUT_UNITS,
    MAX_LEVEL,
    PLANES,
    VALUE_INPUTS,
    PolicyNet,
    QuantisedNet,
)

FORMAT = 3
_OUTPUT_UNITS = [ACTIVATION_UNIT] * CONVOLUTIONS + [1, 1]
"""The unit of each layer's outputs. The file's scales convert the layer's integers to this unit."""


def write_net(path: Path, net: QuantisedNet, board: int, provenance: dict[str, Any]) -> None:
    header = {"format": FORMAT, "board": board, "channels": CHANNELS, "convolutions": CONVOLUTIONS}
    data = json.dumps({"policy": header | provenance}, separators=(",", ":")).encode() + b"\n"
    layers = [[tensor.numpy(force=True) for tensor in layer] for layer in net.layers()]
    blocks: list[bytes] = []
    for (weight, bias, scale), inputs, outputs in zip(layers, INPUT_UNITS, _OUTPUT_UNITS, strict=True):
        unit = scale * inputs
        blocks.append(_layer(weight, bias / unit, unit / outputs, scale))
    blocks[CONVOLUTIONS:CONVOLUTIONS] = [
        _layer(means.numpy(force=True), np.zeros(CHANNELS), np.ones(CHANNELS), scale)
        for means, (_, _, scale) in zip(net.means, layers[1:CONVOLUTIONS], strict=True)
    ]
    output = [net.value_output.weight[0], net.value_output.bias]
    blocks += [tensor.numpy(force=True).astype("<f4").tobytes() for tensor in output]
    data += b"".join(blocks)
    replace(path, data + struct.pack("<I", zlib.crc32(data)))


@torch.no_grad()
def read_net(path: Path) -> QuantisedNet:
    """Read a network file, for a board of any size, and verify the checksum of the file."""
    with reading(path, "a network file that 'fit-policy' wrote"):
        data = path.read_bytes()
        line, _, body = data.partition(b"\n")
        about = json.loads(line)["policy"]
        kind = [about["format"], about["channels"], about["convolutions"]]
    if kind != (expected := [FORMAT, CHANNELS, CONVOLUTIONS]):
        raise InputError(f"{path}: format, channels, convolutions {kind}, expected {expected}")
    widths = [PLANES * 9] + [CHANNELS * 9] * (CONVOLUTIONS - 1)
    widths += [CHANNELS] * (CONVOLUTIONS - 1) + [CHANNELS, VALUE_INPUTS]
    size = sum(CHANNELS * (8 + width) for width in widths) + 4 * (CHANNELS + 1) + 4
    if len(body) != size:
        raise InputError(f"{path}: {len(body)} bytes after the header, expected {size}")
    checksum, stated = zlib.crc32(data[:-4]), int.from_bytes(data[-4:], "little")
    if checksum != stated:
        raise InputError(f"{path}: checksum {checksum:08x}, expected {stated:08x}: the file is damaged")
    net = QuantisedNet(PolicyNet())
    layers, at = [], 0
    for width in widths:
        bias = np.frombuffer(body, "<i4", CHANNELS, at)
        scale = np.frombuffer(body, "<f4", CHANNELS, at + 4 * CHANNELS)
        whole = np.frombuffer(body, np.int8, CHANNELS * width, at + 8 * CHANNELS)
        layers.append((bias, scale, whole.reshape(CHANNELS, width)))
        at += CHANNELS * (8 + width)

    def fill(tensor: Tensor, values: np.ndarray) -> None:
        tensor.copy_(torch.from_numpy(values.copy()).view_as(tensor))

    means = layers[CONVOLUTIONS:-2]
    del layers[CONVOLUTIONS:-2]
    units = [scale * outputs for (_, scale, _), outputs in zip(layers, _OUTPUT_UNITS, strict=True)]
    weight_units = [unit[:, None] / inputs for unit, inputs in zip(units, INPUT_UNITS, strict=True)]
    for number, (weight, bias, _) in enumerate(net.layers()):
        whole_bias, _, whole = layers[number]
        fill(weight, whole * weight_units[number])
        fill(bias, whole_bias * units[number])
    for tensor, (_, _, whole), unit in zip(net.means, means, weight_units[1:CONVOLUTIONS], strict=True):
        fill(tensor, whole * unit)
    fill(net.value_output.weight, np.frombuffer(body, "<f4", CHANNELS, at))
    fill(net.value_output.bias, np.frombuffer(body, "<f4", 1, at + 4 * CHANNELS))
    return net


def _layer(weight: np.ndarray, bias: np.ndarray, scale: np.ndarray, unit: np.ndarray) -> bytes:
    """Return a layer's bytes: integer biases, scales, and weights as whole multiples of `unit`."""
    weights = weight.reshape(CHANNELS, -1)
    if np.abs(bias).max() >= 2**30:
        raise InputError(f"a bias of {np.abs(bias).max():.3g} units, expected less than 2^30: train again")
    whole = np.rint(weights / unit[:, None]).clip(-MAX_LEVEL, MAX_LEVEL).astype(np.int8)
    return np.rint(bias).astype("<i4").tobytes() + scale.astype("<f4").tobytes() + whole.tobytes()
