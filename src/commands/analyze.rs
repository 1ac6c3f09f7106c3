//! `quiver analyze`: searches one position or, with --jsonl, each position that a program asks
//! about.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use amazons::{Position, SquareContent};
use anyhow::{Context as _, ensure};

use super::options::{EngineArgs, LimitArgs, PositionArgs, worker_count};
use crate::analysis::{
    self, AnalysisSession, AnswerOptions, Defaults, PositionAnswer, QueryPool, TerritoryMap,
    ordered_candidates,
};
use crate::contest::table::Table;
use crate::files::read_line_within;
use crate::messages::counted;
use crate::search::{Candidate, Engine, Report};

const DEFAULT_PLAYOUTS: u64 = 10_000;
const MAX_LISTED_MOVES: usize = 10;

const MAX_QUERY_BYTES: usize = 1 << 20;

#[derive(Debug, clap::Args)]
#[command(mut_arg("playouts", |playouts| playouts.help("Number of playouts of a move [default: 10000, without --time]")))]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Search the final position of a game in this file, in any format that `quiver replay` reads
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "moves", "jsonl"])]
    game: Option<PathBuf>,
    /// Number of the game to search, counted from 1 in the file
    #[arg(long, value_name = "N", requires = "game", conflicts_with_all = ["position", "moves", "jsonl"], default_value_t = 1)]
    number: usize,
    /// Search the position after N plies of the game instead of its final position
    #[arg(long, value_name = "N", requires = "game", conflicts_with_all = ["position", "moves", "jsonl"])]
    ply: Option<usize>,
    /// Print the result as one JSON object, whose fields are those of a result of --jsonl
    #[arg(long, conflicts_with = "jsonl")]
    json: bool,
    /// Show the territory map: which side is nearer to each square, how many moves each amazon has,
    /// and the separated regions
    #[arg(long)]
    territory: bool,
    /// Run as an analysis engine: read JSON queries, one a line, and answer them until the input
    /// ends
    #[arg(long, conflicts_with_all = ["position", "moves", "territory", "threads"])]
    jsonl: bool,
    /// Number of positions that --jsonl searches at the same time; each search may use as much
    /// memory as --memory states [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: Option<u16>,
    /// Print the page that documents --jsonl
    #[arg(long)]
    protocol: bool,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    if args.protocol {
        return super::print(analysis::PROTOCOL);
    }
    if args.jsonl {
        let engine = args.engine.options()?;
        let workers = worker_count(args.concurrency);
        let pool = QueryPool::new(workers, 0)?;
        let limits = args.limits.or_playouts(DEFAULT_PLAYOUTS);
        let defaults = Defaults { engine, board: args.position.board.board, limits };
        return Ok(answer_queries(pool, defaults)?);
    }
    ensure!(args.concurrency.is_none(), "--concurrency without --jsonl: expected --jsonl as well");
    let position = position(args)?;
    let report =
        Engine::new(&args.engine.options()?, &position).search(&args.limits.or_playouts(DEFAULT_PLAYOUTS));
    let options = AnswerOptions { territory: args.territory, ..AnswerOptions::default() };
    let answer = PositionAnswer::new(&position, report.as_ref(), &options);
    super::print_result(args.json, &answer, || {
        let map = if args.territory { territory(&position) } else { String::new() };
        text(&position, report.as_ref()) + &map
    })
}

/// Answers the queries on standard input. Returns after the input has ended and every query is
/// answered.
///
/// If writing an answer fails, every search ends and the function returns at once, although another
/// thread may still be reading the input.
fn answer_queries(pool: QueryPool, defaults: Defaults) -> io::Result<()> {
    let (ended, end) = mpsc::channel();
    let failed = ended.clone();
    let output = move |answer: String| {
        let mut output = io::stdout().lock();
        let written = writeln!(output, "{answer}").and_then(|()| output.flush());
        written.map_err(|error| failed.send(Err(error))).is_ok()
    };
    let session = AnalysisSession::new(defaults, env!("QUIVER_COMMIT"), Box::new(output));
    let read = move || {
        let (mut input, mut line) = (io::stdin().lock(), Vec::new());
        loop {
            if !read_line_within(&mut input, MAX_QUERY_BYTES, &mut line)? {
                input.skip_until(b'\n')?;
                session
                    .refuse(format!("a line of more than {MAX_QUERY_BYTES} bytes: expected a shorter line"));
            } else if line.is_empty() {
                pool.finish();
                return Ok(());
            } else if !line.trim_ascii().is_empty() {
                session.handle_line(&line, &pool);
            }
        }
    };
    thread::Builder::new().name("queries".into()).spawn(move || {
        // An error of `send` is ignored: `answer_queries` has already returned because it could not
        // write an answer.
        let _ = ended.send(read());
    })?;
    end.recv().unwrap_or(Ok(()))
}

