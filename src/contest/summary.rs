//! Reports of the results of a contest as text, in the style of fastchess.

use std::fmt::Write as _;

use amazons::Side;

use super::statistics::Rating;
use super::table::Table;
use super::{ContestResults, GameRecord, RunningSprt};
use crate::games::EndKind;
use crate::messages::counted;
use crate::words::end_kinds;

/// The line that is printed when a game has ended. `done` of `total` games have ended by then.
pub(crate) fn game_line(game: &GameRecord, done: u64, total: usize) -> String {
    let [first, second] = &game.players;
    let end = game.end();
    let score = if end.winner == Side::First { "1-0" } else { "0-1" };
    let loser = &game.players[(!end.winner).index()].name;
    let why = match (&end.detail, end.kind) {
        (None, reason) => format!("{reason}, {loser} to move"),
        (Some(detail), reason) if !reason.is_fault() => format!("{reason}: {detail}"),
        (Some(detail), reason) => format!("{reason} by {loser}: {detail}"),
    };
    let plies = counted(game.game.plies().len(), "ply", "plies");
    let (name, other, number) = (&first.name, &second.name, game.place);
    format!("Game {number} ({done}/{total}): {name} vs {other}: {score} in {plies} {{{why}}}")
}

/// The shell command in the report about a stalled program keeps the program's input open for this
/// number of seconds after the request.
const OPEN_INPUT_SECONDS: u64 = 10;

/// A report about a program that lost by a fault: the last part of its standard error, and a shell
/// command that repeats the request of the failed turn. `None` if the game has no evidence of a
/// fault.
pub(crate) fn fault_report(game: &GameRecord) -> Option<String> {
    let evidence = game.evidence.as_ref()?;
    let loser = &game.players[(!game.end().winner).index()];
    let (_, command) = loser.spec.split_once(':')?;
    let mut text = format!("Game {}, {}", game.place, loser.name);
    match evidence.standard_error.trim_end() {
        "" => text.push_str(" wrote nothing to its standard error.\n"),
        errors => {
            text.push_str(", the end of its standard error:\n");
            text.extend(errors.lines().map(|line| format!("  {line}\n")));
        }
    }
    let open_seconds = (game.end().kind == EndKind::Stall).then_some(OPEN_INPUT_SECONDS);
    let again = resend_command(&evidence.input, command, open_seconds);
    let _ = write!(text, "This command sends the program the same request again:\n{again}");
    Some(text)
}

/// A shell command that sends a request to a program again. If `open_seconds` is given, the
/// program's input stays open for this many seconds.
pub(crate) fn resend_command(input: &str, command: &str, open_seconds: Option<u64>) -> String {
    let lines = shell_words::join(input.lines());
    match open_seconds {
        Some(seconds) => format!("(printf '%s\\n' {lines}; sleep {seconds}) | {command}"),
        None => format!("printf '%s\\n' {lines} | {command}"),
    }
}

pub(crate) fn fault_counts(results: &ContestResults) -> String {
    let culprits = results.entrants.iter().filter_map(|entrant| {
        let reasons: Vec<String> =
            entrant.faults().map(|(reason, count)| format!("{reason} {count}")).collect();
        let count: u64 = entrant.faults().map(|(_, count)| count).sum();
        (count > 0).then(|| format!("{count} of {} ({})", entrant.name, reasons.join(", ")))
    });
    culprits.collect::<Vec<_>>().join(", ")
}

/// The score of a match of two players, as in `Score of A vs B: 12 - 8 [0.600] 20`.
pub(crate) fn score_line(results: &ContestResults) -> String {
    let (wins, losses) = (results.wins[0][1], results.wins[1][0]);
    let [a, b] = [0, 1].map(|player: usize| &results.entrants[player].name);
    format!("Score of {a} vs {b}: {wins} - {losses} [{}] {}", share(wins, losses), wins + losses)
}

fn share(wins: u64, losses: u64) -> String {
    let games = wins + losses;
    if games == 0 { "-".to_owned() } else { format!("{:.3}", wins as f64 / games as f64) }
}

