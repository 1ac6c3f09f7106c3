//! `quiver params`: the parameter table, for people and for programs.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::json;

use super::options::{BoardOptions, ParameterArgs};
use crate::game::Size;
use crate::search::{EngineOptions, Parameter, Parameters};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How to print them
    #[arg(long, value_enum, default_value = "table")]
    format: TableFormat,
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    parameters: ParameterArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TableFormat {
    /// A Markdown table
    Table,
    /// An array of objects
    Json,
    /// A file for --params
    Toml,
    /// Lines for SPSA tuners: name, int or float, value, min, max, step, learning rate
    Spsa,
}

/// A parameter on the board asked for.
struct ParameterRow {
    parameter: &'static Parameter,
    value: f64,
    default: f64,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let size = Size::square(args.board.board)?;
    let usual = Parameters::default().on(size);
    let mut options = EngineOptions::default();
    args.parameters.apply(&mut options)?;
    let parameters = options.parameters.on(size);
    let of = |parameters: &Parameters, row: &Parameter| parameters.get(row.name).unwrap_or(row.default);
    let rows = Parameters::TABLE.iter().map(|row| ParameterRow {
        parameter: row,
        value: of(&parameters, row),
        default: of(&usual, row),
    });
    let text = match args.format {
        TableFormat::Table => table(rows) + &switches(&options, size),
        TableFormat::Json => json(rows)?,
        TableFormat::Toml => toml(rows),
        TableFormat::Spsa => spsa(rows),
    };
    // Not print!, which panics if the reader has closed the pipe.
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

fn table(rows: impl Iterator<Item = ParameterRow>) -> String {
    let mut text = String::from("| name | value | range | step | |\n|---|---|---|---|---|\n");
    for ParameterRow { parameter: row, value, .. } in rows {
        let Parameter { name, min, max, step, about, .. } = row;
        let _ = writeln!(text, "| `{name}` | {value} | {min} to {max} | {step} | {about} |");
    }
    text
}

/// The rows of what `--set` knows besides parameters.
fn switches(options: &EngineOptions, size: Size) -> String {
    let values: Vec<_> = options.values(size).collect();
    let line = |(name, max, about)| {
        let value = values.iter().find(|(known, _)| *known == name).map_or(0.0, |(_, value)| *value);
        format!("| `{name}` | {value} | 0 to {max} | | {about} |\n")
    };
    EngineOptions::SWITCHES.into_iter().map(line).collect()
}

fn json(rows: impl Iterator<Item = ParameterRow>) -> anyhow::Result<String> {
    let list: Vec<_> = rows
        .map(|ParameterRow { parameter: row, value, default }| {
            json!({
                "name": row.name,
                "type": if row.integer { "int" } else { "float" },
                "value": value,
                "default": default,
                "min": row.min,
                "max": row.max,
                "step": row.step,
                "about": row.about,
            })
        })
        .collect();
    Ok(serde_json::to_string_pretty(&list)? + "\n")
}

fn toml(rows: impl Iterator<Item = ParameterRow>) -> String {
    let mut text = String::new();
    for ParameterRow { parameter: row, value, .. } in rows {
        // A float keeps its point, so that a reader of the file sees its type.
        let value = if row.integer { format!("{value}") } else { format!("{value:?}") };
        let _ = writeln!(text, "# {}\n{} = {value}", row.about, row.name);
    }
    text
}

fn spsa(rows: impl Iterator<Item = ParameterRow>) -> String {
    let mut text = String::new();
    for ParameterRow { parameter: row, value, .. } in rows {
        let kind = if row.integer { "int" } else { "float" };
        let _ =
            writeln!(text, "{}, {kind}, {value}, {}, {}, {}, 0.002", row.name, row.min, row.max, row.step);
    }
    text
}
