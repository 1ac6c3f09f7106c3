//! `quiver serve`: serves the page for playing and analysing in a browser.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use super::Failed;
use super::options::{BoardArgs, EngineArgs, worker_count};
use super::value_parsers::parse_seconds;
use crate::analysis::Defaults;
use crate::messages::warn;
use crate::search::Limits;
use crate::web::server::{Server, ServerOptions};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    board: BoardArgs,
    /// Port to listen on; 0 chooses a free port
    #[arg(long, value_name = "PORT", default_value_t = 8410)]
    port: u16,
    /// Address to listen on; with another address than loopback, other machines can connect
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Accept requests to this host name, besides IP addresses and localhost; repeatable
    #[arg(long = "allow-host", value_name = "NAME", value_parser = parse_host_name)]
    names: Vec<String>,
    /// Number of positions that are searched at the same time; each search may use as much memory
    /// as --memory states [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: Option<u16>,
    /// The longest search that the page can ask for
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "600")]
    max_time: Duration,
    /// Search on while the page asks for nothing, until the memory is nearly full; the next search
    /// reuses the visits
    #[arg(long)]
    ponder: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    // Checks the board first, so that a board without a start position is reported as bad input.
    args.board.start()?;
    let address = SocketAddr::new(args.host, args.port);
    let limits = Limits::per_move(args.max_time);
    let server = Server::bind(ServerOptions {
        address,
        names: args.names.clone(),
        workers: worker_count(args.concurrency),
        max_time: args.max_time,
        ponder: args.ponder,
        defaults: Defaults { engine: args.engine.options()?, board: args.board.board, limits },
    });
    let server = server.map_err(|error| {
        let hint = if error.kind() == ErrorKind::AddrInUse { "; choose another with --port" } else { "" };
        Failed(format!("cannot listen on {address}: {error}{hint}"))
    })?;
    if !args.host.is_loopback() {
        warn(format_args!("listening on {}: other machines can play and search here", args.host));
    }
    super::print(format_args!("http://{}/\n", server.address()))?;
    server.run();
    Ok(())
}

/// Checks that a text can be the host name before the port in an HTTP Host header.
fn parse_host_name(text: &str) -> Result<String, String> {
    let name = text.parse::<axum::http::uri::Authority>().ok().filter(|name| name.host() == text);
    name.map(|name| name.to_string())
        .ok_or_else(|| format!("'{text}': expected a host name without a port, as in box.lan"))
}
