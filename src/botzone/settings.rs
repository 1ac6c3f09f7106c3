//! Everything that makes a bot what it is, as one value that can be written down.
//!
//! `quiver bot` makes it from its options; the program that `quiver package` embeds is given it as JSON.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::clock::TurnLimits;
use super::conversation::Conversation;
use super::log::Log;
use super::session::{Mode, SessionError, serve};
use super::starts::{StartChoice, Starts};
use crate::game::{Size, SizeError, StartError};
use crate::players::{EngineOptions, PlayerKind};
use crate::policy::{Network, NetworkError, Networks};
use crate::search::{ParameterError, Parameters};
use crate::territory::{Evaluator, Weights, WeightsError};

/// A bot that has not started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSettings {
    /// Who chooses the moves.
    pub player: PlayerKind,
    /// Squares along a side.
    pub board: usize,
    /// Whether a history of another board is refused, rather than followed.
    pub board_fixed: bool,
    /// Who owns which start square, where the history does not tell.
    pub start: StartChoice,
    /// What a turn may use.
    pub limits: TurnLimits,
    /// Whether to ask to be kept running after an answer.
    pub keep_running: bool,
    /// Bytes for the tree.
    pub memory: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// Threads that search.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub threads: usize,
    /// The search parameters that are not at their defaults, by name.
    pub parameters: BTreeMap<String, f64>,
    /// A file of weights for the evaluator, instead of the shipped ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
    /// A file of a policy network, instead of the shipped one for its board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<PathBuf>,
    /// A file to log to.
    pub log: Option<PathBuf>,
}

/// On the site a second thread is charged as the first is.
fn one() -> usize {
    1
}

fn is_one(threads: &usize) -> bool {
    *threads == 1
}

/// Why a bot cannot start, or how it ended.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// There is no board of this size.
    #[error("--board")]
    Board(#[from] SizeError),
    /// There is no start position for this board.
    #[error("--board")]
    Start(#[from] StartError),
    /// A parameter is unknown or out of range.
    #[error("--set")]
    Parameter(#[from] ParameterError),
    /// The weights cannot be used.
    #[error("--weights")]
    Weights(#[from] WeightsError),
    /// The policy network cannot be used.
    #[error("--net")]
    Net(#[from] NetworkError),
    /// The session ended badly.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl BotSettings {
    /// Plays one match on standard input and output.
    ///
    /// # Errors
    /// If the settings are of no bot, or the session ends badly.
    pub fn run(&self) -> Result<(), BotError> {
        let conversation = self.conversation()?;
        let mode = if self.keep_running { Mode::KeepRunning } else { Mode::Once };
        let mut log = self.log.as_deref().map_or_else(Log::none, Log::append);
        log.note(&format_args!("{} {}, {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"), self.player));
        let ended = serve(io::stdin().lock(), io::stdout().lock(), conversation, mode, &mut log);
        match &ended {
            Ok(()) => log.note(&"the input ended"),
            Err(error) => log.note(error),
        }
        Ok(ended?)
    }

    /// Checks that there is such a bot, without making one.
    ///
    /// # Errors
    /// If there is none.
    pub fn check(&self) -> Result<(), BotError> {
        self.starts()?;
        self.engine_options()?;
        Ok(())
    }

    fn conversation(&self) -> Result<Conversation, BotError> {
        let starts = self.starts()?;
        let player = self.player.build(&self.engine_options()?, &starts.usual().likely);
        Ok(Conversation::new(player, starts, self.limits))
    }

    fn starts(&self) -> Result<Starts, BotError> {
        Ok(Starts::new(Size::square(self.board)?, self.board_fixed, self.start)?)
    }

    fn networks(&self) -> Result<Networks, BotError> {
        let Some(path) = &self.net else { return Ok(Networks::default()) };
        Ok(Networks::default().with(Network::read(path)?))
    }

    fn engine_options(&self) -> Result<EngineOptions, BotError> {
        let mut parameters = Parameters::default();
        for (name, value) in &self.parameters {
            parameters.set(name, &value.to_string())?;
        }
        let evaluator = match &self.weights {
            Some(path) => Evaluator::default().with_weights(Weights::read(path)?.into()),
            None => Evaluator::default(),
        };
        Ok(EngineOptions {
            memory: self.memory,
            seed: self.seed,
            threads: self.threads,
            parameters,
            evaluator,
            networks: self.networks()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings() -> BotSettings {
        BotSettings {
            player: PlayerKind::Quiver,
            board: 8,
            board_fixed: false,
            start: StartChoice::Auto,
            limits: TurnLimits { first: None, time: Some(Duration::from_millis(250)), playouts: Some(7) },
            keep_running: true,
            memory: 1 << 20,
            seed: u64::MAX,
            threads: 3,
            parameters: BTreeMap::from([("exploration".into(), 0.1 + 0.2), ("playout_plies".into(), 6.0)]),
            weights: None,
            net: None,
            log: Some("data/bot.log".into()),
        }
    }

    #[test]
    fn settings_survive_being_written_down() {
        let written = serde_json::to_string(&settings()).unwrap();
        assert_eq!(serde_json::from_str::<BotSettings>(&written).unwrap(), settings());
        assert!(serde_json::from_str::<BotSettings>(&written.replace("seed", "sed")).is_err());
    }

    #[test]
    fn parameters_reach_the_engine_as_they_were() {
        let options = settings().engine_options().unwrap();
        let chosen: Vec<_> = options.parameters.chosen().collect();
        assert_eq!(chosen, [("exploration", 0.1 + 0.2), ("playout_plies", 6.0)]);
    }

    #[test]
    fn settings_of_no_bot_are_refused() {
        let refused = |change: fn(&mut BotSettings)| {
            let mut settings = settings();
            change(&mut settings);
            assert_eq!(settings.check().is_ok(), settings.conversation().is_ok());
            settings.check().err().map(|error| error.to_string())
        };
        assert_eq!(refused(|_| ()), None);
        assert_eq!(refused(|settings| settings.board = 11).as_deref(), Some("--board"));
        assert_eq!(refused(|settings| settings.board = 7).as_deref(), Some("--board"));
        let unknown = refused(|settings| settings.parameters = BTreeMap::from([("speed".into(), 1.0)]));
        assert_eq!(unknown.as_deref(), Some("--set"));
    }
}
