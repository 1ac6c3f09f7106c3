//! `quiver params`: prints the table of search parameters, for people or for programs.

use amazons::Size;
use serde::Serialize;

use super::options::{BoardArgs, ParameterArgs};
use crate::search::{EngineOptions, Parameter, ParameterKind, Parameters};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Format of the output
    #[arg(long, value_enum, default_value = "table")]
    format: TableFormat,
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    parameters: ParameterArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TableFormat {
    /// A Markdown table
    Table,
    /// A JSON array with one object for each parameter
    Json,
    /// A TOML file that --params can read
    Toml,
}

/// A parameter in the JSON list. `json.md` describes the fields, which are printed in alphabetical
/// order, as in earlier versions.
#[derive(Serialize)]
struct ParameterRow {
    about: &'static str,
    default: f64,
    max: f64,
    min: f64,
    name: &'static str,
    step: f64,
    r#type: &'static str,
    value: f64,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let size = Size::square(args.board.board)?;
    let mut options = EngineOptions::default();
    args.parameters.apply(&mut options)?;
    let values = options.parameters.on(size).values().map(|(_, value)| value);
    let all: Vec<(&Parameter, f64)> = Parameters::TABLE.iter().zip(values).collect();
    let rows = all.iter().copied().filter(|(row, _)| row.step > 0.0);
    let text = match args.format {
        TableFormat::Table => table(all.iter().copied()),
        TableFormat::Json => {
            let object = |(row, value): (&Parameter, f64)| ParameterRow {
                about: row.about,
                default: if size.is_large() { row.default } else { row.small_default },
                max: row.max,
                min: row.min,
                name: row.name,
                step: row.step,
                r#type: if row.kind == ParameterKind::Real { "float" } else { "int" },
                value,
            };
            serde_json::to_string_pretty(&rows.map(object).collect::<Vec<_>>())? + "\n"
        }
        TableFormat::Toml => {
            let is_set = |row: &Parameter| options.parameters.overrides().any(|(name, _)| name == row.name);
            all.iter().copied().filter(|(row, _)| row.step > 0.0 || is_set(row)).map(toml).collect()
        }
    };
    super::print(text)
}

fn table<'a>(rows: impl Iterator<Item = (&'a Parameter, f64)>) -> String {
    let line = |(row, value): (&Parameter, f64)| {
        let Parameter { name, min, max, step, about, .. } = row;
        let step = if *step > 0.0 { format!(" {step}") } else { String::new() };
        format!("| `{name}` | {value} | {min} to {max} |{step} | {about} |\n")
    };
    let rows: String = rows.map(line).collect();
    format!("| name | value | range | step | |\n|---|---|---|---|---|\n{rows}")
}

fn toml((row, value): (&Parameter, f64)) -> String {
    // A real number keeps its decimal point, so that TOML reads a float.
    let value = if row.kind == ParameterKind::Real { format!("{value:?}") } else { format!("{value}") };
    format!("# {}\n{} = {value}\n", row.about, row.name)
}
