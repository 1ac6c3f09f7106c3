//! Runs the commands of the README with smaller budgets: the first example, and the commands for
//! authors of bots, players and researchers. `tuning/tests` runs its Python commands.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::common::program::{Run, run};
use crate::common::scratch::Scratch;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn commands(heading: &str) -> String {
    let readme = include_str!("../README.md");
    let (_, rest) = readme.split_once(heading).unwrap_or_else(|| panic!("the README has no {heading}"));
    let (_, rest) = rest.split_once("```sh\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// Runs a block of commands in a new folder with a bot called mybot.py. For each pair in `changes`,
/// replaces the first text by the second. Returns the folder and the output.
fn run_commands(heading: &str, changes: &[(&str, &str)]) -> (Scratch, String) {
    let mut script = commands(heading);
    for (from, to) in changes {
        assert!(script.contains(from), "{heading}: no '{from}' in\n{script}");
        script = script.replace(from, to);
    }
    let name: String = heading.chars().filter(char::is_ascii_alphabetic).collect();
    let folder = Scratch::new(&format!("readme-{name}"));
    fs::create_dir(folder.join("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_quiver"), folder.join("bin/quiver")).unwrap();
    symlink(Path::new(ROOT).join("tests"), folder.join("tests")).unwrap();
    let bot = format!(
        "import runpy, sys\nsys.argv[1:] = ['--form', 'json', '--board', '6']\n\
         runpy.run_path('{ROOT}/tests/data/bots/bot.py', run_name='__main__')\n"
    );
    folder.file("mybot.py", bot);
    let path = std::env::var("PATH").unwrap();
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script]).current_dir(&*folder).env_remove("QUIVER_BOARD");
    shell.env("PATH", format!("{}/bin:{path}", folder.display())).env("LC_ALL", "C");
    // `quiver package` shares the build folder of the tests in `package`, to compile only once.
    shell.env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/package"));
    let Run { code, out, err } = run(shell, b"");
    assert_eq!(code, Some(0), "{heading}:\n{script}\n{out}\n{err}");
    (folder, out)
}

#[test]
fn first_answer_on_each_board() {
    let (_, out) = run_commands("## Try it", &[(" <", " --playouts 50 <")]);
    let answers: Vec<_> = out.lines().filter(|line| line.starts_with("{\"response\":")).collect();
    assert_eq!((answers.len(), out.lines().count()), (2, 4), "{out}");
}

#[test]
fn commands_for_authors_of_bots() {
    let changes = [
        ("--board 8", "--board 6"),
        ("quiver check", "quiver check --time 100 --games 2"),
        ("--games 20 --time 1", "--games 2 --time 100"),
        ("--analyze", "--analyze --playouts 20"),
    ];
    let (folder, out) = run_commands("**You write a bot.**", &changes);
    assert!(out.contains("no defect found") && out.contains("level3"), "{out}");
    assert!(folder.read("mybot.html").contains("<html"));
}

#[test]
fn commands_for_players() {
    let until_it_answers = "quiver serve --port 0 > address & served=$!\n\
        until grep -q http:// address; do sleep 0.05; done\n\
        kill $served\n";
    let changes = [("quiver serve\n", until_it_answers), ("--analyze", "--analyze --playouts 20")];
    let (folder, _) = run_commands("**You play.**", &changes);
    assert!(folder.read("match.html").contains("<html"));
    assert!(folder.read("quiver.cpp").starts_with("// Quiver"));
}

#[test]
fn commands_for_researchers() {
    let script = commands("**You measure.**");
    let (_, python) = script.split_once("cargo build --release\n").unwrap();
    assert!(python.lines().all(|line| line.starts_with("tuning/python -m tuning ")), "{python}");
    let changes = [
        ("--games 20 --time 0.1", "--games 2 --time 0.01"),
        ("--playouts 100,1000", "--playouts 5,10"),
        ("cargo build --release\n", ""),
        (python, ""),
    ];
    let (folder, _) = run_commands("**You measure.**", &changes);
    assert_eq!(folder.read("match.pgn").matches("[Result ").count(), 2);
    assert!(folder.read("suite.csv").lines().count() > 10);
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(markdown: &str) -> HashSet<String> {
    let kept = |it: char| it.is_alphanumeric() || it == '-' || it == '_';
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        words.chars().filter(|&it| kept(it)).collect()
    };
    markdown.lines().filter(|line| line.starts_with('#')).map(anchor).collect()
}

#[test]
fn every_link_leads_to_a_file_and_heading() {
    let tracked = Command::new("git")
        .args(["ls-files", "*.md", ":!tuning/templates"])
        .current_dir(ROOT)
        .output()
        .unwrap();
    let mut links = 0;
    for document in String::from_utf8(tracked.stdout).unwrap().lines() {
        let path = Path::new(ROOT).join(document);
        let text = fs::read_to_string(&path).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ', '\n']).next());
        // The link to the releases leads to a page of GitHub, not to a file.
        for target in targets.filter(|it| !it.contains("://") && *it != "../../releases") {
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(file.exists(), "{document}: no file {target}");
            if !anchor.is_empty() {
                let headings = fs::read_to_string(&file).unwrap();
                assert!(anchors(&headings).contains(anchor), "{document}: no heading {target}");
            }
        }
    }
    assert!(links > 300, "{links} links");
}

#[test]
fn linked_files_define_items_of_contributing() {
    let mut sections = include_str!("../.github/CONTRIBUTING.md").split("\n## ");
    let table = sections.find(|section| section.starts_with("Where to change what\n")).unwrap();
    let mut items = 0;
    for row in table.lines().filter(|line| line.starts_with('|')) {
        let files = row.split("](../").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        let linked: String =
            files.map(|file| fs::read_to_string(Path::new(ROOT).join(file)).unwrap()).collect();
        // The names of types and traits begin with a capital letter.
        let names = row.split('`').skip(1).step_by(2).filter(|name| name.starts_with(char::is_uppercase));
        for name in names {
            items += 1;
            let defines = |line: &str| {
                let words: Vec<&str> = line.split(|it: char| !it.is_alphanumeric() && it != '_').collect();
                words.windows(2).any(|pair| ["struct", "enum", "trait"].contains(&pair[0]) && pair[1] == name)
            };
            assert!(linked.lines().any(defines), "{name}: {row}");
        }
    }
    assert!(items > 5, "{items} items");
}
