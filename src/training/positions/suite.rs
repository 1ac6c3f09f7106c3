//! Asks players for their moves in test positions.

use amazons::Move;
use serde::Serialize;

use super::TestPosition;
use crate::contest::{self, Entrant, GameContext, LaunchError};
use crate::jobs;

#[derive(Debug, Serialize)]
pub(crate) struct SuiteAnswer {
    /// The index of the position in [`Suite::positions`].
    #[serde(skip)]
    pub(super) position: usize,
    pub(super) id: String,
    pub(super) solved: bool,
    /// The player's move, if the player answered with a legal move in time.
    pub(super) r#move: Option<Move>,
    pub(super) fault: Option<String>,
    pub(super) seconds: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Suite<'a> {
    pub positions: &'a [TestPosition],
    /// The settings of the players, with the seed from which each player's seed is made.
    pub context: GameContext<'a>,
}

impl Suite<'_> {
    /// The indexes of the positions that a player can get. A bot for Botzone can get a position
    /// only if the moves from the start position to it are known.
    pub(crate) fn askable_positions(&self, entrant: &Entrant) -> Vec<usize> {
        let can_ask = |&at: &usize| !entrant.is_botzone_bot() || self.positions[at].has_history();
        (0..self.positions.len()).filter(can_ask).collect()
    }

    /// Asks a player for its move in each of the player's `askable_positions`. The player starts
    /// anew for each position.
    pub(crate) fn ask(
        &self,
        entrant: &Entrant,
        mut on_answer: impl FnMut(),
    ) -> Result<Vec<SuiteAnswer>, LaunchError> {
        let mut answers = Vec::new();
        let run = self.context.run;
        let take = |answer: Result<SuiteAnswer, LaunchError>| {
            answers.push(answer?);
            on_answer();
            Ok(())
        };
        jobs::run(
            run.concurrency,
            &run.interrupt,
            &self.askable_positions(entrant),
            |&number| {
                Some(self.ask_one(entrant, number)).filter(|it| it.is_err() || !run.interrupt.is_stopped())
            },
            take,
        )?;
        answers.sort_by_key(|answer| answer.position);
        Ok(answers)
    }

    fn ask_one(&self, entrant: &Entrant, number: usize) -> Result<SuiteAnswer, LaunchError> {
        let position = &self.positions[number];
        let context = GameContext { game: number, place: number + 1, ..self.context };
        let (answer, spent) = contest::ask_for_move(entrant, &position.game(), context)?;
        let solved = answer.as_ref().is_ok_and(|played| position.solutions.contains(played));
        let fault = answer.as_ref().err().cloned();
        let (id, seconds) = (position.id.clone(), spent.as_secs_f64());
        Ok(SuiteAnswer { position: number, id, solved, r#move: answer.ok(), fault, seconds })
    }
}
