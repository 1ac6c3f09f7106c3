//! Simulated ends of processes that write real files: every operation is a numbered point at which
//! a fault may happen. Two processes can take turns, and a machine can lose its power.

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
    /// The process ends after this many bytes of a write, or before any other operation.
    Crash(usize),
    /// The disk has room for this many bytes more until a file is opened again.
    Full(usize),
    /// A signal interrupts the call.
    Interrupted,
    /// The other process runs until its own such fault or its end.
    Switch,
}

/// The bytes of each file by its name.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// A machine with one folder of files and two processes.
pub(super) struct Machine {
    folder: Scratch,
    state: Mutex<State>,
    turned: Condvar,
}

#[derive(Default)]
struct State {
    /// The names of inodes that a loss of power leaves.
    durable_names: BTreeMap<String, u64>,
    /// The bytes of each inode that it leaves.
    synced: BTreeMap<u64, Vec<u8>>,
    processes: [Process; 2],
    /// The process that runs, where both do.
    turn: usize,
}

#[derive(Default)]
struct Process {
    /// The operations so far, each with the bytes of a write.
    log: Vec<(&'static str, usize)>,
    fault: Option<(usize, Fault)>,
    /// True while it runs beside the other.
    running: bool,
    /// Bytes until the disk is full.
    room: Option<usize>,
}

thread_local! {
    /// The machine and the number of the process that this thread is.
    static CURRENT: RefCell<Option<(Arc<Machine>, usize)>> = const { RefCell::new(None) };
}

/// Does or refuses an operation of a simulated process. Returns how many of its bytes it may write.
pub(in crate::files) fn simulated(operation: &'static str, bytes: usize) -> io::Result<usize> {
    CURRENT.with_borrow(|current| match current {
        Some((machine, process)) => machine.operate(*process, operation, bytes),
        None => Ok(bytes),
    })
}

/// Notes that a loss of power leaves a file, or the names in a folder, as they are.
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

    /// The files by their names.
    fn names(&self) -> io::Result<BTreeMap<String, u64>> {
        let name = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.ino()))
        };
        fs::read_dir(&*self.folder)?.map(name).collect()
    }

    fn sync(&self, inode: u64) -> io::Result<()> {
        let (mut state, names) = (self.state.lock().unwrap(), self.names()?);
        match names.iter().find(|(_, other)| **other == inode) {
            Some((name, _)) => drop(state.synced.insert(inode, fs::read(self.path(name))?)),
            None => state.durable_names = names,
        }
        Ok(())
    }

    /// Writes a file as an earlier process did.
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

    /// Runs a process with a fault at one of its points, counted from 0.
    pub(super) fn run<T>(self: &Arc<Machine>, fault: Option<(usize, Fault)>, work: impl FnOnce() -> T) -> T {
        self.begin(0, fault);
        self.work(0, work)
    }

    fn begin(&self, process: usize, fault: Option<(usize, Fault)>) {
        self.state.lock().unwrap().processes[process] = Process { fault, ..Process::default() };
    }

    fn work<T>(self: &Arc<Machine>, process: usize, work: impl FnOnce() -> T) -> T {
        CURRENT.set(Some((Arc::clone(self), process)));
        let done = work();
        CURRENT.set(None);
        done
    }

    /// The operations of a process, each with the bytes of a write.
    pub(super) fn log(&self, process: usize) -> Vec<(&'static str, usize)> {
        self.state.lock().unwrap().processes[process].log.clone()
    }

    /// The files that a loss of power may leave: with the last names or the durable ones, and with
    /// each number of the bytes that no sync had written.
    pub(super) fn after_power_losses(&self) -> Vec<Files> {
        let (state, now) = (self.state.lock().unwrap(), self.names().unwrap());
        let mut losses = Vec::new();
        for names in [&now, &state.durable_names] {
            // Each file with its durable bytes and its last ones.
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
                        // Truncated since: either happened.
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

    /// Runs two processes, the first first; each gives the turn to the other at its point. Returns
    /// what they did.
    pub(super) fn run_both<T: Send>(
        self: &Arc<Machine>,
        points: [usize; 2],
        first: impl FnOnce() -> T + Send,
        second: impl FnOnce() -> T + Send,
    ) -> [T; 2] {
        for (process, point) in points.into_iter().enumerate() {
            self.begin(process, Some((point, Fault::Switch)));
            self.state.lock().unwrap().processes[process].running = true;
        }
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let _turn = Turn(self, 1);
                drop(self.until_turn(self.state.lock().unwrap(), 1));
                self.work(1, second)
            });
            let first = {
                let _turn = Turn(self, 0);
                self.work(0, first)
            };
            [first, second.join().unwrap()]
        })
    }

    fn until_turn<'a>(&self, state: MutexGuard<'a, State>, process: usize) -> MutexGuard<'a, State> {
        self.turned.wait_while(state, |state| state.turn != process).unwrap()
    }

    /// Counts an operation, at which the process may meet its fault.
    fn operate(&self, process: usize, operation: &'static str, bytes: usize) -> io::Result<usize> {
        let crashed = || Err(io::Error::other("the process has ended"));
        let mut state = self.state.lock().unwrap();
        let other_runs = state.processes[1 - process].running;
        let own = &mut state.processes[process];
        let number = own.log.len();
        let is_dead = matches!(own.fault, Some((point, Fault::Crash(_))) if point < number);
        if is_dead {
            return crashed();
        }
        own.log.push((operation, bytes));
        if operation == "open" {
            own.room = None;
        }
        let fault = own.fault.filter(|&(point, _)| point == number).map(|(_, fault)| fault);
        match fault {
            Some(Fault::Crash(0)) => return crashed(),
            Some(Fault::Crash(most)) => return Ok(most),
            Some(Fault::Full(_)) if operation != "write" => return Err(ErrorKind::StorageFull.into()),
            Some(Fault::Full(room)) => own.room = Some(room),
            Some(Fault::Interrupted) => return Err(ErrorKind::Interrupted.into()),
            Some(Fault::Switch) | None => {}
        }
        if other_runs && (fault == Some(Fault::Switch) || operation == "wait") {
            state.turn = 1 - process;
            self.turned.notify_all();
            state = self.until_turn(state, process);
        }
        match &mut state.processes[process].room {
            Some(0) if bytes > 0 => Err(ErrorKind::StorageFull.into()),
            Some(room) => {
                let done = bytes.min(*room);
                *room -= done;
                Ok(done)
            }
            None => Ok(bytes),
        }
    }
}

/// Gives the turn to the other process when this one ends, even by a panic.
struct Turn<'a>(&'a Machine, usize);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let Turn(machine, process) = *self;
        let mut state = machine.state.lock().unwrap();
        state.processes[process].running = false;
        state.turn = 1 - process;
        machine.turned.notify_all();
    }
}
