//! Formats tables of results as text or as CSV.

/// A table in which one column has names and all other columns have numbers.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// The index of the column of names, which is aligned to the left.
    pub names: usize,
    /// A remark that is printed below the table, or an empty string.
    pub note: String,
}

impl Table {
    /// A table without a note. The names are in the first column.
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

    /// The table as CSV (RFC 4180).
    pub(crate) fn csv(&self) -> String {
        let cell = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        [&self.heads].into_iter().chain(&self.rows).map(line).collect()
    }
}
