//! Reports of results as text, in the words of fastchess.

use std::fmt::Write as _;

use super::game_record::GameRecord;
use super::results::{ContestResults, RunningSprt};
use super::spec::quoted;
use super::statistics::{HeadToHead, Pairs, Sprt};
use super::table::Table;
use crate::game::{EndKind, Side};
use crate::messages::{counted, printable};

/// A line about a game that has just ended, the `done`th of `total`.
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
    let (name, other, number) = (&first.name, &second.name, game.number + 1);
    format!("Game {number} ({done}/{total}): {name} vs {other}: {score} in {plies} {{{why}}}")
}

/// The standard error of a program at fault, and a command that repeats its request.
pub(crate) fn evidence(game: &GameRecord) -> Option<String> {
    let evidence = game.evidence.as_ref()?;
    let loser = &game.players[(!game.end().winner).index()];
    let (_, command) = loser.spec.split_once(':')?;
    let mut text = format!("Game {}, {}", game.number + 1, loser.name);
    match evidence.standard_error.trim_end() {
        "" => text.push_str(" wrote nothing to its standard error.\n"),
        errors => {
            text.push_str(", the end of its standard error:\n");
            for line in errors.lines() {
                let _ = writeln!(text, "  {}", printable(line));
            }
        }
    }
    let input = printable(&evidence.input);
    let _ = write!(text, "To give it this request again:\nprintf %s {} | {command}", quoted(&input));
    Some(text)
}

/// The faults of each player: their kinds and numbers.
pub(crate) fn culprits(names: &[String], results: &ContestResults) -> String {
    let culprits = names.iter().zip(&results.entrants).filter_map(|(name, entrant)| {
        let reasons: Vec<String> =
            entrant.faults().map(|(reason, count)| format!("{reason} {count}")).collect();
        let count: u64 = entrant.faults().map(|(_, count)| count).sum();
        (count > 0).then(|| format!("{count} of {name} ({})", reasons.join(", ")))
    });
    culprits.collect::<Vec<_>>().join(", ")
}

/// `Score of A vs B: 12 - 8 [0.600] 20`.
pub(crate) fn score_line(names: [&str; 2], standing: &HeadToHead) -> String {
    let HeadToHead { wins, losses, .. } = standing;
    let share = standing.score().map_or("-".to_owned(), |score| format!("{score:.3}"));
    format!("Score of {} vs {}: {wins} - {losses} [{share}] {}", names[0], names[1], standing.games())
}

/// Elo with its error bar, likelihood of superiority and pairs.
pub(crate) fn elo_line(standing: &HeadToHead) -> String {
    let elo = match (standing.elo(), standing.elo_error()) {
        (None, _) => "-".to_owned(),
        (Some(elo), None) => {
            let [low, high] = standing.elo_interval().unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            format!("{elo:.1} ({low:.0} to {high:.0})")
        }
        (Some(elo), Some(error)) => format!("{elo:.1} +/- {error:.1}"),
    };
    let los = standing.superiority().map_or("-".to_owned(), |los| format!("{:.1} %", 100.0 * los));
    let [lost, split, won] = standing.pairs;
    let normalised = standing.normalised_elo();
    let normalised = normalised.map_or("-".to_owned(), |(elo, error)| format!("{elo:.1} +/- {error:.1}"));
    format!("Elo: {elo}, nElo: {normalised}, LOS: {los}, pairs (0-1-2): {lost} - {split} - {won}")
}

/// Log-likelihood ratio, bounds and verdict.
pub(crate) fn sprt_line(test: &Sprt, pairs: Pairs) -> String {
    let [low, high] = test.bounds();
    let verdict =
        test.verdict(pairs).map_or("no verdict yet".to_owned(), |verdict| format!("{verdict} accepted"));
    let count = counted(pairs.iter().sum::<u64>(), "pair", "pairs");
    format!("SPRT {test}: LLR {:.2} ({low:.2}, {high:.2}) after {count}, {verdict}", test.llr(pairs))
}

/// The report of a match of two players.
pub(crate) fn match_report(names: &[String], results: &ContestResults, tests: &[RunningSprt]) -> String {
    let standing = results.standing(0, 1);
    let mut text = format!("{}\n{}\n", score_line([&names[0], &names[1]], &standing), elo_line(&standing));
    text += &sprt_lines(names, tests);
    text + &common_report(names, results)
}

/// A line for each sequential test, with the names of its players where there are several.
pub(crate) fn sprt_lines(names: &[String], tests: &[RunningSprt]) -> String {
    let line = |running: &RunningSprt| {
        let [tested, opponent] = running.players.map(|player| &names[player]);
        let who = if names.len() > 2 { format!("{tested} vs {opponent}: ") } else { String::new() };
        format!("{who}{}\n", sprt_line(&running.test, running.pairs))
    };
    tests.iter().map(line).collect()
}

/// The report of a tournament: ratings, the games of each pairing, and the rest.
pub(crate) fn tournament_report(names: &[String], results: &ContestResults, tests: &[RunningSprt]) -> String {
    let table = ratings_table(names, results).text();
    table + &sprt_lines(names, tests) + &common_report(names, results)
}

