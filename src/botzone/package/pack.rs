//! Makes a program small: a filter for the distances in its instructions, then LZMA. The launcher
//! undoes both.
//!
//! **Distances.** An x86-64 instruction names the target of a call or jump, or an address, by its
//! distance. The filter replaces the distance by the target's place in the file, the highest byte
//! first: a function that is called often then has the same four bytes in every call, and LZMA
//! finds repetitions. It looks for the bytes of such instructions without decoding any others, so
//! it also meets bytes that are no instruction; for them it is wasteful but not wrong. It takes the
//! operands from the last to the first and the launcher from the first to the last, so that
//! operands that overlap are restored as well.
//!
//! **LZMA** as the specification in the LZMA SDK has it, without header and end marker, with lc=4,
//! lp=0 and pb=0. With a dictionary as large as the program, every distance is valid.

use std::io::{self, Write as _};

use lzma_rust2::{EncodeMode, LzmaOptions, LzmaWriter, MfType};

/// Bits of the byte before that choose the probabilities of a byte.
const CONTEXT_BITS: u32 = 4;

/// Candidates for a repetition that the encoder looks at: more find next to nothing.
const DEPTH: i32 = 1000;

/// The program as an LZMA stream, in whole groups of four bytes: the last is filled up with zeros.
pub(super) fn pack(program: &[u8]) -> io::Result<Vec<u8>> {
    let mut filtered = program.to_vec();
    replace_distances(&mut filtered);
    let dict_size = u32::try_from(filtered.len().next_power_of_two()).unwrap_or(u32::MAX).max(1 << 12);
    let options = LzmaOptions {
        dict_size,
        lc: CONTEXT_BITS,
        lp: 0,
        pb: 0,
        mode: EncodeMode::Normal,
        nice_len: LzmaOptions::NICE_LEN_MAX,
        mf: MfType::Bt4,
        depth_limit: DEPTH,
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
            // A place before the file stands for a distance to one behind it.
            (if place < size { place } else { i64::from(distance) - size }) as i32
        } else if in_file(i32::from_be_bytes(operand)) {
            // The launcher would read these bytes as a place. Swapped, they are no place, so it
            // swaps them back.
            distance
        } else {
            continue;
        };
        program[at..at + 4].copy_from_slice(&value.to_be_bytes());
    }
}

/// Whether an instruction that begins with these bytes has a distance as its operand: a call, a
/// jump, or an access with operands of 64 bits.
fn takes_distance(before: &[u8; 3]) -> bool {
    match *before {
        [_, _, 0xE8 | 0xE9] | [_, 0x0F, 0x80..=0x8F] => true,
        [prefix, _, registers] => prefix & 0xF8 == 0x48 && registers & 0xC7 == 5,
    }
}
