//! Whole files, written beside the name that they take at the end.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::disk::{self, DiskFile};
use super::expect_regular;

/// A file that takes its name when it is complete. Dropped before [`finish`](Replacement::finish),
/// it leaves what stood under the name.
#[derive(Debug)]
pub struct Replacement {
    output: BufWriter<DiskFile>,
    part: PathBuf,
    target: PathBuf,
}

impl Replacement {
    /// Begins a file that will stand at `path`, or replace the regular file that `path` names or
    /// links to.
    pub fn create(path: &Path) -> io::Result<Replacement> {
        let target =
            if fs::symlink_metadata(path).is_ok() { fs::canonicalize(path)? } else { path.to_owned() };
        if let Ok(replaced) = fs::metadata(&target) {
            expect_regular(&replaced)?;
        }
        // Two processes that write one file do not write one part.
        let mut part = target.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        // Left by a killed process that had this number. A new file follows no link that stands in
        // its place.
        let _ = disk::remove(&part);
        let output = BufWriter::new(DiskFile::part(&part, &target)?);
        Ok(Replacement { output, part, target })
    }

    /// Gives the file its name, once its bytes are on the disk, and returns once the name is. After
    /// an error the name keeps what it had, or has all that is new.
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
        // After `finish` there is none under this name.
        let _ = disk::remove(&self.part);
    }
}

/// Writes a whole file, in place of the one that has this name.
pub fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = Replacement::create(path)?;
    file.write_all(bytes.as_ref())?;
    file.finish()
}