/// The players, best first: rank, name, Elo, error, games, score, and the games against each in the
/// same order.
pub(crate) fn ratings_table(names: &[String], results: &ContestResults) -> Table {
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
    let note = match &rated {
        None => "No ratings: some players have not met, not even through others.",
        Some(rated) if rated.regularised => {
            "Ratings with half a win and half a loss added to each pairing: without them some would be \
             infinite."
        }
        Some(_) => "",
    };
    Table {
        rows: order.iter().enumerate().map(row).collect(),
        heads: heads.chain(order.iter().map(|&b| names[b].clone())).collect(),
        names: 1,
        note: note.to_owned(),
    }
}

/// The end of every report: results by colour, lengths of games, times, and how games ended.
fn common_report(names: &[String], results: &ContestResults) -> String {
    let mut text = String::new();
    let (games, first) = (results.games, results.first_wins);
    if let Some(plies) = results.mean_plies {
        let (second, share) = (games - first, first as f64 / games as f64);
        let _ = writeln!(text, "First player: {first} - {second} [{share:.3}], mean plies {plies:.1}");
    }
    for (name, entrant) in names.iter().zip(&results.entrants) {
        let [mean, worst] =
            [entrant.mean_time.unwrap_or(0.0), entrant.worst_time].map(|seconds| 1e3 * seconds);
        let _ = write!(text, "{name}: mean {mean:.1} ms a move, worst {worst:.1} ms");
        if let Some(speed) = entrant.playouts_per_second {
            let _ = write!(text, ", {speed:.0} playouts/s");
        }
        if entrant.restarts > 0 {
            let _ = write!(text, ", started again {}", counted(entrant.restarts, "time", "times"));
        }
        if let Some((left, control)) = entrant.least_left.zip(entrant.tc) {
            let _ = write!(text, ", game clock {control} with {left:.1} s left at the least");
        }
        for (reason, count) in entrant.faults() {
            let _ = write!(text, ", lost by {reason}: {count}");
        }
        text.push('\n');
    }
    let ends: Vec<String> = EndKind::all()
        .filter(|&reason| reason == EndKind::NoMove || results.ended_by(reason) > 0)
        .map(|reason| format!("{reason} {}", results.ended_by(reason)))
        .collect();
    let _ = writeln!(text, "Games ended by: {}", ends.join(", "));
    if results.proven > 0 {
        let (proven, refuted) = (results.proven, results.refuted);
        let _ = writeln!(
            text,
            "Games in which a player had proven its win: {proven}, lost all the same: {refuted}"
        );
    }
    if results.repeated > 0 {
        let _ = writeln!(
            text,
            "Games that repeat an earlier one move by move: {}; the errors above count them as new",
            results.repeated
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::fixtures::Pairing;
    use crate::contest::report::ContestReport;

    #[test]
    fn lines_are_those_that_users_know() {
        let standing = HeadToHead { wins: 12, losses: 8, pairs: [2, 4, 4] };
        assert_eq!(score_line(["A", "B"], &standing), "Score of A vs B: 12 - 8 [0.600] 20");
        assert_eq!(
            elo_line(&standing),
            "Elo: 70.4 +/- 185.8, nElo: 65.7 +/- 152.3, LOS: 80.1 %, pairs (0-1-2): 2 - 4 - 4"
        );
        let test = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
        let running = RunningSprt::new(test, &Pairing { players: [0, 1], games: 2 }, 1);
        let line = "SPRT [0.00, 10.00]: LLR 0.00 (-2.94, 2.94) after 0 pairs, no verdict yet\n";
        let names = ["A", "B", "C"].map(str::to_owned);
        assert_eq!(sprt_lines(&names[..2], &[running]), line);
        assert_eq!(sprt_lines(&names, &[running]), format!("B vs A: {line}"));
    }

    #[test]
    fn nothing_and_everything_can_be_said() {
        let none = HeadToHead { wins: 0, losses: 0, pairs: [0; 3] };
        assert_eq!(score_line(["A", "B"], &none), "Score of A vs B: 0 - 0 [-] 0");
        assert_eq!(elo_line(&none), "Elo: -, nElo: -, LOS: -, pairs (0-1-2): 0 - 0 - 0");
        let all = HeadToHead { wins: 0, losses: 20, pairs: [10, 0, 0] };
        assert_eq!(
            elo_line(&all),
            "Elo: -inf (-inf to -352), nElo: -, LOS: 0.0 %, pairs (0-1-2): 10 - 0 - 0"
        );
        let names = ["A", "B"].map(str::to_owned);
        let report = match_report(&names, &ContestResults::new(2), &[]);
        assert!(report.ends_with("Games ended by: no move left 0\n") && !report.contains("NaN"), "{report}");
        let report = tournament_report(&names, &ContestResults::new(2), &[]);
        assert!(report.contains("No ratings") && !report.contains("NaN"), "{report}");
        let results = ContestResults::new(2);
        let report = serde_json::to_value(ContestReport::new(&names, &results, &[])).unwrap();
        assert!(report["mean_plies"].is_null() && report["score"]["elo"].is_null(), "{report}");
    }
}
