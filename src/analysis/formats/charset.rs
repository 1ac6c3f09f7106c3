//! Decodes a file of games in the charset that the file names or that its bytes suggest. Moves are
//! ASCII, so a game stays readable even if the charset of a player's name is unknown.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, GB18030};

use super::{contest_record, trim_start_bom_and_space};

/// The decoded text of a file.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub text: Cow<'a, str>,
    /// A sentence that names the charset, if the charset was guessed.
    pub note: Option<String>,
}

/// Decodes a file by its byte order mark, else in the charset that an SGF game names, else as
/// UTF-8, else in a charset guessed from the bytes. Invalid bytes become U+FFFD.
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some((charset, length)) = Encoding::for_bom(bytes) {
        return Decoded { text: charset.decode_without_bom_handling(&bytes[length..]).0, note: None };
    }
    let named = named_charsets(bytes);
    let begins = || named.iter().map(|&(begin, _)| begin);
    let Some(first) = begins().next() else { return decode_as(bytes, None) };
    let mut all = decode_as(&bytes[..first], None);
    for (&(begin, charset), end) in named.iter().zip(begins().skip(1).chain([bytes.len()])) {
        let Decoded { text, note } = decode_as(&bytes[begin..end], charset);
        all.text += text;
        all.note = all.note.or(note);
    }
    all
}

/// Finds the SGF games whose root names a charset in the property `CA`. Returns the byte offset and
/// the charset of each of these games. The charset is `None` if its name is unknown.
fn named_charsets(bytes: &[u8]) -> Vec<(usize, Option<&'static Encoding>)> {
    if matches!(trim_start_bom_and_space(bytes).first(), Some(b'{' | b'[' | b'"' | b'<')) {
        return Vec::new();
    }
    let brackets = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'(').map(|(at, _)| at);
    let game = |at: usize| {
        let root =
            bytes[at + 1..].trim_ascii_start().strip_prefix(b";")?.split(|&byte| byte == b';').next()?;
        let label = root.windows(3).position(|window| window == b"CA[")? + 3;
        let label = root[label..].split(|&byte| byte == b']').next()?;
        // UTF-16 is treated as unknown: a file that names its charset in ASCII is not in UTF-16.
        let charset = Encoding::for_label(label).filter(|charset| charset.output_encoding() == *charset);
        Some((at, charset))
    };
    brackets.filter_map(game).collect()
}

/// Decodes bytes in `charset`. If `charset` is `None` or the bytes are invalid in it, decodes them
/// as UTF-8, or else in a charset guessed from the bytes.
fn decode_as<'a>(bytes: &'a [u8], charset: Option<&'static Encoding>) -> Decoded<'a> {
    let exact =
        |charset: &'static Encoding| charset.decode_without_bom_handling_and_without_replacement(bytes);
    let is_contest = bytes
        .windows(contest_record::RECORD_MARK.len())
        .any(|it| it == contest_record::RECORD_MARK.as_bytes());
    let known = charset.and_then(exact).or_else(|| Some(str::from_utf8(bytes).ok()?.into()));
    // Programs of the Chinese university contest write their records in the charset GB18030.
    if let Some(text) = known.or_else(|| exact(GB18030).filter(|_| is_contest)) {
        return Decoded { text, note: None };
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let note = format!("the text is not UTF-8: its charset is guessed to be {}", guess.name());
    Decoded { text: guess.decode_without_bom_handling(bytes).0, note: Some(note) }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_KR, SHIFT_JIS, UTF_8, WINDOWS_1251, WINDOWS_1252};

    use super::*;

    #[test]
    fn decodes_by_mark_name_or_guess() {
        for (charset, text, is_guessed) in [
            (UTF_8, "(;GM[18]PB[甲])", false),
            (GB18030, "(;CA[gb2312]PB[甲];B[djddgd])", false),
            (WINDOWS_1252, "text (;C[no;name]PB[Müller])( ;CA[Latin1]PB[é])", true),
            (GB18030, "#[AM][甲队][乙队][后手胜][2026];", false),
            (GB18030, "(;PB[张三]PW[李四])", true),
            (BIG5, "(;PB[陳大文]PW[王])", true),
            (SHIFT_JIS, "(;PB[山田太郎]PW[さとう])", true),
            (EUC_KR, "(;PB[김철수]PW[이])", true),
            (WINDOWS_1251, "(;CA[UTF-8]PB[Иванов]PW[Пётр])", true),
            (WINDOWS_1252, "(;CA[UTF-16]PB[José]PW[Søren])", true),
        ] {
            let bytes = charset.encode(text).0;
            let decoded = decode(&bytes);
            assert_eq!((&*decoded.text, decoded.note.is_some()), (text, is_guessed), "{decoded:?}");
        }
        let note = decode(b"(;PB[M\xfcller])").note.unwrap();
        assert_eq!(note, "the text is not UTF-8: its charset is guessed to be windows-1252");
        let utf16: Vec<u8> = "\u{feff}(;PB[甲])".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&utf16).text, "(;PB[甲])");
        assert_eq!(decode("\u{feff}d1-d7/g7".as_bytes()).text, "d1-d7/g7");
    }

    #[test]
    fn each_game_has_its_own_charset() {
        let (first, second) = ("(;CA[Big5]PB[陳])\n", "( ;CA[GBK]PB[张])\n(;PB[李])");
        let bytes = [BIG5.encode(first).0, GB18030.encode(second).0].concat();
        assert_eq!(decode(&bytes).text, format!("{first}{second}"));
    }
}
