//! Tables of results: as text, as Markdown and as a page.

use crate::messages::escape;

/// A table whose columns are numbers, but for one of names.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub heads: Vec<String>,
    /// The rows, each with a cell for every head.
    pub rows: Vec<Vec<String>>,
    /// The column of names, which is aligned to the left.
    pub names: usize,
    /// A remark below the table; empty for none.
    pub note: String,
}

impl Table {
    /// A table whose first column has the names, without a note.
    pub(crate) fn new(
        heads: impl IntoIterator<Item = impl Into<String>>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Table {
        let heads = heads.into_iter().map(Into::into).collect();
        Table { heads, rows: rows.into_iter().collect(), names: 0, note: String::new() }
    }

    pub(crate) fn text(&self) -> String {
        let lines = || [&self.heads].into_iter().chain(&self.rows);
        let width = |column: usize| {
            lines().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let cell = |(column, cell): (usize, &String)| match (column == self.names, widths[column]) {
            (true, width) => format!("  {cell:width$}"),
            (false, width) => format!("  {cell:>width$}"),
        };
        let line = |row: &Vec<String>| row.iter().enumerate().map(cell).collect::<String>();
        let mut text: String = lines().map(|row| format!("{}\n", line(row).trim_end())).collect();
        if !self.note.is_empty() {
            text += &format!("{}\n", self.note);
        }
        text
    }

    pub(crate) fn markdown(&self) -> String {
        // A bar would end a cell, a line break its row.
        let line = |cells: &[String]| {
            let cells: Vec<String> =
                cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule: String =
            (0..self.heads.len()).map(|column| if column == self.names { "|---" } else { "|---:" }).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        let note = if self.note.is_empty() { String::new() } else { format!("\n{}\n", self.note) };
        format!("{}{rule}|\n{rows}{note}", line(&self.heads))
    }

    /// The table as CSV (RFC 4180).
    pub(crate) fn csv(&self) -> String {
        let cell = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        [&self.heads].into_iter().chain(&self.rows).map(line).collect()
    }

    pub(crate) fn html(&self, title: &str) -> String {
        let cells = |tag: &str, row: &[String]| -> String {
            let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = self.rows.iter().map(|row| cells("td", row)).collect();
        let title = escape(title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n\
             body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; color-scheme: light dark; }}\n\
             table {{ border-collapse: collapse; }}\n\
             th, td {{ padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #8886; }}\n\
             td:nth-child({}) {{ text-align: left; }}\n</style>\n<h1>{title}</h1>\n<table>\n{}{rows}</table>\n<p>{}</p>\n",
            self.names + 1,
            cells("th", &self.heads),
            escape(&self.note)
        )
    }
}
