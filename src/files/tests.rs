use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::scratch::Scratch;

fn resume(path: &Path) -> Result<Journal, JournalError> {
    static KIND: JournalKind = JournalKind { patience: Duration::ZERO, ..crashes::KIND };
    Journal::resume(&KIND, path, &json!({"head": 1}), |_| json!({"head": 1}), |_| Ok(()))
        .map(|(journal, _)| journal)
}

#[test]
fn replaces_what_a_link_leads_to_or_nothing() {
    let scratch = Scratch::new("replace");
    let [file, link, nowhere, device] = ["file", "link", "nowhere", "device"].map(|name| scratch.join(name));
    replace(&file, "one").unwrap();
    symlink(&file, &link).unwrap();
    symlink(scratch.join("missing"), &nowhere).unwrap();
    symlink("/dev/null", &device).unwrap();
    replace(&link, "two").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap(), "two");
    replace(&nowhere, "x").unwrap_err();
    replace(&device, "x").unwrap_err();
    // Begun and given up.
    let mut part = Replacement::create(&file).unwrap();
    part.write_all(b"three").unwrap();
    drop(part);
    assert_eq!(fs::read_to_string(&file).unwrap(), "two");
    assert_eq!(
        fs::read_dir(&*scratch).unwrap().count(),
        4,
        "nothing beside the file, the links and the device"
    );
}

#[test]
fn removes_what_a_failed_write_left_of_a_record() {
    let scratch = Scratch::new("records");
    let path = scratch.join("records");
    let mut opened = resume(&path).unwrap();
    opened.append("{\"n\":1}").unwrap();
    assert!(matches!(resume(&path), Err(JournalError::Busy { .. })), "one process at a time");
    let whole = fs::read(&path).unwrap();
    // What a failed write left, where even cutting it off failed.
    append(&path).unwrap().write_all(b"{\"n\":").unwrap();
    opened.append("{\"n\":2}").unwrap();
    let second = sealed_line("{\"n\":2}") + "\n";
    assert_eq!(fs::read(&path).unwrap(), [&whole[..], second.as_bytes()].concat());
}
