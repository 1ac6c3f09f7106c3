//! The two shapes of a journal's records: lines of JSON, and frames of any bytes.
//!
//! A sealed line is a JSON object that ends with `,"crc":"xxxxxxxx"}`: the CRC-32 of zlib, in
//! hexadecimal, of the line up to that comma. A frame is the length of its content (u32, little
//! endian), the CRC-32 of the length (u32), the content, and the CRC-32 of all of these (u32).
//! Earlier versions wrote lines without checksums.

use std::io::{self, BufRead, Read as _};

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

/// Longest content of a frame: a game of 255 plies with all its visit shares has 30,600 bytes.
const LONGEST: usize = 1 << 16;

/// Bytes of a frame before its content: the length, and the checksum of it.
const HEAD: usize = 8;

const CHECK: usize = 4;

pub fn framed(content: &[u8]) -> Vec<u8> {
    let mut frame = (content.len() as u32).to_le_bytes().to_vec();
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame.extend_from_slice(content);
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame
}

/// Reads the bytes of the next frame: fewer if its rest was never written or its length is damaged,
/// and none at the end.
pub(super) fn read_frame(input: &mut impl BufRead, frame: &mut Vec<u8>) -> io::Result<()> {
    frame.clear();
    input.take(HEAD as u64).read_to_end(frame)?;
    let rest = match frame.first_chunk().map(content_length) {
        Some(Ok(length)) => length + CHECK,
        Some(Err(_)) | None => 0,
    };
    input.take(rest as u64).read_to_end(frame).map(drop)
}

/// The content of a frame; `None` if its rest was never written.
pub(super) fn unframed(frame: &[u8]) -> Result<Option<&[u8]>, &'static str> {
    let Some((head, rest)) = frame.split_first_chunk::<HEAD>() else { return Ok(None) };
    let Some((content, checksum)) = rest.split_at_checked(content_length(head)?) else { return Ok(None) };
    if checksum.len() < CHECK {
        return Ok(None);
    }
    let is_whole = checksum == crc32fast::hash(&frame[..HEAD + content.len()]).to_le_bytes();
    is_whole.then_some(Some(content)).ok_or("a record whose checksum does not fit")
}

fn content_length(head: &[u8; HEAD]) -> Result<usize, &'static str> {
    let [a, b, c, d, checksum @ ..] = *head;
    let length = [a, b, c, d];
    if checksum != crc32fast::hash(&length).to_le_bytes() {
        return Err("a length whose checksum does not fit");
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST { Err("a record longer than any game") } else { Ok(length) }
}
