//! Simulated ends of processes that write real files: every operation is a numbered point at which
//! a fault may happen, or another process may run from its beginning to its end.

use std::cell::RefCell;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::scratch::Scratch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process ends after this many bytes of a write, or before any other operation.
    Crash(usize),
    /// The disk has room for this many bytes more until a file is opened again.
    Full(usize),
    /// A signal interrupts the call.
    Interrupted,
}

/// A machine with one folder of files. Its processes run on this thread.
pub(super) struct Machine {
    folder: Scratch,
    /// The process that runs, or the last one.
    process: RefCell<Process>,
}

#[derive(Default)]
struct Process {
    /// The operations so far, each with the bytes of a write.
    log: Vec<(&'static str, usize)>,
    fault: Option<(usize, Fault)>,
    /// Another process, and the point of this one at which it runs.
    other: Option<(usize, Box<dyn FnOnce()>)>,
    dead: bool,
    /// Bytes until the disk is full.
    room: Option<usize>,
}

thread_local! {
    /// The machine whose processes this thread runs.
    static CURRENT: RefCell<Option<Rc<Machine>>> = const { RefCell::new(None) };
}

/// Does or refuses an operation of a simulated process. Returns how many of its bytes it may write.
pub(super) fn simulated(operation: &'static str, bytes: usize) -> io::Result<usize> {
    match CURRENT.with_borrow(Clone::clone) {
        Some(machine) => machine.operate(operation, bytes),
        None => Ok(bytes),
    }
}

impl Machine {
    pub(super) fn new() -> Rc<Machine> {
        static NUMBERS: AtomicU32 = AtomicU32::new(0);
        let folder = Scratch::new(&format!("machine-{}", NUMBERS.fetch_add(1, Ordering::Relaxed)));
        Rc::new(Machine { folder, process: RefCell::default() })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file as an earlier process did.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(super) fn get(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Runs a process with a fault at one of its points, counted from 0.
    pub(super) fn run<T>(self: &Rc<Machine>, fault: Option<(usize, Fault)>, work: impl FnOnce() -> T) -> T {
        self.process.replace(Process { fault, ..Process::default() });
        CURRENT.set(Some(Rc::clone(self)));
        let done = work();
        CURRENT.set(None);
        done
    }

    /// Runs a process, and another from its beginning to its end at a point of the first.
    pub(super) fn run_both<T>(
        self: &Rc<Machine>,
        point: usize,
        other: impl FnOnce() + 'static,
        first: impl FnOnce() -> T,
    ) -> T {
        self.run(None, || {
            self.process.borrow_mut().other = Some((point, Box::new(other)));
            first()
        })
    }

    /// The operations of the last process, each with the bytes of a write.
    pub(super) fn log(&self) -> Vec<(&'static str, usize)> {
        self.process.borrow().log.clone()
    }

    /// Counts an operation, at which the process may meet its fault or another process.
    fn operate(&self, operation: &'static str, bytes: usize) -> io::Result<usize> {
        let mut own = self.process.borrow_mut();
        let number = own.log.len();
        own.log.push((operation, bytes));
        if let Some((_, other)) = own.other.take_if(|(point, _)| *point == number) {
            let waiting = std::mem::take(&mut *own);
            drop(own);
            other();
            own = self.process.borrow_mut();
            *own = waiting;
        }
        if operation == "open" {
            own.room = None;
        }
        match own.fault.filter(|&(point, _)| point == number).map(|(_, fault)| fault) {
            Some(Fault::Crash(most)) => {
                own.dead = true;
                if most > 0 {
                    return Ok(most);
                }
            }
            Some(Fault::Full(_)) if operation != "write" => return Err(ErrorKind::StorageFull.into()),
            Some(Fault::Full(room)) => own.room = Some(room),
            Some(Fault::Interrupted) => return Err(ErrorKind::Interrupted.into()),
            None => {}
        }
        let dead = own.dead;
        match &mut own.room {
            _ if dead => Err(io::Error::other("the process has ended")),
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
