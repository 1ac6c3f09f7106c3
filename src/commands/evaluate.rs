//! `quiver evaluate`: how well the static evaluator predicts who wins.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};

use super::options::EvaluatorArgs;
use crate::territory::{Evaluator, View, logistic};
use crate::training::{Labelled, Library, Measure, Scores};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Positions, a line {"position": FEN, "result": 1} each, 1 where the side to move won
    #[arg(long, value_name = "FILE", required_unless_present = "games")]
    positions: Option<PathBuf>,
    /// Games, as `quiver selfplay` writes them: their positions, and apart from these their half plies
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with = "positions")]
    games: Vec<PathBuf>,
    /// Measure the published formula of Campya instead, a yardstick
    #[arg(long, conflicts_with = "weights")]
    campya: bool,
    #[command(flatten)]
    evaluator: EvaluatorArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let evaluator = if args.campya { Evaluator::campya() } else { args.evaluator.evaluator()? };
    let (positions, half_plies) = match &args.positions {
        Some(path) => (measure_positions(path, &evaluator)?, None),
        None => {
            let (positions, half_plies) = measure_games(&Library::open(&args.games)?, &evaluator);
            (positions, Some(half_plies))
        }
    };
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut report = report(&positions);
        if let Some(half_plies) = half_plies {
            report.insert("half_plies".to_owned(), self::report(&half_plies).into());
        }
        writeln!(out, "{}", Value::from(report))?;
        return Ok(());
    }
    write!(out, "{}", table("positions", &positions))?;
    if let Some(half_plies) = half_plies {
        write!(out, "\n{}", table("half plies", &half_plies))?;
    }
    Ok(())
}

/// The static evaluator's chance of winning for the side that acts.
fn chance(evaluator: &Evaluator, view: &View<'_>) -> f64 {
    logistic(evaluator.log_odds(view))
}

/// Measures an evaluator on a file of labelled positions.
fn measure_positions(path: &Path, evaluator: &Evaluator) -> anyhow::Result<Measure> {
    let place = || format!("--positions {}", path.display());
    let lines = BufReader::new(File::open(path).with_context(place)?).lines();
    let mut measure = Measure::default();
    for (line, number) in lines.zip(1..) {
        let place = || format!("--positions {}, line {number}", path.display());
        let line = line.with_context(place)?;
        if line.trim().is_empty() {
            continue;
        }
        let Labelled { position, won } = Labelled::parse(&line).with_context(place)?;
        measure.add(position.empty().count(), chance(evaluator, &View::from(&position)), won);
    }
    ensure!(measure.all().positions > 0, "{}: no positions, expected a line each", place());
    Ok(measure)
}

/// Measures it on the positions and on the half plies of games whose results count for them.
fn measure_games(library: &Library, evaluator: &Evaluator) -> (Measure, Measure) {
    let (mut positions, mut half_plies) = (Measure::default(), Measure::default());
    for (_, start, game) in library.games() {
        for sample in game.samples(start).filter(|sample| sample.result_usable) {
            let measure = if sample.moment.is_half_ply() { &mut half_plies } else { &mut positions };
            measure.add(sample.moment.empty_squares(), chance(evaluator, &sample.moment.view()), sample.won);
        }
    }
    (positions, half_plies)
}

/// The figures of a measure, as JSON.
fn report(measure: &Measure) -> Map<String, Value> {
    let by_empty: Vec<Value> = measure
        .bins()
        .map(|bin| {
            let mut object = figures(&bin.scores);
            object.insert("from".to_owned(), bin.from.into());
            object.insert("to".to_owned(), bin.to.into());
            object.into()
        })
        .collect();
    let mut report = figures(&measure.all());
    report.insert("by_empty".to_owned(), by_empty.into());
    report
}

fn figures(scores: &Scores) -> Map<String, Value> {
    let pairs = [
        ("positions", json!(scores.positions)),
        ("log_loss", json!(scores.log_loss())),
        ("brier", json!(scores.brier())),
        ("accuracy", json!(scores.accuracy())),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The figures of a measure, for people.
fn table(what: &str, measure: &Measure) -> String {
    let mut text = format!("{:>13} {what:>11}  log-loss    Brier  accuracy\n", "empty squares");
    let mut line = |name: &str, scores: &Scores| {
        let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.4}"));
        let share = scores.accuracy().map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let (loss, brier) = (cell(scores.log_loss()), cell(scores.brier()));
        text.push_str(&format!("{name:>13} {:>11} {loss:>9} {brier:>8} {share:>9}\n", scores.positions));
    };
    for bin in measure.bins().rev() {
        line(&format!("{} to {}", bin.from, bin.to - 1), &bin.scores);
    }
    line("all", &measure.all());
    text
}
