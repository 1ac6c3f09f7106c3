"""Network files: what the engine embeds. `src/policy/file.rs` describes the form."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from tuning.errors import InputError
from tuning.policy.net import CHANNELS, CONVOLUTIONS, INPUT_LEVELS, LEVELS, POOLED, TOP, QuantisedNet

FORMAT = 1


def write_net(path: Path, net: QuantisedNet, board: int, provenance: dict[str, Any]) -> None:
    """Write a network file, whole or not at all."""
    header = {
        "format": FORMAT,
        "board": board,
        "channels": CHANNELS,
        "convolutions": CONVOLUTIONS,
        **provenance,
    }
    data = json.dumps({"policy": header}, separators=(",", ":")).encode() + b"\n"
    step = TOP / LEVELS
    scales = [scale.numpy(force=True) for scale in net.scales()]
    blocks: list[bytes] = []
    for number in range(CONVOLUTIONS):
        unit = scales[number] * (1 / INPUT_LEVELS if number == 0 else step)
        weights, bias = net.weights[number], net.biases[number]
        blocks.append(_layer(weights, bias.numpy(force=True) / unit, unit / step, scales[number]))
    nothing, one = np.zeros(CHANNELS), np.ones(CHANNELS)
    blocks.append(_layer(net.pooled, nothing, one, scales[POOLED]))
    unit = scales[-1] * step
    blocks.append(_layer(net.head_weight, net.head_bias.numpy(force=True) / unit, unit, scales[-1]))
    data += b"".join(blocks)
    part = path.with_name(path.name + ".part")
    part.write_bytes(data + struct.pack("<I", zlib.crc32(data)))
    part.replace(path)


def _layer(weight: Tensor, bias: np.ndarray, scale: np.ndarray, unit: np.ndarray) -> bytes:
    """Return a layer's bytes: biases in units of a sum, what such a unit is worth, weights in units of `unit`."""
    weights = weight.numpy(force=True).reshape(CHANNELS, -1)
    if np.abs(bias).max() >= 2**30:
        raise InputError(f"a bias of {np.abs(bias).max():.3g} units, expected less than 2^30: train again")
    whole = np.rint(weights / unit[:, None]).clip(-LEVELS, LEVELS).astype(np.int8)
    return np.rint(bias).astype("<i4").tobytes() + scale.astype("<f4").tobytes() + whole.tobytes()
