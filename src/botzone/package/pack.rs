//! Compresses a program: a filter rewrites its instructions, and then LZMA compresses the result.
//! The launcher reverses both steps.
//!
//! **Distances.** An x86-64 call or jump contains the distance from the instruction to its target.
//! Some accesses to memory contain the distance to the data. The filter replaces each distance by
//! the target's position in the file, in big-endian order. All calls of one function then have the
//! same four bytes, which LZMA finds as repetitions. The filter searches for opcodes without
//! decoding the whole program. So it also changes bytes that are not instructions, which costs
//! space but loses nothing. The bytes of two distances may overlap. The filter therefore replaces
//! distances from the last to the first, and the launcher restores them from the first to the last.
//!
//! **LZMA** is used as in the specification of the LZMA SDK, without header and end marker, with
//! lc=4, lp=0 and pb=0. The dictionary holds the whole program, so LZMA can copy any earlier bytes.

use std::io::{self, Write as _};

use lzma_rust2::{EncodeMode, LzmaOptions, LzmaWriter, MfType};

/// LZMA's lc: a byte's probabilities depend on this many high bits of the previous byte.
const LITERAL_CONTEXT_BITS: u32 = 4;

/// The encoder looks for repetitions at no more than this many earlier positions. More positions
/// would save few bytes.
const MATCH_CANDIDATES: i32 = 1000;

/// Returns the program as an LZMA stream, padded with zeros to a multiple of four bytes.
pub(super) fn pack(program: &[u8]) -> io::Result<Vec<u8>> {
    let mut filtered = program.to_vec();
    replace_distances(&mut filtered);
    let dict_size = u32::try_from(filtered.len().next_power_of_two()).unwrap_or(u32::MAX).max(1 << 12);
    let options = LzmaOptions {
        dict_size,
        lc: LITERAL_CONTEXT_BITS,
        lp: 0,
        pb: 0,
        mode: EncodeMode::Normal,
        nice_len: LzmaOptions::NICE_LEN_MAX,
        mf: MfType::Bt4,
        depth_limit: MATCH_CANDIDATES,
        preset_dict: None,
    };
    let mut writer = LzmaWriter::new_no_header(Vec::new(), &options, false)?;
    writer.write_all(&filtered)?;
    let mut packed = writer.finish()?;
    packed.resize(packed.len().next_multiple_of(4), 0);
    Ok(packed)
}

fn replace_distances(program: &mut [u8]) {
    let size = program.len() as i64;
    for at in (3..=program.len().saturating_sub(4)).rev() {
        let (before, operand) = (program[..at].last_chunk(), program[at..].first_chunk());
        let Some(&operand) = operand.filter(|_| before.is_some_and(precedes_distance)) else {
            continue;
        };
        let in_file = |value: i32| (-(at as i64)..size).contains(&i64::from(value));
        let distance = i32::from_le_bytes(operand);
        let value = if in_file(distance) {
            let place = i64::from(distance) + at as i64;
            // A target at or beyond the end of the file is written as a negative position.
            (if place < size { place } else { i64::from(distance) - size }) as i32
        } else if in_file(i32::from_be_bytes(operand)) {
            // The four bytes are not a distance within the file, but the launcher would take them
            // for a position. So the filter reverses their order. The launcher finds a position
            // only in the reverse of what it reads, and so restores the order.
            distance
        } else {
            continue;
        };
        program[at..at + 4].copy_from_slice(&value.to_be_bytes());
    }
}

/// True if a distance follows these three bytes: they end with the opcode of a call, of a jump, or
/// of a 64-bit access to memory at an address relative to the instruction.
fn precedes_distance(before: &[u8; 3]) -> bool {
    match *before {
        [_, _, 0xE8 | 0xE9] | [_, 0x0F, 0x80..=0x8F] => true,
        [prefix, _, registers] => prefix & 0xF8 == 0x48 && registers & 0xC7 == 5,
    }
}
