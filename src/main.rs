//! The program `quiver`: runs the command line, and turns an error into a message and an exit
//! status.

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use quiver::commands::{self, Failed};
use quiver::messages::{printable, warn};

fn main() -> ExitCode {
    match commands::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

/// Prints an error, and returns the exit status: 0 for help and for a closed pipe, 1 for a failure,
/// 2 for bad input.
fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // Help and the version are results. An error while printing them cannot be reported.
        let text = printable(&usage.render().to_string());
        let stream: &mut dyn io::Write =
            if usage.use_stderr() { &mut io::stderr() } else { &mut io::stdout() };
        let _ = stream.write_all(text.as_bytes());
        return ExitCode::from(if usage.use_stderr() { 2 } else { 0 });
    }
    let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    if io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    warn(format_args!("{}", commands::message(error)));
    // An input error without context is an error of standard output: errors of files name the file.
    let is_output_error = error.chain().len() == 1 && io.is_some();
    ExitCode::from(if is_output_error || error.is::<Failed>() { 1 } else { 2 })
}
