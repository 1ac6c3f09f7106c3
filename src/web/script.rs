//! The script of a self-contained page: modules of the page of `quiver serve`, joined to one.

/// The language of a page and its words, as modules in the order that [`join`] wants.
pub const WORDS: [&str; 3] = [
    include_str!("assets/app/english.js"),
    include_str!("assets/app/chinese.js"),
    include_str!("assets/app/words.js"),
];

/// Joins modules, each after those whose names it uses. An import must stand on a line of its own.
#[must_use]
pub fn join(modules: &[&str]) -> String {
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
        assert_eq!(
            join(&modules),
            "\"use strict\";\n(() => {\nconst a = 1;\nconst b = a; // export\n})();\n"
        );
    }

    #[test]
    fn words_can_stand_in_a_page() {
        let script = join(&WORDS);
        assert!(!script.contains("import ") && !script.contains("export "));
        assert!(!script.contains("</") && !script.contains("<!--"));
    }
}
