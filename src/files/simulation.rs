//! A simulated file system: every operation of its two processes is a numbered point at which a
//! fault may happen.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use super::disk::{Disk, DiskFile, Identity, Mode};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    CrashBefore,
    /// The process ends after this many bytes of a write, or after the operation.
    CrashAfter(usize),
    /// The disk has room for this many bytes more until a file is opened again.
    Full(usize),
    /// A signal interrupts the call.
    Interrupted,
    /// The other process runs until its own such fault or its end.
    Switch,
}

/// The state of all that survives a process.
#[derive(Debug, Default)]
struct State {
    files: Vec<Stored>,
    names: BTreeMap<PathBuf, usize>,
    /// The names that a loss of power leaves.
    durable_names: BTreeMap<PathBuf, usize>,
    processes: [Process; 2],
    /// The process that runs, where both do.
    turn: usize,
}

#[derive(Debug, Default)]
struct Stored {
    bytes: Vec<u8>,
    /// The bytes that a loss of power leaves.
    synced: Vec<u8>,
    lock: Option<(usize, usize)>,
}

#[derive(Debug, Default)]
struct Process {
    /// The operations so far, each with the bytes of a write.
    log: Vec<(&'static str, usize)>,
    fault: Option<(usize, Fault)>,
    dead: bool,
    /// True while it runs beside the other.
    running: bool,
    /// Bytes until the disk is full.
    room: Option<usize>,
}

/// A machine with one disk and two processes.
#[derive(Debug, Default)]
pub(super) struct Machine {
    state: Mutex<State>,
    turned: Condvar,
}

#[derive(Clone, Debug)]
pub(super) struct SimulatedDisk {
    machine: Arc<Machine>,
    process: usize,
}

thread_local! {
    static CURRENT: RefCell<Option<SimulatedDisk>> = const { RefCell::new(None) };
}

pub(super) fn current() -> Option<Arc<dyn Disk>> {
    CURRENT.with_borrow(|disk| Some(Arc::new(disk.clone()?) as Arc<dyn Disk>))
}

fn crashed() -> io::Error {
    io::Error::other("the process has ended")
}

impl Machine {
    /// Runs a process that writes to this machine's disk, with a fault at one of its points, counted
    /// from 0.
    pub(super) fn run<T>(self: &Arc<Machine>, fault: Option<(usize, Fault)>, work: impl FnOnce() -> T) -> T {
        self.begin(0, fault);
        self.work(0, work)
    }

    fn begin(&self, process: usize, fault: Option<(usize, Fault)>) {
        self.state.lock().unwrap().processes[process] = Process { fault, ..Process::default() };
    }

    fn work<T>(self: &Arc<Machine>, process: usize, work: impl FnOnce() -> T) -> T {
        CURRENT.set(Some(SimulatedDisk { machine: Arc::clone(self), process }));
        let done = work();
        CURRENT.set(None);
        done
    }

    /// The operations of a process, each with the bytes of a write.
    pub(super) fn log(&self, process: usize) -> Vec<(&'static str, usize)> {
        self.state.lock().unwrap().processes[process].log.clone()
    }

    /// Writes a file as an earlier process did.
    pub(super) fn put(&self, path: &Path, bytes: &[u8]) {
        let mut state = self.state.lock().unwrap();
        let inode = state.files.len();
        state.files.push(Stored { bytes: bytes.to_vec(), synced: bytes.to_vec(), lock: None });
        state.names.insert(path.into(), inode);
        state.durable_names.insert(path.into(), inode);
    }

    pub(super) fn get(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.state.lock().unwrap();
        Some(state.files[*state.names.get(path)?].bytes.clone())
    }

