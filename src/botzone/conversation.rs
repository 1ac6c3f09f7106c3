//! One match: requests in, moves out.

use super::clock::TurnLimits;
use super::history::{History, HistoryError};
use super::request::{Content, Entry, Form, Request};
use super::starts::Starts;
use crate::game::{Bitboard, Coordinates, FullMove, Side};
use crate::players::{Choice, Player};
use crate::search::{Limits, Report, StopHandle, Stopwatch};

/// A match as a bot sees it: what has been played, and the player that it asks.
///
/// A full history always rebuilds. If it, or a single ply, only goes on from what the player knows, the player
/// is told the plies and keeps its tree; otherwise it is given the position. Our own move is told together with
/// the opponent's answer: after an answer is sent there is nothing left to do, and that work too is on a clock.
pub struct Conversation {
    player: Box<dyn Player>,
    starts: Starts,
    limits: TurnLimits,
    history: History,
    /// The history as far as the player knows it.
    told: Option<History>,
}

/// What to say to a request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The turn of the match, counted from 1.
    pub turn: usize,
    /// The form that the request had.
    pub form: Form,
    /// The move.
    pub full: FullMove,
    /// How it was found, from players that search.
    pub report: Option<Report>,
}

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// The history is not legal.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The game is over.
    #[error("turn {turn}: the {side} player has no move left: expected a position that is not lost")]
    NoMove {
        /// The turn.
        turn: usize,
        /// The side that was asked for a move.
        side: Side,
    },
    /// The player has chosen what the rules do not allow: a fault of this program.
    #[error("the player's own move was refused: {0}")]
    Player(HistoryError),
}

impl Conversation {
    /// A match that has not begun, to be played by `player`.
    #[must_use]
    pub fn new(player: Box<dyn Player>, starts: Starts, limits: TurnLimits) -> Conversation {
        let history = History::new(&starts);
        Conversation { player, starts, limits, history, told: None }
    }

    /// The turn of the match that the next request opens, counted from 1.
    #[must_use]
    pub fn next_turn(&self) -> usize {
        self.history.plies().len().div_ceil(2) + 1
    }

    /// The moves played so far, ours included.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Answers a request and takes the answer as played.
    ///
    /// # Errors
    /// If the request is not legal or the game is over.
    pub fn answer(&mut self, request: &Request, stopwatch: Stopwatch) -> Result<Answer, MatchError> {
        self.read(&request.content)?;
        self.tell_player();
        let turn = self.history.turn();
        let limits = self.limits.of_turn(turn, request.time_limit, stopwatch);
        let side = self.history.position().to_move();
        let Choice { full, report } = self
            .safe_amazons()
            .and_then(|amazons| self.player.choose_among(&amazons, &limits))
            .or_else(|| self.player.choose(&limits))
            .ok_or(MatchError::NoMove { turn, side })?;
        self.history.push(full.into(), Entry::Response(turn)).map_err(MatchError::Player)?;
        Ok(Answer { turn, form: request.form, full, report })
    }

    /// Thinks on about the position that stands, whoever is to move there, for the sake of the next request.
    /// What was found; `None` from players that do not search, or if there is no move.
    pub fn ponder(&mut self, limits: &Limits) -> Option<Report> {
        self.tell_player();
        self.player.choose(limits)?.report
    }

    /// Ends a search of the player from outside; `None` for players that do not search.
    #[must_use]
    pub fn stop_handle(&self) -> Option<StopHandle> {
        self.player.stop_handle()
    }

    /// Brings the history up to the request.
    fn read(&mut self, content: &Content) -> Result<(), HistoryError> {
        match content {
            Content::History(entries) => self.history = History::read(&self.starts, entries)?,
            Content::Turn(Coordinates::NONE) if self.history.plies().is_empty() => {}
            Content::Turn(ply) => self.history.push(*ply, Entry::Request(self.next_turn()))?,
        }
        Ok(())
    }

    /// Brings the player up to the history.
    fn tell_player(&mut self) {
        match self.told.as_ref().and_then(|told| self.history.since(told)) {
            Some(plies) => plies.iter().for_each(|&full| self.player.advance(full)),
            None => self.player.set_position(self.history.position()),
        }
        self.told = Some(self.history.clone());
    }

    /// The amazons to choose among, while the start of the match is in doubt; `None` for all.
    ///
    /// With `--start auto` that is every turn until the history proves one start. With the others it is the
    /// first move of the match only, where it costs nothing: either start is its own mirror image, and the
    /// mirror takes an amazon whose owner is in doubt to one whose owner is not. Every first move that is left
    /// out is the image of one that stays, and the search has half as many to look at.
    fn safe_amazons(&self) -> Option<Bitboard> {
        let free = self.starts.cautious() || self.history.plies().is_empty();
        self.history.safe_amazons().filter(|_| free)
    }
}
