//! The two shapes of a journal's records: lines of JSON, and frames of any bytes.
//!
//! A sealed line is a JSON object that ends with `,"crc":"xxxxxxxx"}`: the CRC-32 of zlib, in
//! hexadecimal, of the line up to that comma. A frame is the length of its content (u32, little
//! endian), the CRC-32 of the length (u32), the content, and the CRC-32 of all of these (u32).
//! Earlier versions wrote lines without checksums, and frames whose length had none.

use std::io::{self, BufRead, Read};

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

const CHECK: usize = 4;

pub fn framed(content: &[u8]) -> Vec<u8> {
    let mut frame = (content.len() as u32).to_le_bytes().to_vec();
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame.extend_from_slice(content);
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextFrame {
    /// A whole frame: its content, and its bytes.
    Whole(Vec<u8>, usize),
    End,
    /// The beginning of a frame whose rest was never written.
    Torn,
    Damaged(&'static str),
}

/// Reads the next frame; `early` if the file is of a version whose lengths had no checksum.
pub(super) fn next_frame(input: &mut impl BufRead, early: bool) -> io::Result<NextFrame> {
    let head_length = if early { 4 } else { 4 + CHECK };
    let mut frame = Vec::new();
    input.take(head_length as u64).read_to_end(&mut frame)?;
    if frame.is_empty() {
        return Ok(NextFrame::End);
    }
    if frame.len() < head_length {
        return Ok(NextFrame::Torn);
    }
    let length = u32::from_le_bytes([frame[0], frame[1], frame[2], frame[3]]) as usize;
    if !early && frame[4..] != crc32fast::hash(&frame[..4]).to_le_bytes() {
        return Ok(NextFrame::Damaged("a length whose checksum does not fit"));
    }
    if length > LONGEST {
        return Ok(NextFrame::Damaged("a record longer than any game"));
    }
    let whole = head_length + length + CHECK;
    input.take((whole - head_length) as u64).read_to_end(&mut frame)?;
    Ok(if frame.len() < whole {
        if early && hides_a_frame(&frame) {
            NextFrame::Damaged("a length that was changed, before a whole record")
        } else {
            NextFrame::Torn
        }
    } else if ends_with_checksum(&frame) {
        NextFrame::Whole(frame[head_length..whole - CHECK].to_vec(), whole)
    } else {
        NextFrame::Damaged("a record whose checksum does not fit")
    })
}

fn ends_with_checksum(frame: &[u8]) -> bool {
    frame
        .split_last_chunk::<CHECK>()
        .is_some_and(|(content, checksum)| u32::from_le_bytes(*checksum) == crc32fast::hash(content))
}

/// True if the end of an early file, which its length says is torn, is a whole frame with another
/// length, or holds a whole frame.
fn hides_a_frame(tail: &[u8]) -> bool {
    let with_length = |bytes: &[u8], length: u32| {
        let mut frame = bytes.to_vec();
        frame[..4].copy_from_slice(&length.to_le_bytes());
        ends_with_checksum(&frame)
    };
    tail.len() >= 4 + CHECK && with_length(tail, (tail.len() - 4 - CHECK) as u32)
        || (1..tail.len()).any(|at| {
            let rest = &tail[at..];
            rest.first_chunk::<4>().is_some_and(|length| {
                let end = 4 + CHECK + u32::from_le_bytes(*length) as usize;
                rest.get(..end).is_some_and(ends_with_checksum)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame as earlier versions wrote it.
    fn early(content: &[u8]) -> Vec<u8> {
        let mut frame = (content.len() as u32).to_le_bytes().to_vec();
        frame.extend_from_slice(content);
        frame.extend(crc32fast::hash(&frame).to_le_bytes());
        frame
    }

    /// The contents before the end of some bytes, and how they end.
    fn read(mut bytes: &[u8], is_early: bool) -> (Vec<Vec<u8>>, NextFrame) {
        let mut contents = Vec::new();
        loop {
            match next_frame(&mut bytes, is_early).unwrap() {
                NextFrame::Whole(content, _) => contents.push(content),
                end => return (contents, end),
            }
        }
    }

    #[test]
    fn tells_a_cut_from_damage() {
        for (is_early, frame) in [(false, framed as fn(&[u8]) -> Vec<u8>), (true, early)] {
            let [first, second] = [&b"first"[..], b"second"].map(frame);
            let two = [&first[..], &second].concat();
            assert_eq!(read(&two, is_early), (vec![b"first".to_vec(), b"second".to_vec()], NextFrame::End));
            for length in 0..two.len() {
                let (contents, end) = read(&two[..length], is_early);
                assert_eq!(contents.len(), usize::from(length >= first.len()));
                let cut = length > 0 && length != first.len();
                assert_eq!(end, if cut { NextFrame::Torn } else { NextFrame::End }, "{length}");
            }
            for bit in 0..8 * two.len() {
                let mut changed = two.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                assert!(matches!(read(&changed, is_early).1, NextFrame::Damaged(_)), "{is_early} bit {bit}");
            }
        }
        assert!(matches!(read(b"my notes", true).1, NextFrame::Damaged(_)));
    }
}
