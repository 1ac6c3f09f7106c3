//! Programs that need nothing of the host they run on.

/// A static executable for x86-64 Linux.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program(Vec<u8>);

/// Why bytes are no [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error("not an executable (ELF) file of 64 bits: expected a static program for x86-64 Linux")]
    Form,
    #[error("an executable for processor {got} of the ELF list: expected 62, which is x86-64")]
    Processor { got: u16 },
    #[error("an executable that loads shared libraries: expected a static one")]
    Dynamic,
}

/// Fields of the file header and of a program header, from the System V ABI, by their offsets.
const KIND: usize = 16;
const PROCESSOR: usize = 18;
const HEADERS: usize = 32;
const HEADER_SIZE: usize = 54;
const HEADER_COUNT: usize = 56;

const EXECUTABLE: u16 = 2;
const EXECUTABLE_ANYWHERE: u16 = 3;
const X86_64: u16 = 62;
const LOADER: u32 = 3;

impl Program {
    /// Checks what can be seen from outside.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Program, ProgramError> {
        // Class 2 is 64 bits, data 1 the lowest byte first.
        if !bytes.starts_with(b"\x7fELF\x02\x01") {
            return Err(ProgramError::Form);
        }
        let short = |at| field(&bytes, at).map(u16::from_le_bytes).ok_or(ProgramError::Form);
        if !matches!(short(KIND)?, EXECUTABLE | EXECUTABLE_ANYWHERE) {
            return Err(ProgramError::Form);
        }
        match short(PROCESSOR)? {
            X86_64 => {}
            got => return Err(ProgramError::Processor { got }),
        }
        let first = field(&bytes, HEADERS).map(u64::from_le_bytes).ok_or(ProgramError::Form)?;
        let first = usize::try_from(first).map_err(|_| ProgramError::Form)?;
        let size = usize::from(short(HEADER_SIZE)?);
        for index in 0..usize::from(short(HEADER_COUNT)?) {
            let at = first.checked_add(index * size).ok_or(ProgramError::Form)?;
            let kind = field(&bytes, at).map(u32::from_le_bytes).ok_or(ProgramError::Form)?;
            if kind == LOADER {
                return Err(ProgramError::Dynamic);
            }
        }
        Ok(Program(bytes))
    }

    /// The file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file header and program headers of these kinds.
    fn elf(kinds: &[u32]) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56 * kinds.len()];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[KIND] = 2;
        bytes[PROCESSOR] = 62;
        bytes[HEADERS] = 64;
        bytes[HEADER_SIZE] = 56;
        bytes[HEADER_COUNT] = kinds.len() as u8;
        for (index, kind) in kinds.iter().enumerate() {
            bytes[64 + 56 * index..][..4].copy_from_slice(&kind.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn only_static_programs_for_this_processor_pass() {
        assert!(Program::new(elf(&[6, 1, 1])).is_ok());
        assert_eq!(Program::new(elf(&[6, 3, 1])), Err(ProgramError::Dynamic));
        let mut arm = elf(&[1]);
        arm[PROCESSOR] = 183;
        assert_eq!(Program::new(arm), Err(ProgramError::Processor { got: 183 }));
        let mut object = elf(&[]);
        object[KIND] = 1;
        assert_eq!(Program::new(object), Err(ProgramError::Form));
        assert_eq!(Program::new(b"#!/bin/sh\n".to_vec()), Err(ProgramError::Form));
        let mut far = elf(&[1]);
        far[HEADERS..HEADERS + 8].fill(255);
        assert_eq!(Program::new(far), Err(ProgramError::Form));
        for length in 0..elf(&[1, 1]).len() - 56 {
            assert!(Program::new(elf(&[1, 1])[..length].to_vec()).is_err(), "{length}");
        }
    }
}
