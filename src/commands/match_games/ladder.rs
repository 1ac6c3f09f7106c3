//! `quiver match --ladder`: places a player on the shipped ladder. `quiver check` rates bots by it.

use std::io::Write as _;
use std::sync::atomic::Ordering;

use anyhow::{Context, ensure};
use serde::Serialize;

use super::args::Args;
use super::{conditions, openings, players, start_programs};
use crate::commands::{Failed, interrupt, progress};
use crate::contest::placement::{Placement, Rung, place};
use crate::contest::statistics::Rating;
use crate::contest::summary::{culprits, game_line};
use crate::contest::tournament::{self, PlayerSettings, Tournament};
use crate::contest::{
    Clock, Conditions, Contest, ContestResults, Entrant, LaunchError, Openings, RunOptions, kill_all,
};
use crate::messages::{counted, printable};
use crate::players::EngineOptions;

/// Games of a placement, by default.
const GAMES: usize = 40;

/// A placement as JSON, and as a text for people.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct PlacementReport<'a> {
    name: &'a str,
    elo: f64,
    error: f64,
    interval: [f64; 2],
    games: usize,
    opponents: Vec<&'a Rung>,
}

impl<'a> PlacementReport<'a> {
    pub(in crate::commands) fn new(name: &'a str, placement: &'a Placement) -> PlacementReport<'a> {
        let Rating { elo, error } = placement.rating();
        PlacementReport {
            name,
            elo,
            error,
            interval: [elo - error, elo + error],
            games: placement.games.len(),
            opponents: placement.met().collect(),
        }
    }

    /// The rating and the opponents, a line each.
    pub(in crate::commands) fn text(&self) -> String {
        let mut text = format!(
            "{}: Elo {:.0} +/- {:.0} on the ladder, where random has 0 (95 %, {})\n",
            self.name,
            self.elo,
            self.error,
            counted(self.games as u64, "game", "games")
        );
        for Rung { name, elo, wins, losses } in self.opponents.iter().rev() {
            text += &format!("  {wins} - {losses} against {name} ({elo:.0})\n");
        }
        text
    }
}

/// The contest of a player with the shipped ladder, and the ladder's ratings. The ladder was
/// measured with the engine's defaults; `side` has the ladder or the error says so.
pub(in crate::commands) fn contest_on_ladder(
    player: Entrant,
    side: usize,
    openings: Openings,
    conditions: Conditions,
    seed: u64,
) -> anyhow::Result<(Contest, Vec<f64>)> {
    let text = tournament::shipped(side);
    let text =
        text.with_context(|| format!("no ladder is shipped for {side}x{side}: expected --board 8 or 10"))?;
    let ladder: Tournament = toml::from_str(text).context("the shipped ladder")?;
    let (mut entrants, mut elos) = (vec![player], Vec::new());
    for rung in &ladder.player {
        entrants.push(players::entrant(rung, &EngineOptions::default(), Clock::Wall, "the shipped ladder")?);
        elos.push(rung.elo.context("the shipped ladder: a player without a rating")?);
    }
    Ok((Contest { entrants, fixtures: Vec::new(), openings, conditions, seed }, elos))
}

/// Places the player of `--ladder`.
pub(in crate::commands) fn place_on_ladder(args: &Args, spec: &str) -> anyhow::Result<()> {
    let interrupted = &interrupt::watch("ending; games in progress are given up", kill_all)?;
    let engine = &args.engine.options()?;
    let common = players::common(args);
    let games = common.games.unwrap_or(GAMES);
    ensure!((1..=100_000).contains(&games), "--games {games}: expected 1 to 100000");
    let settings = PlayerSettings { spec: Some(spec.to_owned()), ..common };
    let player = Entrant {
        memory_limit: args.memory_limit.map(|bytes| bytes as u64),
        ..players::entrant(&settings, engine, args.clock, "--ladder")?
    };
    let openings = openings::openings(args, std::slice::from_ref(&player), engine.seed)?;
    let (contest, elos) =
        contest_on_ladder(player, args.board.board, openings, conditions(args), engine.seed)?;
    start_programs(&contest.entrants, &contest.openings.starts(), contest.conditions, interrupted)?;
    let names: Vec<String> = contest.entrants.iter().map(|entrant| entrant.name.clone()).collect();
    let mut results = ContestResults::new(names.len());
    let bar = progress::bar(games, 0);
    let options = RunOptions {
        concurrency: args.concurrency,
        pin: args.pin,
        log: args.log.clone(),
        ..RunOptions::default()
    };
    let placement = place(contest, &elos, games, &options, interrupted, |placement| -> anyhow::Result<()> {
        let Some(game) = placement.games.last() else { return Ok(()) };
        results.add(game);
        let rating = placement.rating();
        let line = game_line(game, results.games, games);
        bar.inc(1);
        if !args.json {
            let text = format!("{line}; Elo {:.0} +/- {:.0}", rating.elo, rating.error);
            bar.suspend(|| writeln!(std::io::stdout().lock(), "{}", printable(&text)))?;
        }
        Ok(())
    });
    bar.finish_and_clear();
    let placement = placement.map_err(|error| match error.downcast::<LaunchError>() {
        Ok(error) => {
            Failed(format!("given up after {}: {error}", counted(results.games, "game", "games"))).into()
        }
        Err(other) => other,
    })?;
    let report = PlacementReport::new(&names[0], &placement);
    let text = match args.json {
        true => serde_json::to_string(&report)? + "\n",
        false => printable(&format!("\n{}", report.text())),
    };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    ensure!(!interrupted.load(Ordering::Relaxed), Failed("interrupted".to_owned()));
    let faults = results.faults;
    let culprits = culprits(&names, &results);
    ensure!(faults == 0, Failed(format!("{faults} of {} games ended by a fault: {culprits}", results.games)));
    Ok(())
}