fn position(args: &Args) -> anyhow::Result<Position> {
    let Some(path) = &args.game else { return args.position.position() };
    let (_, games) = super::games::read(path, args.position.board.board)?;
    let count = games.len();
    let game = args.number.checked_sub(1).and_then(|index| games.get(index));
    let game = game
        .with_context(|| format!("--number {}: expected 1 to {count}, the games of the file", args.number))?;
    let plies = game.plies().len();
    let ply = args.ply.unwrap_or(plies);
    ensure!(ply <= plies, "--ply {ply}: expected at most {plies}, the number of plies of the game");
    args.position.board.expect_board_size("--game", game.positions()[ply])
}

/// The search report as text. Writing to a string cannot fail, so results of `write!` are ignored.
fn text(position: &Position, report: Option<&Report>) -> String {
    let to_move = position.to_move();
    let mut out = format!("{}, {to_move} player to move\n{position}\n", position.size());
    let Some(report) = report else {
        let _ = writeln!(out, "the {to_move} player has no move left: the {} player has won", !to_move);
        return out;
    };
    let proven = match report.ending {
        Some(ending) => format!(", {ending}"),
        None if report.proven => ", proven".to_owned(),
        None => String::new(),
    };
    let _ = writeln!(
        out,
        "\nthe {to_move} player wins {:.1} %{proven}: {}, depth {}, {:.2} s, {:.1} MB, ended by: {}",
        report.value * 100.0,
        counted(report.playouts, "playout", "playouts"),
        report.depth,
        report.time.as_secs_f64(),
        report.memory as f64 / 1e6,
        report.status()
    );
    let line: Vec<String> = report.principal_variation.iter().map(ToString::to_string).collect();
    let _ = writeln!(out, "best {}, expecting {}", report.best, line.join(" "));
    let row = |&Candidate { played, visits, value, prior, static_value, .. }: &Candidate| {
        let shares = [value, prior, static_value].map(|share| format!("{:.1} %", share * 100.0));
        [played.to_string(), visits.to_string()].into_iter().chain(shares).collect()
    };
    let heads = ["move", "visits", "value", "prior", "static"];
    let table = Table::new(heads, ordered_candidates(report).into_iter().take(MAX_LISTED_MOVES).map(row));
    out + "\n" + &table.text()
}

fn territory(position: &Position) -> String {
    let map = TerritoryMap::of(position);
    let nearer = &map.nearer;
    let mut out = format!(
        "\nnearer by queen moves: first {} squares, second {}, neither {}\n\
         (+2: the first player is nearer by two moves, -2: the second player is; =: both are equally near;\n\
         +!: only the first player reaches the square, -!: only the second player does)\n\n",
        nearer.first, nearer.second, nearer.even
    );
    let (width, height) = (position.size().width(), position.size().height());
    for y in (0..height).rev() {
        let _ = write!(out, "{:>4} ", y + 1);
        for (index, content) in (usize::from(width) * usize::from(y)..).zip(position.row(y)) {
            let [first, second] = [map.queen.first[index], map.queen.second[index]];
            let cell = match (first, second) {
                _ if content != SquareContent::Empty => content.symbol(['Q', 'q', '*', '.']).to_string(),
                (Some(_), None) => "+!".to_owned(),
                (None, Some(_)) => "-!".to_owned(),
                (Some(first), Some(second)) if first != second => {
                    format!("{:+}", second as i64 - first as i64)
                }
                (Some(_), Some(_)) => "=".to_owned(),
                (None, None) => ".".to_owned(),
            };
            let _ = write!(out, "{cell:>3}");
        }
        out.push('\n');
    }
    let names: String = (b'a'..).take(width.into()).map(|x| format!("{:>3}", char::from(x))).collect();
    let _ = writeln!(out, "     {names}\n");
    for (side, amazons) in [("first", &map.freedom.first), ("second", &map.freedom.second)] {
        let list: Vec<String> = amazons.iter().map(|(square, count)| format!("{square} {count}")).collect();
        let _ = writeln!(out, "numbers of queen moves of the {side} player's amazons: {}", list.join(", "));
    }
    for region in &map.regions {
        let (seed, empty, amazons) = (region.squares[0], region.empty, &region.amazons);
        let (first, second) = (amazons.first, amazons.second);
        let _ = writeln!(
            out,
            "region of {seed}: {empty} empty squares, amazons of first player {first}, of second {second}"
        );
    }
    out
}
