//! The calls that the site knows, and what comes of them.

use std::time::Duration;

use super::poll::SiteId;
use crate::messages;

/// A call: a path and headers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Call {
    /// Delivers answers and waits for requests.
    Poll(Vec<(SiteId, String)>),
    /// Starts a match.
    Run(MatchOrder),
    /// Ends a match.
    Abort(SiteId),
}

/// A match to be started.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MatchOrder {
    /// The opponent: the id of a version of a bot.
    pub(crate) bot: SiteId,
    /// Our place, 0 (first) or 1.
    pub(crate) slot: usize,
    /// What the others of a series have in common.
    pub(crate) options: MatchOptions,
}

/// What a match may be started with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MatchOptions {
    /// The game's own initial data.
    pub(crate) initdata: Option<String>,
    /// Whether requests come as text (简化交互) rather than JSON.
    pub(crate) simple_io: Option<bool>,
    /// The site's limit for a turn.
    pub(crate) time_limit: Option<Duration>,
}

impl Call {
    /// The last part of the path.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Call::Poll(_) => "localai",
            Call::Run(_) => "runmatch",
            Call::Abort(_) => "abortmatch",
        }
    }

    /// The headers that say the rest.
    pub(crate) fn headers(&self) -> Vec<(String, String)> {
        let header = |name: &str, value: &dyn ToString| (name.to_owned(), value.to_string());
        match self {
            Call::Poll(answers) => {
                answers.iter().map(|(id, answer)| header(&format!("X-Match-{id}"), answer)).collect()
            }
            Call::Abort(id) => vec![header("X-Matchid", id)],
            Call::Run(MatchOrder { bot, slot, options }) => {
                let mut headers = vec![header("X-Game", &"Amazons")];
                for player in 0..2 {
                    let name = format!("X-Player-{player}");
                    headers.push(if player == *slot { header(&name, &"me") } else { header(&name, bot) });
                }
                let MatchOptions { initdata, simple_io, time_limit } = options;
                headers.extend(initdata.as_ref().map(|data| header("X-Initdata", data)));
                headers.extend(simple_io.map(|simple| header("X-UseSimpleIO", &simple)));
                headers.extend(time_limit.map(|limit| header("X-Timelimit", &limit.as_secs_f64())));
                headers
            }
        }
    }
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body, or why it did not come whole.
    pub(crate) body: Result<Vec<u8>, String>,
}

/// Why nothing came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoReply {
    /// The connection stands and the site had nothing to say for as long as we wait.
    Timeout,
    /// There was no connection, or it broke.
    Lost(String),
}

/// Carries calls to the site and its replies back. Its texts never contain the secret.
pub(crate) trait Site: Send {
    /// Makes a call and waits for what comes of it.
    fn call(&self, call: &Call) -> Result<Reply, NoReply>;
}

/// What a reply, or none, means by the site's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    /// Done; here is what the site says.
    Done(Vec<u8>),
    /// Done as far as the call goes, but what the site says did not come whole.
    Cut(String),
    /// There was no news within the timeout.
    NoNews,
    /// The same call again, headers included, after a short wait.
    Again(String),
    /// Technical problem or maintenance: again after a longer wait.
    Later(String),
    /// What no documented site says: a redirection, another status. A wrong address, if it always was so.
    Strange(String),
    /// The site will not, and says why.
    Refused(Refusal),
}

/// A clear no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(
        "the site does not know this account (401: {said}): expected the user and the secret (密钥) that it shows \
         under 本地AI, of an account whose level allows it"
    )]
    Account { said: String },
    #[error("the site refuses this call (400: {said})")]
    Call { said: String },
    #[error("this is not the address of the site: {said}")]
    Address { said: String },
}

