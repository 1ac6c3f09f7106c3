//! Reads regular files and pipes, as a whole or by lines. Rejects devices and directories.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;

/// The largest size of a text file that is read completely, in bytes.
pub const MAX_TEXT: u64 = 64 << 20;

/// The most bytes in a line of a request, of a match record or of a list of positions.
///
/// The limit is enough for the longest line from Botzone's judge: about 10 KB of moves and 200 KB
/// of stored data, or six times as much if the judge escapes every character.
pub const MAX_LINE: usize = 4 << 20;

/// Opens a regular file or a pipe for reading.
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if kind(&metadata) != "a pipe" {
        expect_regular(&metadata)?;
    }
    Ok(file)
}

/// Reads a regular file or a pipe of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, limit)
}

/// The byte order mark of UTF-8, with which some Windows programs begin a text.
pub const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads a text file of at most [`MAX_TEXT`] bytes, and removes its byte order mark.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = read(path, MAX_TEXT)?;
    strip_byte_order_mark(&mut bytes);
    let text = String::from_utf8(bytes);
    text.map_err(|error| io::Error::new(ErrorKind::InvalidData, format!("not UTF-8 text: {error}")))
}

/// Reads all bytes of a source. More than `limit` bytes are an error.
pub fn read_all(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("more than {limit} bytes: expected at most {limit}");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

fn strip_byte_order_mark(bytes: &mut Vec<u8>) {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
}

/// Reads the next line with its line break into `line`, and removes a byte order mark at the start
/// of the line. At the end of the input, `line` is empty. Returns false if the line has more than
/// `limit` bytes, and leaves the rest of the line unread.
///
/// # Errors
/// If the input cannot be read.
pub fn read_line_within(input: &mut impl BufRead, limit: usize, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    input.take(limit as u64 + 1).read_until(b'\n', line)?;
    let is_whole = line.len() <= limit;
    strip_byte_order_mark(line);
    Ok(is_whole)
}

/// Opens a regular file for writing. Checks the file's type first, because opening a pipe for
/// writing would wait until another process opens the pipe for reading.
pub fn open_to_write(path: &Path, options: &OpenOptions) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(metadata) => expect_regular(&metadata)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let file = options.open(path)?;
    expect_regular(&file.metadata()?)?;
    Ok(file)
}

/// Checks that a file is a regular file.
pub fn expect_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let got = kind(metadata);
    Err(io::Error::new(ErrorKind::InvalidInput, format!("{got}: expected a regular file")))
}

fn kind(metadata: &Metadata) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if metadata.file_type().is_fifo() {
            return "a pipe";
        }
        if metadata.file_type().is_socket() {
            return "a socket";
        }
    }
    match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => "a regular file",
        (_, true) => "a directory",
        _ => "a device",
    }
}
