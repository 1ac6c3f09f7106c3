//! Programs that need nothing of the host they run on.

use anyhow::{Context, ensure};

/// Fields of the file header, from the System V ABI, by their offsets.
const KIND: usize = 16;
const PROCESSOR: usize = 18;
const HEADERS: usize = 32;
const HEADER_SIZE: usize = 54;
const HEADER_COUNT: usize = 56;

/// Values of these fields and of a program header's kind.
const X86_64: u16 = 62;
const LOADER: u32 = 3;

/// Checks, as far as can be seen from outside, that a program is a static executable for x86-64
/// Linux.
pub(crate) fn check_program(bytes: &[u8]) -> anyhow::Result<()> {
    let headers = program_headers(bytes)
        .context("not an executable (ELF) file of 64 bits: expected a static program for x86-64 Linux")?;
    let processor = field(bytes, PROCESSOR).map_or(0, u16::from_le_bytes);
    ensure!(
        processor == X86_64,
        "an executable for processor {processor} of the ELF list: expected {X86_64}, which is x86-64"
    );
    ensure!(!headers.contains(&LOADER), "an executable that loads shared libraries: expected a static one");
    Ok(())
}

/// The kinds of an executable's program headers; `None` if it is no executable.
fn program_headers(bytes: &[u8]) -> Option<Vec<u32>> {
    // Class 2 is 64 bits, data 1 the lowest byte first; kind 2 is at a fixed address, 3 anywhere.
    let executable = bytes.starts_with(b"\x7fELF\x02\x01");
    let short = |at| field(bytes, at).map(u16::from_le_bytes);
    short(KIND).filter(|kind| executable && matches!(kind, 2 | 3))?;
    let first = field(bytes, HEADERS).map(u64::from_le_bytes)?.try_into().ok()?;
    let (size, count): (usize, usize) = (short(HEADER_SIZE)?.into(), short(HEADER_COUNT)?.into());
    let kind = |index| field(bytes, usize::checked_add(first, index * size)?).map(u32::from_le_bytes);
    (0..count).map(kind).collect()
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
