//! Whole files, written beside the name that they take at the end.

use std::fs;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::{self, Disk, DiskFile, Mode};
use super::expect_regular;

/// A file that takes its name when it is complete. Dropped before [`finish`](Replacement::finish),
/// it leaves what stood under the name.
#[derive(Debug)]
pub struct Replacement {
    output: BufWriter<PartFile>,
    target: PathBuf,
}

#[derive(Debug)]
struct PartFile {
    disk: Arc<dyn Disk>,
    file: Box<dyn DiskFile>,
    path: PathBuf,
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
        let mut path = target.clone().into_os_string();
        path.push(format!(".{}.part", std::process::id()));
        let (disk, path) = (disk::current(), PathBuf::from(path));
        // Left by a killed process that had this number. A new file follows no link that stands in
        // its place.
        let _ = disk.remove(&path);
        let file = disk.open(&path, Mode::Part { of: &target })?;
        Ok(Replacement { output: BufWriter::new(PartFile { disk, file, path }), target })
    }

    /// Gives the file its name, once its bytes are on the disk, and returns once the name is. After
    /// an error the name keeps what it had, or has all that is new.
    pub fn finish(mut self) -> io::Result<()> {
        self.output.flush()?;
        let PartFile { disk, file, path } = self.output.get_ref();
        file.sync()?;
        disk.rename(path, &self.target)?;
        disk.sync_folder(&self.target)
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
        self.output.flush()?;
        self.output.get_mut().file.seek(to)
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // After `finish` there is none under this name.
        let _ = self.disk.remove(&self.path);
    }
}

/// Writes a whole file, in place of the one that has this name.
pub fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = Replacement::create(path)?;
    file.write_all(bytes.as_ref())?;
    file.finish()
}
