//! Compresses a program: a filter rewrites its instructions, and then LZMA compresses the result.
//! The launcher reverses both steps.
//!
//! **Distances.** An x86-64 instruction contains the distance to the target of a call or jump, or
//! to an address. The filter replaces this distance by the target's position in the file, in
//! big-endian order. All calls of one function then have the same four bytes, which LZMA finds as
//! repetitions. The filter searches for the opcodes of these instructions without decoding the
//! others, so it also changes bytes that are not instructions; this costs space but loses nothing.
//! The filter handles the operands from the last to the first, and the launcher from the first to
//! the last, so that overlapping operands are restored as well.
//!
//! **LZMA** is used as in the specification of the LZMA SDK, without header and end marker, with
//! lc=4, lp=0 and pb=0. The dictionary is as large as the program, so that every distance is valid.

use std::io::{self, Write as _};

use lzma_rust2::{EncodeMode, LzmaOptions, LzmaWriter, MfType};

/// The number of high bits of the previous byte on which a byte's probabilities depend (LZMA's lc).
const LITERAL_CONTEXT_BITS: u32 = 4;

/// The encoder tries this many earlier places for each repetition. More hardly shorten the output.
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
        let Some(&operand) = operand.filter(|_| before.is_some_and(takes_distance)) else { continue };
        let in_file = |value: i32| (-(at as i64)..size).contains(&i64::from(value));
        let distance = i32::from_le_bytes(operand);
        let value = if in_file(distance) {
            let place = i64::from(distance) + at as i64;
            // A target at or beyond the end of the file is written as a negative position.
            (if place < size { place } else { i64::from(distance) - size }) as i32
        } else if in_file(i32::from_be_bytes(operand)) {
            // Unchanged, these bytes would look like a position to the launcher. Byte-swapped they
            // do not, and the launcher swaps them back.
            distance
        } else {
            continue;
        };
        program[at..at + 4].copy_from_slice(&value.to_be_bytes());
    }
}

/// True if the operand after these three bytes is a distance. The bytes then end the opcode of a
/// call, a jump, or a 64-bit access to memory at a distance from the instruction.
fn takes_distance(before: &[u8; 3]) -> bool {
    match *before {
        [_, _, 0xE8 | 0xE9] | [_, 0x0F, 0x80..=0x8F] => true,
        [prefix, _, registers] => prefix & 0xF8 == 0x48 && registers & 0xC7 == 5,
    }
}
