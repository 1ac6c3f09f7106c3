//! Simulates faults in processes that write real files. The disk operations of a process are
//! numbered from 0, and a test chooses the operation at which a fault happens.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use crate::scratch::Scratch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process crashes during the operation, after it has written this many bytes.
    Crash(usize),
    /// The disk has space for only this many more bytes until the process next opens a file.
    Full(usize),
    Interrupted,
    /// This process pauses. The other process runs until it reaches a `Switch` or a wait, or ends.
    Switch,
}

pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// A simulated machine with one folder of files and two processes.
pub(super) struct Machine {
    folder: Scratch,
    state: Mutex<State>,
    turned: Condvar,
}

#[derive(Default)]
struct State {
    /// The file names that survive a loss of power, each with the inode of its file.
    durable_names: BTreeMap<String, u64>,
    /// For each inode, the bytes that survive a loss of power.
    synced: BTreeMap<u64, Vec<u8>>,
    processes: [Process; 2],
    /// The process whose turn it is, if two processes run.
    turn: usize,
}

#[derive(Default)]
struct Process {
    /// The name of each operation so far, and the number of bytes that it should write.
    log: Vec<(&'static str, usize)>,
    fault: Option<(usize, Fault)>,
    /// True from the start of [`Machine::run_both`] to the end of this process.
    alternates: bool,
    /// The number of bytes until the disk is full; `None` if it does not become full.
    bytes_until_full: Option<usize>,
}

thread_local! {
    /// The machine and the number (0 or 1) of the process that this thread simulates.
    static CURRENT: RefCell<Option<(Arc<Machine>, usize)>> = const { RefCell::new(None) };
}

/// Counts an operation. Returns how many of its `bytes` it may write, or a simulated error.
pub(in crate::files) fn simulate_operation(operation: &'static str, bytes: usize) -> io::Result<usize> {
    CURRENT.with_borrow(|current| match current {
        Some((machine, process)) => machine.simulate_operation(*process, operation, bytes),
        None => Ok(bytes),
    })
}

/// Marks the bytes of a file, or the names in a folder, as surviving a loss of power.
pub(in crate::files) fn sync(file: &File) -> io::Result<()> {
    CURRENT.with_borrow(|current| match current {
        Some((machine, _)) => machine.sync(file.metadata()?.ino()),
        None => file.sync_all(),
    })
}

impl Machine {
    pub(super) fn new() -> Arc<Machine> {
        static NUMBERS: AtomicU32 = AtomicU32::new(0);
        let folder = Scratch::new(&format!("machine-{}", NUMBERS.fetch_add(1, Ordering::Relaxed)));
        Arc::new(Machine { folder, state: Mutex::default(), turned: Condvar::new() })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The inode of each file, by name.
    fn inodes_by_name(&self) -> io::Result<BTreeMap<String, u64>> {
        let name = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.ino()))
        };
        fs::read_dir(&*self.folder)?.map(name).collect()
    }

    fn sync(&self, inode: u64) -> io::Result<()> {
        let (mut state, names) = (self.state.lock().unwrap(), self.inodes_by_name()?);
        match names.iter().find(|(_, other)| **other == inode) {
            Some((name, _)) => drop(state.synced.insert(inode, fs::read(self.path(name))?)),
            None => state.durable_names = names,
        }
        Ok(())
    }

    /// Writes a file that survives a loss of power.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
        let mut state = self.state.lock().unwrap();
        let inode = fs::metadata(self.path(name)).unwrap().ino();
        state.durable_names.insert(name.to_owned(), inode);
        state.synced.insert(inode, bytes.to_vec());
    }

    pub(super) fn get(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(super) fn run<T>(self: &Arc<Machine>, fault: Option<(usize, Fault)>, work: impl FnOnce() -> T) -> T {
        self.reset_process(0, fault);
        self.run_as(0, work)
    }

    fn reset_process(&self, process: usize, fault: Option<(usize, Fault)>) {
        self.state.lock().unwrap().processes[process] = Process { fault, ..Process::default() };
    }

    fn run_as<T>(self: &Arc<Machine>, process: usize, work: impl FnOnce() -> T) -> T {
        CURRENT.set(Some((Arc::clone(self), process)));
        let done = work();
        CURRENT.set(None);
        done
    }

    pub(super) fn log(&self, process: usize) -> Vec<(&'static str, usize)> {
        self.state.lock().unwrap().processes[process].log.clone()
    }

    /// Returns every state of the folder that a loss of power can leave. The file names are the
    /// current or the synced names, and any number of the unsynced bytes may remain.
    pub(super) fn after_power_losses(&self) -> Vec<Files> {
        let (state, now) = (self.state.lock().unwrap(), self.inodes_by_name().unwrap());
        let mut losses = Vec::new();
        for names in [&now, &state.durable_names] {
            let file = |(name, inode): (&String, &u64)| {
                let synced = state.synced.get(inode).cloned().unwrap_or_default();
                let last = now.iter().find(|(_, other)| *other == inode);
                let last = last.map_or_else(|| synced.clone(), |(name, _)| self.get(name));
                (name.clone(), synced, last)
            };
            let files: Vec<_> = names.iter().map(file).collect();
            let new = |(_, synced, last): &(_, Vec<u8>, Vec<u8>)| last.len().saturating_sub(synced.len());
            for kept in 0..=files.iter().map(new).max().unwrap_or(0).max(1) {
                let left = |(name, synced, last): &(String, Vec<u8>, Vec<u8>)| {
                    let bytes = match last.strip_prefix(&synced[..]) {
                        Some(new) => &last[..synced.len() + kept.min(new.len())],
                        // The file was truncated after its last sync, so a loss of power leaves the
                        // synced or the current bytes.
                        None if kept > 0 => last,
                        None => synced,
                    };
                    (name.clone(), bytes.to_vec())
                };
                losses.push(files.iter().map(left).collect());
            }
        }
        losses
    }

    /// Runs two processes alternately, beginning with `first`. `pause_points` gives, for each
    /// process, the number of the operation before which it pauses and lets the other process run.
    /// Returns both results.
    pub(super) fn run_both<T: Send>(
        self: &Arc<Machine>,
        pause_points: [usize; 2],
        first: impl FnOnce() -> T + Send,
        second: impl FnOnce() -> T + Send,
    ) -> [T; 2] {
        for (process, point) in pause_points.into_iter().enumerate() {
            self.reset_process(process, Some((point, Fault::Switch)));
            self.state.lock().unwrap().processes[process].alternates = true;
        }
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let _turn = TurnGuard(self, 1);
                drop(self.wait_for_turn(self.state.lock().unwrap(), 1));
                self.run_as(1, second)
            });
            let first = {
                let _turn = TurnGuard(self, 0);
                self.run_as(0, first)
            };
            [first, second.join().unwrap()]
        })
    }

    fn wait_for_turn<'a>(&self, state: MutexGuard<'a, State>, process: usize) -> MutexGuard<'a, State> {
        self.turned.wait_while(state, |state| state.turn != process).unwrap()
    }

    fn simulate_operation(&self, process: usize, operation: &'static str, bytes: usize) -> io::Result<usize> {
        let crashed = || Err(io::Error::other("the process has ended"));
        let mut state = self.state.lock().unwrap();
        let other_alternates = state.processes[1 - process].alternates;
        let own = &mut state.processes[process];
        let number = own.log.len();
        let is_dead = matches!(own.fault, Some((point, Fault::Crash(_))) if point < number);
        if is_dead {
            return crashed();
        }
        own.log.push((operation, bytes));
        if operation == "open" {
            own.bytes_until_full = None;
        }
        let fault = own.fault.filter(|&(point, _)| point == number).map(|(_, fault)| fault);
        match fault {
            Some(Fault::Crash(0)) => return crashed(),
            Some(Fault::Crash(most)) => return Ok(most),
            Some(Fault::Full(_)) if operation != "write" => return Err(ErrorKind::StorageFull.into()),
            Some(Fault::Full(bytes)) => own.bytes_until_full = Some(bytes),
            Some(Fault::Interrupted) => return Err(ErrorKind::Interrupted.into()),
            Some(Fault::Switch) | None => {}
        }
        if other_alternates && (fault == Some(Fault::Switch) || operation == "wait") {
            state.turn = 1 - process;
            self.turned.notify_all();
            state = self.wait_for_turn(state, process);
        }
        match &mut state.processes[process].bytes_until_full {
            Some(0) if bytes > 0 => Err(ErrorKind::StorageFull.into()),
            Some(left) => {
                let done = bytes.min(*left);
                *left -= done;
                Ok(done)
            }
            None => Ok(bytes),
        }
    }
}

/// Passes the turn to the other process when this process ends, even by a panic.
struct TurnGuard<'a>(&'a Machine, usize);

impl Drop for TurnGuard<'_> {
    fn drop(&mut self) {
        let TurnGuard(machine, process) = *self;
        let mut state = machine.state.lock().unwrap();
        state.processes[process].alternates = false;
        state.turn = 1 - process;
        machine.turned.notify_all();
    }
}
