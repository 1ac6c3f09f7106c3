//! Whole files, written beside the name that they take at the end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{expect_regular, faults, open_to_write};

/// A file that takes its name when it is complete. Dropped before [`finish`](Replacement::finish),
/// it leaves what stood under the name.
#[derive(Debug)]
pub struct Replacement {
    output: BufWriter<PartFile>,
    target: PathBuf,
}

/// The unfinished file, removed when it is dropped.
#[derive(Debug)]
struct PartFile {
    file: File,
    path: PathBuf,
}

impl Replacement {
    /// Begins a file that will stand at `path`, or replace the regular file that `path` names or
    /// links to.
    ///
    /// # Errors
    /// If `path` is anything else, or the folder cannot be written.
    pub fn create(path: &Path) -> io::Result<Replacement> {
        let target =
            if fs::symlink_metadata(path).is_ok() { fs::canonicalize(path)? } else { path.to_owned() };
        let replaced = fs::metadata(&target).ok();
        if let Some(replaced) = &replaced {
            expect_regular(replaced)?;
        }
        // Two processes that write one file do not write one part.
        let mut part = target.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let path = PathBuf::from(part);
        // Left by a killed process that had this number. A new file follows no link that stands in
        // its place.
        let _ = fs::remove_file(&path);
        let file = open_to_write(&path, OpenOptions::new().write(true).create_new(true))?;
        let part = PartFile { file, path };
        if let Some(replaced) = replaced {
            part.file.set_permissions(replaced.permissions())?;
        }
        Ok(Replacement { output: BufWriter::new(part), target })
    }

    /// Gives the file its name, once its bytes are on the disk.
    ///
    /// # Errors
    /// If the system refuses; the name keeps what it had.
    pub fn finish(mut self) -> io::Result<()> {
        self.output.flush()?;
        let PartFile { file, path } = self.output.get_ref();
        faults::check("sync", path)?;
        file.sync_all()?;
        faults::check("rename", &self.target)?;
        fs::rename(path, &self.target)
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Seek for Replacement {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.output.seek(to)
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        faults::write(&mut self.file, &self.path, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for PartFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // After `finish` there is none under this name.
        let _ = fs::remove_file(&self.path);
    }
}

/// Writes a whole file, in place of the one that has this name.
///
/// # Errors
/// As [`Replacement::create`] and [`Replacement::finish`].
pub fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = Replacement::create(path)?;
    file.write_all(bytes.as_ref())?;
    file.finish()
}
