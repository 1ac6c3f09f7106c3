//! Files of networks.
//!
//! A file is a line of JSON and then, little endian, for each layer (four convolutions, means,
//! head, value): 32 biases (i32), 32 scales (f32), and the weights (i8) as `[output][input][tap]`;
//! then 32 weights of the value's output and its bias (f32); last the CRC-32 (u32, the polynomial
//! of zlib) of everything before it. The biases and scales of the layer of means are 0 and 1; the
//! reader checks their range, and inference ignores them. The line is
//! `{"policy":{"format":2,"board":8,"channels":32,"convolutions":4,...}}`; further fields say how
//! the network was trained. `tuning/tuning/policy/net_file.py` writes it.

use serde_json::Value;

use super::layer::{CHANNELS, CONVOLUTIONS, Layer};
use super::planes;
use super::value::{self, ValueHead};
use crate::game::InputError;

const FORMAT: u64 = 2;
/// The largest scale, and the largest weight of the value's output.
const LARGEST: f32 = (1 << 20) as f32;

/// The layers of a file in its order: name, inputs, taps. Each has [`CHANNELS`] outputs.
const LAYERS: [(&str, usize, usize); 7] = [
    ("convolution 1", planes::COUNT, 9),
    ("convolution 2", CHANNELS, 9),
    ("convolution 3", CHANNELS, 9),
    ("convolution 4", CHANNELS, 9),
    ("means", CHANNELS, 1),
    ("head", CHANNELS, 1),
    ("value", value::INPUTS, 1),
];

#[derive(Debug)]
pub(super) struct NetworkWeights {
    pub(super) checksum: u32,
    pub(super) board: u8,
    pub(super) convolutions: [Layer; CONVOLUTIONS],
    /// From the channels' means to the sums of convolution [`POOLED`](super::layer::POOLED): it has
    /// no bias and no scale.
    pub(super) pooled: Layer,
    pub(super) head: Layer,
    pub(super) value: ValueHead,
}

pub(super) fn parse(bytes: &[u8]) -> Result<NetworkWeights, InputError> {
    let bad_header = |got: &str| InputError::new(got, "a file that begins with {\"policy\":");
    let length = bytes.iter().take(1 << 16).position(|&byte| byte == b'\n');
    let length = length.ok_or_else(|| bad_header("no line at its beginning"))?;
    let header: Value =
        serde_json::from_slice(&bytes[..length]).map_err(|error| bad_header(&error.to_string()))?;
    let about = header.get("policy").ok_or_else(|| bad_header("no field 'policy'"))?;
    let number = |field, [least, most]: [u64; 2]| {
        let got = about[field].as_u64().filter(|number| (least..=most).contains(number));
        got.ok_or_else(|| {
            let or_more = if least == most { String::new() } else { format!(" to {most}") };
            InputError::new(format_args!("{field} is {}", about[field]), format_args!("{least}{or_more}"))
        })
    };
    number("format", [FORMAT; 2])?;
    number("channels", [CHANNELS as u64; 2])?;
    number("convolutions", [CONVOLUTIONS as u64; 2])?;
    let board = number("board", [4, 10])?;
    let blob = &bytes[length + 1..];
    let layers = LAYERS.iter().map(|&(_, inputs, taps)| CHANNELS * (8 + inputs * taps)).sum::<usize>();
    let expected = layers + size_of::<[f32; CHANNELS + 1]>() + size_of::<u32>();
    let Some((blob, &stated)) = blob.split_last_chunk::<4>().filter(|_| blob.len() == expected) else {
        return Err(InputError::new(format_args!("{} bytes after its header", blob.len()), expected));
    };
    let (got, expected) = (crc32(&bytes[..bytes.len() - stated.len()]), u32::from_le_bytes(stated));
    if got != expected {
        let expected = format_args!("{expected:08x}: the file is damaged");
        return Err(InputError::new(format_args!("checksum {got:08x}"), expected));
    }
    let (mut rest, output) = blob.split_at(layers);
    let mut arrays = Vec::with_capacity(LAYERS.len());
    for (layer, inputs, taps) in LAYERS {
        let (head, after) = rest.split_at(8 * CHANNELS);
        let (weights, after) = after.split_at(CHANNELS * inputs * taps);
        rest = after;
        let (biases, scales) = head.split_at(4 * CHANNELS);
        let bias: [i32; CHANNELS] = numbers(biases).map(i32::from_le_bytes);
        if let Some(&got) = bias.iter().find(|bias| bias.unsigned_abs() > 1 << 30) {
            return Err(InputError::new(format_args!("a bias of {layer} is {got}"), "at most 2^30 in size"));
        }
        let scale: [f32; CHANNELS] = numbers(scales).map(f32::from_le_bytes);
        if let Some(got) = scale.iter().find(|scale| !(**scale > 0.0 && **scale <= LARGEST)) {
            let got = format_args!("a scale of {layer} is {got}");
            return Err(InputError::new(got, "a positive number up to 2^20"));
        }
        arrays.push((weights.iter().map(|&byte| byte as i8).collect::<Vec<_>>(), bias, scale));
    }
    let output: [f32; CHANNELS + 1] = numbers(output).map(f32::from_le_bytes);
    if let Some(got) = output.iter().find(|weight| weight.is_nan() || weight.abs() > LARGEST) {
        let got = format_args!("a weight of the value's output is {got}");
        return Err(InputError::new(got, "at most 2^20 in size"));
    }
    let layer = |at: usize| {
        let ((_, inputs, taps), (weights, bias, scale)) = (LAYERS[at], &arrays[at]);
        Layer::new(inputs, taps, weights, *bias, *scale)
    };
    let (weights, bias, scale) = &arrays[LAYERS.len() - 1];
    Ok(NetworkWeights {
        checksum: expected,
        board: board as u8,
        convolutions: std::array::from_fn(layer),
        pooled: layer(CONVOLUTIONS),
        head: layer(CONVOLUTIONS + 1),
        value: ValueHead::new(weights, *bias, *scale, output),
    })
}