pub(crate) fn standings(results: &ContestResults) -> String {
    let mut text = match results.is_tournament {
        false => format!("{}\n{}\n", score_line(results), results.head_to_head(0, 1)),
        true => ratings_table(results).text(),
    };
    let line = |RunningSprt { report, players: [tested, opponent], .. }: &RunningSprt| {
        format!("{tested} vs {opponent}: {report}\n")
    };
    text.extend(results.sequential_tests().map(line));
    text
}

fn ratings_table(results: &ContestResults) -> Table {
    let rated = results.ratings();
    let mut order: Vec<usize> = (0..results.entrants.len()).collect();
    if let Some(rated) = &rated {
        order.sort_by(|&a, &b| rated.players[b].elo.total_cmp(&rated.players[a].elo));
    }
    let row = |(rank, &a): (usize, &usize)| {
        let wins: u64 = results.wins[a].iter().sum();
        let losses: u64 = results.wins.iter().map(|row| row[a]).sum();
        let figure = |of: fn(&Rating) -> f64| {
            rated.as_ref().map_or("-".to_owned(), |rated| format!("{:.1}", of(&rated.players[a])))
        };
        let mut row = vec![
            format!("{}.", rank + 1),
            results.entrants[a].name.clone(),
            figure(|rating| rating.elo),
            figure(|rating| rating.error),
            (wins + losses).to_string(),
            share(wins, losses),
        ];
        row.extend(order.iter().map(|&b| match (a == b, results.wins[a][b], results.wins[b][a]) {
            (true, ..) => String::new(),
            (_, 0, 0) => "-".to_owned(),
            (_, wins, losses) => format!("{wins}-{losses}"),
        }));
        row
    };
    let heads = ["", "", "Elo", "+/-", "games", "score"].map(str::to_owned).into_iter();
    let note = match &rated {
        None => "No ratings: some players are not connected by games, not even through other players.",
        Some(rated) if rated.regularised => {
            "Half a win and half a loss are added to each pairing, because some ratings would be infinite \
             otherwise."
        }
        Some(_) => "The column +/- is half the width of the 95 % interval of Elo.",
    };
    Table {
        rows: order.iter().enumerate().map(row).collect(),
        heads: heads.chain(order.iter().map(|&b| results.entrants[b].name.clone())).collect(),
        names: 1,
        note: note.to_owned(),
    }
}

pub(crate) fn report(results: &ContestResults) -> String {
    let mut text = standings(results);
    let (games, first) = (results.games, results.first_wins);
    if let Some(plies) = results.mean_plies {
        let (second, share) = (games - first, first as f64 / games as f64);
        let _ = writeln!(text, "First player: {first} - {second} [{share:.3}], mean game {plies:.1} plies");
    }
    for entrant in &results.entrants {
        let [mean, worst] =
            [entrant.mean_time.unwrap_or(0.0), entrant.worst_time].map(|seconds| 1e3 * seconds);
        let _ = write!(text, "{}: mean {mean:.1} ms a move, worst {worst:.1} ms", entrant.name);
        if let Some(speed) = entrant.playouts_per_second {
            let _ = write!(text, ", {speed:.0} playouts/s");
        }
        if entrant.restarts > 0 {
            let _ = write!(text, ", started again {}", counted(entrant.restarts, "time", "times"));
        }
        if let Some((left, control)) = entrant.least_left.zip(entrant.tc) {
            let _ = write!(text, ", game clock {control} with at least {left:.1} s left");
        }
        text.extend(entrant.faults().map(|(reason, count)| format!(", lost by {reason}: {count}")));
        text.push('\n');
    }
    let ends: Vec<String> = end_kinds()
        .filter(|&reason| reason == EndKind::NoMove || results.ended_by(reason) > 0)
        .map(|reason| format!("{reason} {}", results.ended_by(reason)))
        .collect();
    let _ = writeln!(text, "Games ended by: {}", ends.join(", "));
    if results.proven > 0 {
        let (proven, refuted) = (results.proven, results.refuted);
        let _ = writeln!(text, "Games in which a player called its win proven: {proven} ({refuted} lost)");
    }
    if results.repeated > 0 {
        let _ = writeln!(
            text,
            "Games that repeat all moves of an earlier game: {}; the errors above count them as new",
            results.repeated
        );
    }
    text
}
