//! A contest shown to people: `--watch` while it is played, `--html` when it has ended.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::commands::Failed;
use crate::contest::LiveGames;
use crate::files;
use crate::web::contest_page::ContestView;
use crate::web::server::watch::watch;

/// The time that the end of a contest waits for a page to hear of it; pages ask every second.
const LAST_WORD: Duration = Duration::from_secs(3);

/// A contest as people see it.
pub(super) struct Show {
    view: Arc<ContestView>,
    title: String,
    /// Whether a server shows it.
    served: bool,
}

impl Show {
    /// A show of a contest of `total` games; with a port, a server shows it from now on.
    pub(super) fn new(names: &[String], total: usize, port: Option<u16>) -> anyhow::Result<Show> {
        let title = match names {
            [a, b] => format!("{a} vs {b}"),
            several => format!("Tournament of {}", several.len()),
        };
        let view = Arc::new(ContestView::new(total));
        if let Some(port) = port {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            let address =
                watch(address, &title, Arc::clone(&view)).with_context(|| format!("--watch {port}"))?;
            eprintln!("quiver: watch at http://{address}/");
        }
        Ok(Show { view, title, served: port.is_some() })
    }

    /// The page of the games in progress.
    pub(super) fn live(&self) -> Option<Arc<LiveGames>> {
        self.served.then(|| Arc::clone(&self.view.live))
    }

    /// The games that have ended, and the score.
    pub(super) fn view(&self) -> &ContestView {
        &self.view
    }

    /// Writes the page with every game, if a file is named, and lets watchers hear of the end.
    pub(super) fn finish(&self, html: Option<&Path>) -> anyhow::Result<()> {
        self.view.close();
        if let Some(path) = html {
            let page = self.view.html(&self.title);
            files::replace(path, page).map_err(|error| Failed(format!("{}: {error}", path.display())))?;
        }
        let end = Instant::now() + LAST_WORD;
        while self.served && !self.view.has_told_end() && Instant::now() < end {
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}
