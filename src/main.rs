//! The program `quiver`: runs the command line, and turns errors into exit statuses.

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

/// Ends the program with a message if a sandbox refuses `poll` or `clock_gettime`. The standard
/// library would abort without a message if `poll` failed, and would panic without a clock.
#[cfg(target_os = "linux")]
extern "C" fn check_system_calls() {
    use rustix::time::{ClockId, DynamicClockId, clock_gettime_dynamic};
    use std::ffi::{c_int, c_ulong, c_void};

    unsafe extern "C" {
        fn poll(descriptors: *mut c_void, count: c_ulong, milliseconds: c_int) -> c_int;
    }
    // SAFETY: with a count of 0 descriptors, `poll` neither reads nor writes memory.
    let polled = match unsafe { poll(std::ptr::null_mut(), 0, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    };
    let now = clock_gettime_dynamic(DynamicClockId::Known(ClockId::Monotonic)).map(drop);
    if let Err(cause) = polled.and(now.map_err(io::Error::from)) {
        warn(format_args!("this system refuses poll or clock_gettime, which quiver needs: {cause}"));
        std::process::exit(1);
    }
}

// SAFETY: the C library calls `check_system_calls` before `main`, without arguments and without a
// result. Standard error, to which `warn` writes, is usable before `main`.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static SYSTEM_CALL_CHECK: extern "C" fn() = check_system_calls;

/// Prints an error, and returns the exit status: 0 for help and for a closed pipe, 1 for a failure,
/// 2 for bad input.
fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // The text is a usage error, help or the version. An error while printing it is ignored.
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
    // An I/O error without a file name as context comes from standard output.
    let is_output_error = error.chain().len() == 1 && io.is_some();
    ExitCode::from(if is_output_error || error.is::<Failed>() { 1 } else { 2 })
}