    /// The machine after a loss of power that left the last names if `names` says so, and `kept`
    /// bytes of what no sync had written; `None` if there are fewer.
    pub(super) fn after_power_loss(&self, names: bool, kept: usize) -> Option<Arc<Machine>> {
        let state = self.state.lock().unwrap();
        let mut most = 0;
        let left = |file: &Stored| {
            let bytes = match file.bytes.strip_prefix(&file.synced[..]) {
                Some(new) => {
                    most = most.max(new.len());
                    file.bytes[..file.synced.len() + kept.min(new.len())].to_vec()
                }
                // Truncated since: either happened.
                None if kept > 0 => file.bytes.clone(),
                None => file.synced.clone(),
            };
            most = most.max(usize::from(file.synced.len() > file.bytes.len()));
            Stored { synced: bytes.clone(), bytes, lock: None }
        };
        let files = state.files.iter().map(left).collect();
        let names = if names { state.names.clone() } else { state.durable_names.clone() };
        let state = State { files, durable_names: names.clone(), names, ..State::default() };
        (kept <= most).then(|| Arc::new(Machine { state: Mutex::new(state), turned: Condvar::new() }))
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

impl SimulatedDisk {
    /// Does an operation, at which the process may meet its fault. `act` gets the bytes of a write
    /// that are done.
    fn operate<T>(
        &self,
        operation: &'static str,
        bytes: usize,
        act: impl FnOnce(&mut State, usize) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.machine.state.lock().unwrap();
        let process = &mut state.processes[self.process];
        if process.dead {
            return Err(crashed());
        }
        process.log.push((operation, bytes));
        if operation == "open" {
            process.room = None;
        }
        let number = process.log.len() - 1;
        let fault = process.fault.filter(|&(point, _)| point == number).map(|(_, fault)| fault);
        let mut done = bytes;
        match fault {
            Some(Fault::CrashBefore) => {
                self.crash(&mut state);
                return Err(crashed());
            }
            Some(Fault::CrashAfter(most)) => done = done.min(most),
            Some(Fault::Full(_)) if operation != "write" => return Err(ErrorKind::StorageFull.into()),
            Some(Fault::Full(room)) => process.room = Some(room),
            Some(Fault::Interrupted) => return Err(ErrorKind::Interrupted.into()),
            Some(Fault::Switch) if state.processes[1 - self.process].running => state = self.switch(state),
            Some(Fault::Switch) | None => {}
        }
        if let Some(room) = &mut state.processes[self.process].room {
            if *room == 0 && bytes > 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            done = done.min(*room);
            *room -= done;
        }
        let result = act(&mut state, done);
        if matches!(fault, Some(Fault::CrashAfter(_))) {
            self.crash(&mut state);
            return Err(crashed());
        }
        result
    }

    /// Ends the process, and with it its locks.
    fn crash(&self, state: &mut State) {
        state.processes[self.process].dead = true;
        for file in &mut state.files {
            file.lock = file.lock.filter(|&(process, _)| process != self.process);
        }
    }

    fn switch<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.turn = 1 - self.process;
        self.machine.turned.notify_all();
        self.machine.until_turn(state, self.process)
    }
}

impl Disk for SimulatedDisk {
    fn open(&self, path: &Path, mode: Mode<'_>) -> io::Result<Box<dyn DiskFile>> {
        let new = matches!(mode, Mode::Append { new: true } | Mode::Part { .. });
        let (inode, handle) = self.operate("open", 0, |state, _| {
            let next = state.files.len();
            let inode = *state.names.entry(path.into()).or_insert(next);
            if inode == next {
                state.files.push(Stored::default());
            } else if new {
                return Err(ErrorKind::AlreadyExists.into());
            }
            Ok((inode, state.processes[self.process].log.len()))
        })?;
        Ok(Box::new(SimulatedFile { disk: self.clone(), inode, handle, read: 0 }))
    }

    fn identity(&self, path: &Path) -> io::Result<Identity> {
        self.operate("stat", 0, |state, _| Ok((0, *state.names.get(path).ok_or(ErrorKind::NotFound)? as u64)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.operate("rename", 0, |state, _| {
            let inode = state.names.remove(from).ok_or(ErrorKind::NotFound)?;
            state.names.insert(to.into(), inode);
            Ok(())
        })
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let remove =
            |state: &mut State, _| state.names.remove(path).map(drop).ok_or(ErrorKind::NotFound.into());
        self.operate("remove", 0, remove)
    }

    fn sync_folder(&self, _of: &Path) -> io::Result<()> {
        self.operate("sync folder", 0, |state, _| {
            state.durable_names = state.names.clone();
            Ok(())
        })
    }

    fn wait(&self, _time: Duration) {
        let state = self.machine.state.lock().unwrap();
        // A process that runs alone has none to wait for.
        if state.processes[1 - self.process].running {
            drop(self.switch(state));
        }
    }
}

#[derive(Debug)]
struct SimulatedFile {
    disk: SimulatedDisk,
    inode: usize,
    handle: usize,
    /// Bytes read so far.
    read: usize,
}

impl SimulatedFile {
    fn operate<T>(
        &self,
        operation: &'static str,
        bytes: usize,
        act: impl FnOnce(&mut Stored, usize) -> T,
    ) -> io::Result<T> {
        self.disk.operate(operation, bytes, |state, done| Ok(act(&mut state.files[self.inode], done)))
    }
}

impl Read for SimulatedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.operate("read", 0, |file, _| (&file.bytes[self.read..]).read(buffer))??;
        self.read += read;
        Ok(read)
    }
}

impl Write for SimulatedFile {
    /// Appends, as both kinds of file are written in order.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.operate("write", bytes.len(), |file, done| {
            file.bytes.extend(&bytes[..done]);
            done
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for SimulatedFile {
    fn identity(&self) -> io::Result<Identity> {
        Ok((0, self.inode as u64))
    }

    fn length(&self) -> io::Result<u64> {
        self.operate("length", 0, |file, _| file.bytes.len() as u64)
    }

    fn try_lock(&self) -> io::Result<bool> {
        let owner = (self.disk.process, self.handle);
        self.operate("lock", 0, |file, _| *file.lock.get_or_insert(owner) == owner)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.operate("truncate", 0, |file, _| file.bytes.truncate(length as usize))
    }

    fn sync(&self) -> io::Result<()> {
        self.operate("sync", 0, |file, _| file.synced = file.bytes.clone())
    }
}

impl Drop for SimulatedFile {
    fn drop(&mut self) {
        // The system closes the files of a process that has ended, too.
        let _ = self.operate("close", 0, |_, _| ());
        let lock = &mut self.disk.machine.state.lock().unwrap().files[self.inode].lock;
        *lock = lock.filter(|&owner| owner != (self.disk.process, self.handle));
    }
}
