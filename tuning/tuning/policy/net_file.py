"""Network files: what the engine embeds. `src/engine/policy/file.rs` describes the format."""

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
    CHANNELS,
    CONVOLUTIONS,
    INPUT_LEVELS,
    LEVELS,
    PLANES,
    POOLED,
    TOP,
    VALUE_AREA,
    VALUE_INPUTS,
    PolicyNet,
    QuantisedNet,
)

FORMAT = 2
_STEP = TOP / LEVELS


def write_net(path: Path, net: QuantisedNet, board: int, provenance: dict[str, Any]) -> None:
    """Write a network file, whole or not at all."""
    header = {"format": FORMAT, "board": board, "channels": CHANNELS, "convolutions": CONVOLUTIONS}
    data = json.dumps({"policy": header | provenance}, separators=(",", ":")).encode() + b"\n"
    scales = [scale.numpy(force=True) for scale in net.scales()]
    blocks: list[bytes] = []
    for number in range(CONVOLUTIONS):
        unit = scales[number] * (1 / INPUT_LEVELS if number == 0 else _STEP)
        weights, bias = net.weights[number], net.biases[number]
        blocks.append(_layer(weights, bias.numpy(force=True) / unit, unit / _STEP, scales[number]))
    nothing, one = np.zeros(CHANNELS), np.ones(CHANNELS)
    blocks.append(_layer(net.pooled, nothing, one, scales[POOLED]))
    *_, head_scale, value_scale = scales
    unit = head_scale * _STEP
    blocks.append(_layer(net.head_weight, net.head_bias.numpy(force=True) / unit, unit, head_scale))
    unit = value_scale * _STEP / VALUE_AREA
    blocks.append(_layer(net.value_weight, net.value_bias.numpy(force=True) / unit, unit, value_scale))
    output = [net.value_output.weight[0], net.value_output.bias]
    blocks += [tensor.numpy(force=True).astype("<f4").tobytes() for tensor in output]
    data += b"".join(blocks)
    replace(path, data + struct.pack("<I", zlib.crc32(data)))


@torch.no_grad()
def read_net(path: Path) -> QuantisedNet:
    """Read a network file of any board."""
    widths = [PLANES * 9] + [CHANNELS * 9] * (CONVOLUTIONS - 1) + [CHANNELS, CHANNELS, VALUE_INPUTS]
    with reading(path, "a file of 'fit-policy'"):
        data = path.read_bytes()
        line, _, body = data.partition(b"\n")
        about = json.loads(line)["policy"]
        kind = [about["format"], about["channels"], about["convolutions"]]
    if kind != [FORMAT, CHANNELS, CONVOLUTIONS]:
        raise InputError(
            f"{path}: format, channels, convolutions {kind}, expected {[FORMAT, CHANNELS, CONVOLUTIONS]}"
        )
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

    *convolutions, (_, _, pooled), (head_bias, head_unit, head), (value_bias, value_unit, value) = layers
    for number, (bias, scale, whole) in enumerate(convolutions):
        unit = scale * _STEP
        weight_unit = unit[:, None] / (1 / INPUT_LEVELS if number == 0 else _STEP)
        fill(net.weights[number], whole * weight_unit)
        fill(net.biases[number], bias * unit)
        if number == POOLED:
            fill(net.pooled, pooled * weight_unit)
    fill(net.head_weight, head * (head_unit[:, None] / _STEP))
    fill(net.head_bias, head_bias * head_unit)
    fill(net.value_weight, value * (value_unit[:, None] * (VALUE_AREA / _STEP)))
    fill(net.value_bias, value_bias * value_unit)
    fill(net.value_output.weight, np.frombuffer(body, "<f4", CHANNELS, at))
    fill(net.value_output.bias, np.frombuffer(body, "<f4", 1, at + 4 * CHANNELS))
    return net


def _layer(weight: Tensor, bias: np.ndarray, scale: np.ndarray, unit: np.ndarray) -> bytes:
    """Return a layer's bytes: biases in units of a sum, what such a unit is worth, weights in units of `unit`."""
    weights = weight.numpy(force=True).reshape(CHANNELS, -1)
    if np.abs(bias).max() >= 2**30:
        raise InputError(f"a bias of {np.abs(bias).max():.3g} units, expected less than 2^30: train again")
    whole = np.rint(weights / unit[:, None]).clip(-LEVELS, LEVELS).astype(np.int8)
    return np.rint(bias).astype("<i4").tobytes() + scale.astype("<f4").tobytes() + whole.tobytes()
