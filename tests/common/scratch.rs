//! A temporary folder for one test.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A temporary folder, which is removed when this value is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("quiver-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    /// Creates an empty folder. Returns the folder, and a path in it for each name in `files`.
    pub(crate) fn with_paths<const N: usize>(name: &str, files: [&str; N]) -> (Scratch, [String; N]) {
        let scratch = Scratch::new(name);
        let paths = files.map(|file| scratch.path(file));
        (scratch, paths)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.join(name).display().to_string()
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.join(name), content).unwrap();
        self.path(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.join(name)).unwrap()
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
