//! Writes a file under a temporary name, and renames it when it is complete.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::disk::{self, DiskFile};
use super::expect_regular;

/// A new file that, when it is complete, replaces an old file. If the new file is dropped before
/// [`finish`](Replacement::finish), the old file stays as it is.
#[derive(Debug)]
pub struct Replacement {
    output: BufWriter<DiskFile>,
    part: PathBuf,
    target: PathBuf,
}

impl Replacement {
    /// Begins the new file for `path`. If `path` is a symbolic link, replaces the link's target.
    pub fn create(path: &Path) -> io::Result<Replacement> {
        let target =
            if fs::symlink_metadata(path).is_ok() { fs::canonicalize(path)? } else { path.to_owned() };
        if let Ok(replaced) = fs::metadata(&target) {
            expect_regular(&replaced)?;
        }
        // The process ID in the name keeps two processes from writing the same temporary file.
        let mut part = target.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        // Removes a file left by a killed process with this ID, or a link made by another user.
        let _ = disk::remove(&part);
        let output = BufWriter::new(DiskFile::create_part(&part, &target)?);
        Ok(Replacement { output, part, target })
    }

    /// Syncs the new file, and gives it the name of the old file. After an error, the file has its
    /// whole old content or the whole new content.
    pub fn finish(mut self) -> io::Result<()> {
        self.output.flush()?;
        self.output.get_ref().sync()?;
        disk::rename(&self.part, &self.target)?;
        disk::sync_folder(&self.target)
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

impl Drop for Replacement {
    fn drop(&mut self) {
        // After `finish` has renamed the temporary file, there is nothing to remove.
        let _ = disk::remove(&self.part);
    }
}

pub fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = Replacement::create(path)?;
    file.write_all(bytes.as_ref())?;
    file.finish()
}