impl CallOutcome {
    /// Judges what came of a call.
    pub(crate) fn of(result: Result<Reply, NoReply>) -> CallOutcome {
        let Reply { status, body } = match result {
            Ok(reply) => reply,
            Err(NoReply::Timeout) => return CallOutcome::NoNews,
            Err(NoReply::Lost(reason)) => return CallOutcome::Again(reason),
        };
        let said = match &body {
            Ok(body) => said(body),
            Err(reason) => reason.clone(),
        };
        match status {
            200 => body.map_or_else(CallOutcome::Cut, CallOutcome::Done),
            400 => CallOutcome::Refused(Refusal::Call { said }),
            401 => CallOutcome::Refused(Refusal::Account { said }),
            502 | 504 => CallOutcome::Again(format!("the site answers {status}")),
            // 408 and 429 say themselves that a later try may do.
            408 | 429 | 500..=599 => CallOutcome::Later(format!("the site answers {status}: {said}")),
            300..=399 => CallOutcome::Strange(format!(
                "a redirection ({status}), which is not followed since the address holds the secret"
            )),
            _ => CallOutcome::Strange(format!("the site answers {status}: {said}")),
        }
    }
}

/// The beginning of a body in a message.
fn said(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { String::from("without a word") } else { messages::excerpt(&text, 200) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(status: u16, body: &str) -> CallOutcome {
        CallOutcome::of(Ok(Reply { status, body: Ok(body.as_bytes().to_vec()) }))
    }

    #[test]
    fn calls_are_paths_and_headers() {
        let id = |text: &str| text.parse::<SiteId>().unwrap();
        let poll = Call::Poll(vec![(id("a1"), "0 1 2 3 4 5".into()), (id("b2"), r#"{"x0":1}"#.into())]);
        let text = |call: &Call| {
            let headers: Vec<String> =
                call.headers().iter().map(|(name, value)| format!("{name}: {value}")).collect();
            format!("{} {}", call.name(), headers.join("; "))
        };
        assert_eq!(text(&poll), "localai X-Match-a1: 0 1 2 3 4 5; X-Match-b2: {\"x0\":1}");
        assert_eq!(text(&Call::Abort(id("a1"))), "abortmatch X-Matchid: a1");
        let mut order = MatchOrder { bot: id("5b"), slot: 0, options: MatchOptions::default() };
        let plain = "runmatch X-Game: Amazons; X-Player-0: me; X-Player-1: 5b";
        assert_eq!(text(&Call::Run(order.clone())), plain);
        order.slot = 1;
        order.options = MatchOptions {
            initdata: Some("8".into()),
            simple_io: Some(true),
            time_limit: Some(Duration::from_millis(1500)),
        };
        assert_eq!(
            text(&Call::Run(order)),
            "runmatch X-Game: Amazons; X-Player-0: 5b; X-Player-1: me; X-Initdata: 8; X-UseSimpleIO: true; \
             X-Timelimit: 1.5"
        );
    }

    #[test]
    fn every_documented_status_has_its_meaning() {
        assert_eq!(verdict(200, "0 0"), CallOutcome::Done(b"0 0".to_vec()));
        assert_eq!(CallOutcome::of(Err(NoReply::Timeout)), CallOutcome::NoNews);
        assert!(
            matches!(CallOutcome::of(Err(NoReply::Lost("reset".into()))), CallOutcome::Again(text) if text == "reset")
        );
        for status in [502, 504] {
            assert!(matches!(verdict(status, "<html>"), CallOutcome::Again(_)), "{status}");
        }
        for status in [500, 503, 429] {
            assert!(
                matches!(verdict(status, "维护"), CallOutcome::Later(text) if text.contains("维护")),
                "{status}"
            );
        }
        for status in [301, 302, 307, 404, 204] {
            assert!(matches!(verdict(status, ""), CallOutcome::Strange(_)), "{status}");
        }
        let CallOutcome::Refused(refusal) = verdict(400, " no such\n bot\u{7} ") else {
            panic!("not refused")
        };
        assert_eq!(refusal.to_string(), "the site refuses this call (400: no such bot\\u{7})");
        let CallOutcome::Refused(refusal) = verdict(401, "") else { panic!("not refused") };
        assert!(refusal.to_string().contains("(401: without a word)"));
        assert!(matches!(verdict(500, &"x".repeat(9999)), CallOutcome::Later(text) if text.len() < 300));
    }
}
