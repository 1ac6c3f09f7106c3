//! Two matches of a bot at a time: one may change what the bot does in the other.

use super::{BotGame, CheckPlan, Defect, DefectKind, Scenario};
use crate::contest::LaunchError;

/// Numbers of matches, from which the opponents' moves follow; one match alone has the first.
pub(super) const MATCHES: [u64; 2] = [1, 2];

/// Times that the same difference must show. A bot that plays one of two moves by chance at a ply, the
/// first with the probability p, shows it so often in at most one check in 1,900: the sum of
/// `(p p (1 - p))^4` for both moves.
const SHOWINGS: usize = 4;

/// Plies of the matches: a bot that mixes two matches up does so soon.
const MOST_PLIES: usize = 20;

/// A disturbance of one match by the other: the ply of another move, if that is what shows, and the
/// defect.
type Disturbance = (Option<usize>, Defect);

impl CheckPlan<'_> {
    /// Plays two matches at a time, and compares them with each alone; `first` is the first alone. A leak
    /// shows each time; the moves of a bot that thinks by time differ now and then. So other moves count
    /// as a leak only if the same difference shows [`SHOWINGS`] times. Returns it as a defect. A fault
    /// that a match has alone is returned unchanged.
    pub(super) fn leak(&self, scenario: &Scenario, first: &BotGame) -> Result<Option<Defect>, LaunchError> {
        let mut alone = vec![first.clone()];
        alone.extend(self.play(scenario, &MATCHES[1..], MOST_PLIES)?);
        let Some((ply, leak)) = self.disturbance(scenario, &alone, MOST_PLIES)? else { return Ok(None) };
        let plies = ply.map_or(MOST_PLIES, |ply| ply + 1);
        for _ in 1..SHOWINGS {
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

    /// A fault of a match alone, a leak by a fault that neither match has alone, or a leak by other moves
    /// of a bot that otherwise repeats its moves. `alone` are the two matches, each alone.
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
        // Moves show a leak only if the bot always plays the same alone.
        let again = self.play(scenario, &MATCHES[number..=number], ply + 1)?;
        if let Some(fault) = losing(&again) {
            return Ok(Some((None, fault)));
        }
        let repeats = again.iter().any(|again| moves(again).get(ply) == Some(&usual));
        // Of a bot that a busy machine made late, other moves show nothing.
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
