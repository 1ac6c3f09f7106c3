//! Finds out whether a bot plays differently because another match runs at the same time (a leak).

use super::game::play;
use super::{BotGame, CheckPlan, Defect, DefectKind, Scenario};
use crate::contest::LaunchError;

/// The seeds of the opponents' moves in the two matches. The check has already played a game with
/// the first seed, and this game serves as the first match played alone.
pub(super) const MATCH_SEEDS: [u64; 2] = [1, 2];

/// A leak is reported if the bot shows the same difference this many times. To show a difference,
/// the bot plays one move when a match runs alone, another move while a second match runs, and the
/// first move again when the match is played alone again. Suppose that a bot without a leak chooses
/// one of two moves at random, with probabilities p and q. Each time, the bot shows one difference
/// with probability `p*p*q` and the other with `p*q*q`. So the check wrongly reports this bot with
/// probability `(p*p*q)^4 + (p*q*q)^4`, at most 1 in 1,900.
const REQUIRED_REPEATS: usize = 4;

/// The number of plies of each match. A bot that confuses two matches does so in its first turns.
const LEAK_PLIES: usize = 20;

/// The ply index of the move that shows a leak (`None` if the defect is a fault), and the defect.
type DefectAtPly = (Option<usize>, Defect);

/// Plays two matches, each alone and then both at the same time. Returns a leak as a defect, or a
/// fault of the bot in a match played alone. `first` is the first match, already played alone.
pub(super) fn find_leak_between_matches(
    plan: &CheckPlan<'_>,
    scenario: &Scenario,
    first: &BotGame,
) -> Result<Option<Defect>, LaunchError> {
    let mut alone = vec![first.clone()];
    alone.extend(play(plan, scenario, &MATCH_SEEDS[1..], LEAK_PLIES)?);
    let Some((ply, leak)) = play_together_and_compare(plan, scenario, &alone, LEAK_PLIES)? else {
        return Ok(None);
    };
    let plies = ply.map_or(LEAK_PLIES, |ply| ply + 1);
    for _ in 1..REQUIRED_REPEATS {
        if ply.is_none() {
            break;
        }
        let mut alone = play(plan, scenario, &MATCH_SEEDS[..1], plies)?;
        alone.extend(play(plan, scenario, &MATCH_SEEDS[1..], plies)?);
        match play_together_and_compare(plan, scenario, &alone, plies)? {
            Some((Some(_), again)) if again.message == leak.message => {}
            Some((None, fault)) => return Ok(Some(fault)),
            _ => return Ok(None),
        }
    }
    Ok(Some(leak))
}

/// Plays the two matches at the same time, and compares their moves with the moves in `alone`, the
/// same two matches played one by one. Returns a fault, or the first move that differs. If a move
/// differs, its match is played alone once more. If the bot then does not repeat the move that it
/// played in `alone`, its moves vary even without a second match, and the result is `None`.
fn play_together_and_compare(
    plan: &CheckPlan<'_>,
    scenario: &Scenario,
    alone: &[BotGame],
    plies: usize,
) -> Result<Option<DefectAtPly>, LaunchError> {
    let losing = |games: &[BotGame]| {
        let mut defects = games.iter().flat_map(|game| &game.turns.defects);
        defects.find(|defect| defect.loses).cloned()
    };
    if let Some(fault) = losing(alone) {
        return Ok(Some((None, fault)));
    }
    let together = play(plan, scenario, &MATCH_SEEDS, plies)?;
    if let Some(defect) = losing(&together).filter(|defect| defect.kind != DefectKind::LATE) {
        let kind = defect.kind.words(plan.language);
        let message = plan.language.pick(
            format!("only while two matches run at the same time: {kind}: {}", defect.message),
            format!("同时进行两局时出现，单独一局时没有：{kind}：{}", defect.message),
        );
        return Ok(Some((None, Defect { kind: DefectKind::Leak, message, ..defect })));
    }
    let moves = |game: &BotGame| game.game.moves();
    let pairs = alone.iter().zip(&together).enumerate();
    let differing = pairs.filter_map(|(index, (alone, beside))| {
        let [usual, other] = [alone, beside].map(moves);
        let ply = usual.iter().zip(&other).position(|(one, another)| one != another)?;
        Some((ply, index, usual[ply], other[ply]))
    });
    let Some((ply, index, usual, other)) = differing.min_by_key(|&(ply, ..)| ply) else {
        return Ok(None);
    };
    // A different move is a leak only if the bot repeats its usual move when it plays alone again.
    let again = play(plan, scenario, &MATCH_SEEDS[index..=index], ply + 1)?;
    if let Some(fault) = losing(&again) {
        return Ok(Some((None, fault)));
    }
    let repeats = again.iter().any(|again| moves(again).get(ply) == Some(&usual));
    // If a turn was slow on a busy machine, different moves do not prove a leak.
    let mut all = alone.iter().chain(&together).chain(&again);
    if !repeats || all.any(|game| game.turns.defects.iter().any(|one| one.kind == DefectKind::Slow)) {
        return Ok(None);
    }
    let message = plan.language.pick(
        format!("the bot plays {usual} in two matches played alone, but {other} while a second match runs"),
        format!("单独进行时两次都走 {usual}，另一局同时进行时却走 {other}"),
    );
    Ok(Some((Some(ply), Defect::new(DefectKind::Leak, *scenario, ply / 2 + 1, message))))
}
