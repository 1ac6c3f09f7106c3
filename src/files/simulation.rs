//! A simulated file system: every operation of its two processes is a numbered point at which a
//! fault may happen.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use super::disk::{Disk, DiskFile, Identity, Mode};

/// The fault at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process ends before the operation.
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
    /// By inode.
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
    /// Process and handle.
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

/// The disk as one of the processes sees it.
#[derive(Clone, Debug)]
pub(super) struct SimulatedDisk {
    machine: Arc<Machine>,
    process: usize,
}

fn crashed() -> io::Error {
    io::Error::other("the process has ended")
}

impl Machine {
    /// The disk of a process, with a fault at one of its points, counted from 0.
    pub(super) fn process(
        self: &Arc<Machine>,
        process: usize,
        fault: Option<(usize, Fault)>,
    ) -> Arc<dyn Disk> {
        self.state.lock().unwrap().processes[process] = Process { fault, ..Process::default() };
        Arc::new(SimulatedDisk { machine: Arc::clone(self), process })
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

    /// The bytes of a file.
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

    /// Runs both processes, the first first, in turns that their faults say. Returns what they did.
    pub(super) fn run_both<T: Send>(
        &self,
        first: impl FnOnce() -> T + Send,
        second: impl FnOnce() -> T + Send,
    ) -> [T; 2] {
        self.state.lock().unwrap().processes.iter_mut().for_each(|process| process.running = true);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let _turn = Turn(self, 1);
                drop(self.until_turn(self.state.lock().unwrap(), 1));
                second()
            });
            let first = {
                let _turn = Turn(self, 0);
                first()
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
    /// Counts an operation. Returns the state to do it on, and the bytes of a write that are done.
    fn point(&self, operation: &'static str, bytes: usize) -> io::Result<(MutexGuard<'_, State>, usize)> {
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
        let done = match process.fault.filter(|&(point, _)| point == number).map(|(_, fault)| fault) {
            Some(Fault::CrashBefore) => {
                self.crash(&mut state);
                return Err(crashed());
            }
            // The operation's end says so.
            Some(Fault::CrashAfter(done)) => done.min(bytes),
            Some(Fault::Full(room)) => {
                if operation != "write" {
                    return Err(ErrorKind::StorageFull.into());
                }
                process.room = Some(room);
                bytes
            }
            Some(Fault::Interrupted) => return Err(ErrorKind::Interrupted.into()),
            Some(Fault::Switch) if state.processes[1 - self.process].running => {
                state = self.switch(state);
                bytes
            }
            Some(Fault::Switch) | None => bytes,
        };
        let room = &mut state.processes[self.process].room;
        let done = match room {
            Some(0) if bytes > 0 => return Err(ErrorKind::StorageFull.into()),
            Some(room) => {
                let done = done.min(*room);
                *room -= done;
                done
            }
            None => done,
        };
        Ok((state, done))
    }

    /// Ends an operation, and the process if it was to crash after it.
    fn after<T>(&self, mut state: MutexGuard<'_, State>, result: T) -> io::Result<T> {
        let process = &state.processes[self.process];
        let number = process.log.len() - 1;
        if matches!(process.fault, Some((point, Fault::CrashAfter(_))) if point == number) {
            self.crash(&mut state);
            return Err(crashed());
        }
        Ok(result)
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
        let (mut state, _) = self.point("open", 0)?;
        let new = matches!(mode, Mode::Append { new: true } | Mode::Part { .. });
        let inode = match state.names.get(path) {
            Some(_) if new => return Err(ErrorKind::AlreadyExists.into()),
            Some(&inode) => inode,
            None => {
                let inode = state.files.len();
                state.files.push(Stored::default());
                state.names.insert(path.into(), inode);
                inode
            }
        };
        let handle = state.processes[self.process].log.len();
        self.after(state, ())?;
        Ok(Box::new(SimulatedFile { disk: self.clone(), inode, handle }))
    }

    fn identity(&self, path: &Path) -> io::Result<Identity> {
        let (state, _) = self.point("stat", 0)?;
        let inode = *state.names.get(path).ok_or(ErrorKind::NotFound)?;
        self.after(state, (0, inode as u64))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (mut state, _) = self.point("rename", 0)?;
        let inode = state.names.remove(from).ok_or(ErrorKind::NotFound)?;
        state.names.insert(to.into(), inode);
        self.after(state, ())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let (mut state, _) = self.point("remove", 0)?;
        let removed = state.names.remove(path).map(drop);
        self.after(state, ())?;
        removed.ok_or(ErrorKind::NotFound.into())
    }

    fn sync_folder(&self, _of: &Path) -> io::Result<()> {
        let (mut state, _) = self.point("sync folder", 0)?;
        state.durable_names = state.names.clone();
        self.after(state, ())
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
}

impl DiskFile for SimulatedFile {
    fn identity(&self) -> io::Result<Identity> {
        Ok((0, self.inode as u64))
    }

    fn length(&self) -> io::Result<u64> {
        let (state, _) = self.disk.point("length", 0)?;
        let length = state.files[self.inode].bytes.len() as u64;
        self.disk.after(state, length)
    }

    fn try_lock(&self) -> io::Result<bool> {
        let (mut state, _) = self.disk.point("lock", 0)?;
        let lock = &mut state.files[self.inode].lock;
        let free = lock.is_none();
        lock.get_or_insert((self.disk.process, self.handle));
        self.disk.after(state, free)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let (state, _) = self.disk.point("read", 0)?;
        let rest = state.files[self.inode].bytes.get(offset as usize..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.disk.after(state, length)
    }

    /// Appends, as both kinds of file are written in order.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (mut state, done) = self.disk.point("write", bytes.len())?;
        state.files[self.inode].bytes.extend(&bytes[..done]);
        self.disk.after(state, done)
    }

    fn seek(&mut self, _to: SeekFrom) -> io::Result<u64> {
        Err(ErrorKind::Unsupported.into())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let (mut state, _) = self.disk.point("truncate", 0)?;
        state.files[self.inode].bytes.truncate(length as usize);
        self.disk.after(state, ())
    }

    fn sync(&self) -> io::Result<()> {
        let (mut state, _) = self.disk.point("sync", 0)?;
        let file = &mut state.files[self.inode];
        file.synced = file.bytes.clone();
        self.disk.after(state, ())
    }
}

impl Drop for SimulatedFile {
    fn drop(&mut self) {
        let point = self.disk.point("close", 0);
        // The system closes the files of a process that has ended.
        let mut state = match point {
            Ok((state, _)) => state,
            Err(_) => self.disk.machine.state.lock().unwrap(),
        };
        let lock = &mut state.files[self.inode].lock;
        *lock = lock.filter(|&owner| owner != (self.disk.process, self.handle));
    }
}
