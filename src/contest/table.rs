//! The table of a tournament: ratings and results of each pairing, as Markdown and as a page.

use super::results::ContestResults;
use super::statistics::HeadToHead;
use crate::messages::escape;

/// A tournament's players, best first.
#[derive(Clone, Debug)]
pub struct Table {
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// A row for each player: rank, name, Elo, error, games, score, and the games against each in
    /// the same order.
    pub rows: Vec<Vec<String>>,
    /// What has to be said about the ratings; empty for nothing.
    pub note: &'static str,
}

impl Table {
    /// The table of these players.
    #[must_use]
    pub fn new(names: &[String], results: &ContestResults) -> Table {
        let rated = results.ratings();
        let mut order: Vec<usize> = (0..names.len()).collect();
        if let Some(rated) = &rated {
            order.sort_by(|&a, &b| rated.players[b].elo.total_cmp(&rated.players[a].elo));
        }
        let row = |(rank, &a): (usize, &usize)| {
            let wins: u64 = results.wins[a].iter().sum();
            let losses: u64 = results.wins.iter().map(|row| row[a]).sum();
            let share = HeadToHead { wins, losses, pairs: [0; 3] }.score();
            let (elo, error) = rated.as_ref().map_or(("-".to_owned(), "-".to_owned()), |rated| {
                let player = rated.players[a];
                (format!("{:.1}", player.elo), format!("{:.1}", player.error))
            });
            let mut row = vec![
                format!("{}.", rank + 1),
                names[a].clone(),
                elo,
                error,
                (wins + losses).to_string(),
                share.map_or("-".to_owned(), |share| format!("{share:.3}")),
            ];
            row.extend(order.iter().map(|&b| match (a == b, results.wins[a][b], results.wins[b][a]) {
                (true, ..) => String::new(),
                (_, 0, 0) => "-".to_owned(),
                (_, wins, losses) => format!("{wins}-{losses}"),
            }));
            row
        };
        let heads = ["", "", "Elo", "+/-", "games", "score"].map(str::to_owned).into_iter();
        Table {
            rows: order.iter().enumerate().map(row).collect(),
            heads: heads.chain(order.iter().map(|&b| names[b].clone())).collect(),
            note: match rated {
                None => "No ratings: some players have not met, not even through others.",
                Some(rated) if rated.regularised => {
                    "Ratings with half a win and half a loss added to each pairing: without them some would be \
                     infinite."
                }
                Some(_) => "",
            },
        }
    }

    /// The table as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        // A bar would end a cell.
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule: String =
            (0..self.heads.len()).map(|column| if column == 1 { "|---" } else { "|---:" }).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        let note = if self.note.is_empty() { String::new() } else { format!("\n{}\n", self.note) };
        format!("{}{rule}|\n{rows}{note}", line(&self.heads))
    }

    /// The table as a page of its own.
    #[must_use]
    pub fn html(&self, title: &str) -> String {
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
             td:nth-child(2) {{ text-align: left; }}\n</style>\n<h1>{title}</h1>\n<table>\n{}{rows}</table>\n<p>{}</p>\n",
            cells("th", &self.heads),
            escape(self.note)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_a_table() {
        let names = ["a|b".to_owned(), "<i>".to_owned()];
        let table = Table::new(&names, &ContestResults::new(2));
        let markdown = table.markdown();
        assert!(markdown.contains("a\\|b") && markdown.contains("No ratings"), "{markdown}");
        assert!(
            markdown.lines().take(4).all(|line| line.replace("\\|", "").matches('|').count() == 9),
            "{markdown}"
        );
        let html = table.html("T & U");
        assert!(html.contains("<td>&lt;i&gt;</td>") && html.contains("<h1>T &amp; U</h1>"), "{html}");
    }
}
