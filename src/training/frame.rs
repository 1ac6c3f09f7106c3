//! Records of a file that a crash may cut off at any byte.
//!
//! A record is the length of its content (u32, little endian), the content, and the CRC-32 of both
//! (u32; the polynomial of zlib and PNG).

/// Longest content: a game of 255 plies with all its visit shares has 30,600 bytes.
const LONGEST: usize = 1 << 16;

/// One record, ready to be appended.
pub(super) fn framed(content: &[u8]) -> Vec<u8> {
    let mut record = (content.len() as u32).to_le_bytes().to_vec();
    record.extend_from_slice(content);
    record.extend(crc32fast::hash(&record).to_le_bytes());
    record
}

/// The result of reading the next record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextRecord<'a> {
    /// A whole record: its content, and what follows it.
    Record(&'a [u8], &'a [u8]),
    /// Nothing: the bytes are at their end.
    End,
    /// The beginning of a record whose rest was never written.
    Torn,
    /// Something else.
    Damaged(&'static str),
}

/// Reads the next record.
pub(super) fn front(bytes: &[u8]) -> NextRecord<'_> {
    if bytes.is_empty() {
        return NextRecord::End;
    }
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return NextRecord::Torn };
    let length = u32::from_le_bytes(*length) as usize;
    if length > LONGEST {
        return NextRecord::Damaged("a record longer than any game");
    }
    let Some((checksum, rest)) = rest.get(length..).and_then(|rest| rest.split_first_chunk::<4>()) else {
        return NextRecord::Torn;
    };
    if u32::from_le_bytes(*checksum) == crc32fast::hash(&bytes[..4 + length]) {
        NextRecord::Record(&bytes[4..4 + length], rest)
    } else if rest.is_empty() {
        // A machine that went down may have kept a file's length and lost the bytes.
        NextRecord::Torn
    } else {
        NextRecord::Damaged("a record whose checksum does not fit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_told_from_damage() {
        let two = [framed(b"first"), framed(b"second")].concat();
        let NextRecord::Record(content, rest) = front(&two) else { panic!("a record") };
        assert_eq!((content, front(rest)), (&b"first"[..], NextRecord::Record(b"second", b"")));
        for length in 1..rest.len() {
            assert_eq!(front(&rest[..length]), NextRecord::Torn, "{length}");
        }
        let mut changed = two.clone();
        changed[6] ^= 1;
        assert!(matches!(front(&changed), NextRecord::Damaged(_)));
        // In the last record it may be what a crash left.
        let last = two.len() - 6;
        changed = two.clone();
        changed[last] ^= 1;
        let NextRecord::Record(_, rest) = front(&changed) else { panic!("a record") };
        assert_eq!(front(rest), NextRecord::Torn);
        assert!(matches!(front(b"my notes"), NextRecord::Damaged(_)));
    }
}
