//! Sealed lines, which a journal consists of.
//!
//! A sealed line is a JSON object that ends with `,"crc":"xxxxxxxx"}`: the CRC-32 of zlib, in
//! hexadecimal, of the line up to that comma. Earlier versions wrote lines without checksums.

use crate::messages::excerpt;

/// The text before the checksum of a line.
const CHECKSUM: &str = ",\"crc\":\"";

/// Bytes of a checksum as text, with what closes the object.
const CHECKSUM_END: usize = "01234567\"}".len();

/// The line of a JSON object, with its checksum and without a line break.
pub fn sealed_line(object: &str) -> String {
    let content = object.strip_suffix('}').unwrap_or(object);
    format!("{content}{CHECKSUM}{:08x}\"}}", crc32fast::hash(content.as_bytes()))
}

/// The object of a line, and true if the line has a checksum; lines of earlier versions have none.
pub(super) fn unsealed(line: &[u8]) -> Result<(String, bool), String> {
    let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    let Some((content, got)) = text.rsplit_once(CHECKSUM) else { return Ok((text.to_owned(), false)) };
    let expected = format!("{:08x}", crc32fast::hash(content.as_bytes()));
    if got.strip_suffix("\"}") != Some(&expected) {
        let got = excerpt(got.trim_end_matches("\"}"), 16);
        return Err(format!("the line was changed: its checksum is {got}, expected {expected}"));
    }
    Ok((format!("{content}}}"), true))
}

/// True if a whole line stands before the end of these bytes: its line break was changed.
pub(super) fn holds_whole_line(bytes: &[u8]) -> bool {
    let mark = CHECKSUM.as_bytes();
    let marks = bytes.windows(mark.len()).enumerate().filter(|(_, window)| *window == mark);
    let mut ends = marks.map(|(at, _)| at + mark.len() + CHECKSUM_END);
    ends.any(|end| end < bytes.len() && matches!(unsealed(&bytes[..end]), Ok((_, true))))
}