/// The bytes of the first numbers, four each.
fn numbers<const N: usize>(bytes: &[u8]) -> [[u8; 4]; N] {
    std::array::from_fn(|at| bytes.as_chunks().0[at])
}

/// CRC-32 as zlib computes it, bit by bit: bots carry no crate for it, and a net has 41 KB.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, &byte: &u8| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    };
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NET: &[u8] = include_bytes!("nets/8.net");

    #[test]
    fn refuses_what_is_not_a_network_of_this_kind() {
        let line = NET.iter().position(|&byte| byte == b'\n').unwrap();
        let header = std::str::from_utf8(&NET[..line]).unwrap();
        let refused = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        let changed = |from: &str, to: &str| {
            assert!(header.contains(from), "{from}");
            refused(&[header.replace(from, to).as_bytes(), &NET[line..]].concat())
        };
        assert!(refused(b"").contains("no line at its beginning"));
        assert!(refused(b"[1]\n").contains("no field 'policy'"));
        assert!(refused(b"{\n").contains("expected a file that begins with"));
        assert_eq!(changed("\"channels\":32", "\"channels\":64"), "channels is 64: expected 32");
        assert_eq!(changed("\"format\":2", "\"format\":1"), "format is 1: expected 2");
        assert_eq!(changed("\"board\":8", "\"board\":12"), "board is 12: expected 4 to 10");
        assert!(changed("\"board\":8", "\"board\":9").contains("the file is damaged"));
        assert!(refused(&NET[..NET.len() - 1]).contains("bytes after its header: expected"));
        assert!(refused(&[NET, &[0]].concat()).contains("bytes after its header: expected"));
        let mut damaged = NET.to_vec();
        damaged[NET.len() / 2] ^= 1;
        assert!(refused(&damaged).contains("checksum"));
        let with = |at: usize, number: [u8; 4]| {
            let mut bytes = NET.to_vec();
            bytes[at..at + 4].copy_from_slice(&number);
            let end = bytes.len() - 4;
            let checksum = crc32(&bytes[..end]);
            bytes[end..].copy_from_slice(&checksum.to_le_bytes());
            refused(&bytes)
        };
        let bias = with(line + 1, i32::MAX.to_le_bytes());
        assert!(bias.contains("a bias of convolution 1 is 2147483647: expected"), "{bias}");
        let scale = with(line + 1 + 4 * CHANNELS, 0f32.to_le_bytes());
        assert!(scale.contains("a scale of convolution 1 is 0: expected a positive number"), "{scale}");
        let output = with(NET.len() - 8, f32::NAN.to_le_bytes());
        assert!(output.contains("a weight of the value's output is NaN: expected"), "{output}");
    }
}
