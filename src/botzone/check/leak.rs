//! Finds leaks: a bot that plays differently because another match runs at the same time.

use super::{BotGame, CheckPlan, Defect, DefectKind, Scenario};
use crate::contest::LaunchError;

/// The numbers of the two matches, which are the seeds of the opponents' moves. All other games of
/// the check have the first number.
pub(super) const MATCHES: [u64; 2] = [1, 2];

/// A difference in moves must occur this many times. If a bot chooses one of two moves at random,
/// the first with probability p, the difference occurs so often in at most one check in 1,900: the
/// sum of `(p p (1 - p))^4` for both moves.
const REQUIRED_REPEATS: usize = 4;

/// The number of plies of the two matches. A bot that confuses two matches does so soon.
const LEAK_PLIES: usize = 20;

/// A defect that shows when two matches run at the same time. If it is a different move, its ply is
/// given too.
type Disturbance = (Option<usize>, Defect);

impl CheckPlan<'_> {
    /// Plays two matches at the same time, compares them with the same matches alone, and returns a
    /// leak as a defect. `first` is the first match alone. The moves of a bot with a clock
    /// sometimes differ by chance, so different moves are a leak only if the same difference occurs
    /// [`REQUIRED_REPEATS`] times. A fault in a match alone is returned unchanged.
    pub(super) fn leak(&self, scenario: &Scenario, first: &BotGame) -> Result<Option<Defect>, LaunchError> {
        let mut alone = vec![first.clone()];
        alone.extend(self.play(scenario, &MATCHES[1..], LEAK_PLIES)?);
        let Some((ply, leak)) = self.disturbance(scenario, &alone, LEAK_PLIES)? else { return Ok(None) };
        let plies = ply.map_or(LEAK_PLIES, |ply| ply + 1);
        for _ in 1..REQUIRED_REPEATS {
            if ply.is_none() {
                break;
            }
            let mut alone = self.play(scenario, &MATCHES[..1], plies)?;
            alone.extend(self.play(scenario, &MATCHES[1..], plies)?);
            match self.disturbance(scenario, &alone, plies)? {
                Some((Some(_), again)) if again.message == leak.message => {}
                Some((None, fault)) => return Ok(Some(fault)),
                _ => return Ok(None),
            }
        }
        Ok(Some(leak))
    }

    /// Returns a fault of a match alone, a fault that neither match has alone, or a different move
    /// of a bot that otherwise repeats its moves. `alone`: the two matches, each played alone.
    fn disturbance(
        &self,
        scenario: &Scenario,
        alone: &[BotGame],
        plies: usize,
    ) -> Result<Option<Disturbance>, LaunchError> {
        let losing = |games: &[BotGame]| {
            let mut defects = games.iter().flat_map(|game| &game.turns.defects);
            defects.find(|defect| defect.loses).cloned()
        };
        if let Some(fault) = losing(alone) {
            return Ok(Some((None, fault)));
        }
        let together = self.play(scenario, &MATCHES, plies)?;
        if let Some(defect) = losing(&together).filter(|defect| defect.kind != DefectKind::LATE) {
            let kind = defect.kind.words(self.language);
            let message = self.language.pick(
                format!("with two matches at a time, and not with one: {kind}: {}", defect.message),
                format!("同时进行两局时出现，单独一局时没有：{kind}：{}", defect.message),
            );
            return Ok(Some((None, Defect { kind: DefectKind::Leak, message, ..defect })));
        }
        let moves = |game: &BotGame| game.game.moves();
        let pairs = alone.iter().zip(&together).enumerate();
        let differing = pairs.filter_map(|(number, (alone, beside))| {
            let [usual, other] = [alone, beside].map(moves);
            let ply = usual.iter().zip(&other).position(|(one, another)| one != another)?;
            Some((ply, number, usual[ply], other[ply]))
        });
        let Some((ply, number, usual, other)) = differing.min_by_key(|&(ply, ..)| ply) else {
            return Ok(None);
        };
        // A different move is a leak only if the bot repeats its moves when it plays alone.
        let again = self.play(scenario, &MATCHES[number..=number], ply + 1)?;
        if let Some(fault) = losing(&again) {
            return Ok(Some((None, fault)));
        }
        let repeats = again.iter().any(|again| moves(again).get(ply) == Some(&usual));
        // If a busy machine made the bot slow, different moves are no evidence.
        let mut all = alone.iter().chain(&together).chain(&again);
        if !repeats || all.any(|game| game.turns.defects.iter().any(|one| one.kind == DefectKind::Slow)) {
            return Ok(None);
        }
        let message = self.language.pick(
            format!("twice alone it plays {usual}, and {other} while a second match runs"),
            format!("单独进行时两次都走 {usual}，另一局同时进行时却走 {other}"),
        );
        Ok(Some((Some(ply), Defect::new(DefectKind::Leak, *scenario, ply / 2 + 1, message))))
    }
}
