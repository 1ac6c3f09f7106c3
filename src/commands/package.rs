//! `quiver package`: writes this engine as one C++ source file, for upload to Botzone.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use amazons::Size;
use anyhow::{Context, ensure};

use super::{bot, failed};
use crate::botzone::package::{self, MAX_SOURCE_CHARS};
use crate::botzone::{BoardChoice, BotSettings};
use crate::files;
use crate::messages::warn;

#[derive(Debug, clap::Args)]
#[command(
    mut_arg("board", |board| board.hide_default_value(true)),
    mut_arg("weights", |weights| weights.hide(true)),
    mut_arg("net", |net| net.hide(true))
)]
#[group(skip)] // The flattened `bot::Args` already has a group of this name.
pub(super) struct Args {
    /// Pack this statically linked program, a quiver-bot built elsewhere, instead of building one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "target"])]
    program: Option<PathBuf>,
    /// The directory with the sources of quiver to build [default: the current directory if it has
    /// them, else the directory from which this program was built]
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
    /// The target to build for [default: x86_64-unknown-linux-gnu]
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    #[command(flatten)]
    bot: bot::Args,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    ensure!(
        args.bot.board.is_set_by_user(),
        "no board: expected --board 8, on which Botzone plays its matches, or --board 10, which Botzone's page describes"
    );
    let files = &args.bot.engine.evaluator;
    ensure!(
        files.weights.weights.is_none() && files.net.is_none(),
        "--weights or --net: a package carries the shipped weights and network, expected neither option"
    );
    // The packed bot accepts other board sizes too, because a bot that refuses a match loses it.
    let settings = BotSettings { board_choice: BoardChoice::Preferred, ..args.bot.settings()? };
    settings.new_history()?;
    let (program, about) = match &args.program {
        Some(path) => {
            let place = || format!("--program {}", path.display());
            let program = files::read(path, files::MAX_TEXT).with_context(place)?;
            package::check_program(&program).with_context(place)?;
            (program, "for x86-64 Linux, given by --program".to_owned())
        }
        None => {
            ensure!(
                cfg!(not(windows)),
                "a package carries a program for Linux, which is not built on Windows: expected --program with \
                 a quiver-bot built on Linux"
            );
            let board = Size::square(settings.board)?;
            let is_checkout = |source: &Path| source.join("src/bot/Cargo.toml").is_file();
            let here = Some(PathBuf::from(".")).filter(|here| is_checkout(here));
            let source = args.source.clone().or(here).unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
            let path = source.display();
            ensure!(
                is_checkout(&source),
                "--source {path}: expected a checkout of quiver, with src/bot/Cargo.toml"
            );
            warn(format_args!("building the sources in {path}"));
            package::build(&source, args.target.as_deref(), board).map_err(failed)?
        }
    };
    let source = package::source(&program, &about, &settings).map_err(failed)?;
    super::print(&source)?;
    print_upload_steps(&settings, program.len(), source.len());
    Ok(())
}

fn print_upload_steps(settings: &BotSettings, program: usize, source: usize) {
    let board = settings.board;
    let (long_running, long_running_chinese) = if settings.keep_running {
        ("switch on long-running mode (长时运行)", "并勾选“长时运行”")
    } else {
        ("leave long-running mode (长时运行) off", "不要勾选“长时运行”")
    };
    // An error here is ignored, because the source is already written.
    let _ = writeln!(
        io::stderr(),
        "quiver: the source has {source} characters, of at most {MAX_SOURCE_CHARS} on Botzone, and holds a program of {program} bytes.\n\
         Upload: on Botzone, create a bot for Amazons, {board}x{board}, in C++; upload the source, unchanged; {long_running}.\n\
         Simplified interaction (简化交互) may be on or off: the bot recognises both forms.\n\
         上传：在 Botzone 新建 Bot，游戏选 Amazons（{board}x{board}），语言选 C++，原样上传该源文件，{long_running_chinese}。\n\
         “简化交互”可开可关，程序会自动识别。若在线上无法启动，请看对局日志里的标准错误输出。"
    );
}
