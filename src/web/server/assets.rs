//! The parts of the page: files of `assets/`, embedded in the binary.

use std::time::Duration;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, json};

use super::Refusal;
use crate::analysis::Defaults;
use crate::game::{Game, InputError, Position, Size, Start};
use crate::players::LEVELS;
use crate::web::page::{fill, script_json};
use crate::web::{board, exercises, game, graph};

const PAGE: &str = include_str!("../assets/app/page.html");

/// The page, with the start position of a board drawn in it.
pub(super) fn page(defaults: &Defaults, max_time: Duration) -> Result<String, InputError> {
    let start = Position::start(Size::square(defaults.board)?)?;
    let starts = Start::positions().filter(|(start, _)| *start == Start::Formula);
    let starts = starts.map(|(_, start)| (start.size().width().to_string(), json!(start)));
    let levels = LEVELS.iter().map(|level| json!({"name": level.name, "chinese": level.chinese}));
    let data = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "max_time": max_time.as_secs_f64(),
        "starts": Map::from_iter(starts),
        "levels": levels.collect::<Vec<_>>(),
        "exercises": {
            "lesson": exercises::lesson().collect::<Vec<_>>(),
            "bestMoves": exercises::best_moves(),
            "endgames": exercises::endgames().collect::<Vec<_>>(),
        },
        "game": game::json(&Game::new(start), 0),
    });
    Ok(fill(PAGE, &[("board", &board::frame(&start, None)), ("data", &script_json(&data))]))
}

const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

pub(super) async fn asset(Path(name): Path<String>) -> Result<Response, Refusal> {
    let mut files = FILES.iter().chain(&[("board.css", board::STYLE), ("graph.css", graph::STYLE)]);
    let (_, content) = files
        .find(|(known, _)| *known == name)
        .ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "no such file"))?;
    let kind = if name.ends_with(".css") { "text/css" } else { "text/javascript" };
    Ok(([(CONTENT_TYPE, format!("{kind}; charset=utf-8"))], *content).into_response())
}
