//! Sets two variables that the program's source reads: `QUIVER_COMMIT` is the commit from which the
//! program is built, and `QUIVER_TREE` says whether the working tree has changes. Also lists the
//! files of the page of `quiver serve`, because the program embeds these files.
//!
//! The environment may set both variables. Otherwise they come from git, but only in builds of the
//! profile `release`, so that a commit does not cause the tests to be built again. In all other
//! cases both are "unknown".

use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let unknown = || ("unknown".into(), "unknown".into());
    let (commit, tree) = commit_from_environment().or_else(commit_from_git).unwrap_or_else(unknown);
    println!("cargo::rustc-env=QUIVER_COMMIT={commit}");
    println!("cargo::rustc-env=QUIVER_TREE={tree}");
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rerun-if-env-changed=QUIVER_COMMIT");
    println!("cargo::rerun-if-env-changed=QUIVER_TREE");
    list_page_files()
}

fn list_page_files() -> io::Result<()> {
    let folder = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("src/web/assets/app");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "js" || kind == "css"));
    paths.sort();
    let file =
        |path: &Path| format!("({:?}, include_str!({path:?})),\n", path.file_name().unwrap_or_default());
    let files: String = paths.iter().map(|path| file(path)).collect();
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("page.rs"), format!("&[{files}]"))
}

fn commit_from_environment() -> Option<(String, String)> {
    let commit = env::var("QUIVER_COMMIT").ok()?;
    Some((commit, env::var("QUIVER_TREE").unwrap_or_else(|_| "unknown".into())))
}

fn commit_from_git() -> Option<(String, String)> {
    let sources = env::var("CARGO_MANIFEST_DIR").ok()?;
    let is_release =
        Path::new(&env::var("OUT_DIR").ok()?).components().any(|part| part.as_os_str() == "release");
    // If the sources are in a subfolder of a repository, as a copy made by `cargo package` is, the
    // repository's commit may not be the commit of these sources.
    let root = git(&["rev-parse", "--show-toplevel"])?;
    if !is_release || Path::new(&root).canonicalize().ok()? != Path::new(&sources).canonicalize().ok()? {
        return None;
    }
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo::rerun-if-changed={log}");
    for path in ["src", "Cargo.toml", "Cargo.lock", ".cargo"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let changes = git(&["status", "--porcelain", "--", "src", "Cargo.toml", "Cargo.lock", ".cargo"])?;
    Some((git(&["rev-parse", "HEAD"])?, if changes.is_empty() { "clean" } else { "changed" }.into()))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
