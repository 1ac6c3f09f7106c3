//! The script of a self-contained page: modules of the page of `quiver serve`, joined to one.

/// The modules that every page begins with: its language, its words, and what it says of games.
const COMMON: [&str; 5] = [
    include_str!("assets/app/english.js"),
    include_str!("assets/app/chinese.js"),
    include_str!("assets/app/words.js"),
    include_str!("assets/app/rules.js"),
    include_str!("assets/app/describe.js"),
];

pub(super) fn of_page(own: &str) -> String {
    join(&[&COMMON[..], &[own]].concat())
}

/// Joins modules, each after those whose names it uses. An import must stand on a line of its own.
fn join(modules: &[&str]) -> String {
    let mut out = "\"use strict\";\n(() => {\n".to_owned();
    for line in modules.iter().flat_map(|module| module.lines()) {
        if !line.starts_with("import ") {
            out.push_str(line.strip_prefix("export ").unwrap_or(line));
            out.push('\n');
        }
    }
    out.push_str("})();\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_one_script() {
        let modules = ["export const a = 1;\n", "import { a } from \"./a.js\";\nconst b = a; // export\n"];
        let script = "\"use strict\";\n(() => {\nconst a = 1;\nconst b = a; // export\n})();\n";
        assert_eq!(join(&modules), script);
    }
}
