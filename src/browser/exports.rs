//! The functions that the WebAssembly module imports and exports. The README lists them.
//!
//! The module has one thread. The caller writes a question into a buffer that [`reserve`]
//! allocates, and gets answers through the imported function `answer`.

use std::cell::RefCell;

use quiver_engine::StopHandle;

use super::{Analyst, Question};

#[link(wasm_import_module = "quiver")]
// SAFETY: `answer` takes the address and the length of a text, and returns a number.
// The embedder reads the bytes of the text only during the call, and keeps no pointer.
unsafe extern "C" {
    safe fn answer(text: *const u8, length: usize) -> i32;
}

thread_local! {
    static ANALYST: RefCell<Analyst> = RefCell::default();
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The signal that ends a search. It is outside `ANALYST`, which a running search borrows, so
    /// that the embedder can call `stop` during the search.
    static STOP: StopHandle = StopHandle::default();
}

#[unsafe(no_mangle)]
extern "C" fn reserve(length: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(length, 0);
        question.as_mut_ptr()
    })
}

#[unsafe(no_mangle)]
extern "C" fn stop() {
    STOP.with(StopHandle::stop);
}

#[unsafe(no_mangle)]
extern "C" fn catalogue() {
    ask(Question::Catalogue);
}

#[unsafe(no_mangle)]
extern "C" fn game() {
    ask(Question::Game);
}

#[unsafe(no_mangle)]
extern "C" fn save() {
    ask(Question::Save);
}

#[unsafe(no_mangle)]
extern "C" fn review() {
    ask(Question::Review);
}

#[unsafe(export_name = "move")]
extern "C" fn choose_move() {
    ask(Question::Move);
}

#[unsafe(no_mangle)]
extern "C" fn analyze() {
    ask(Question::Analyze);
}

fn ask(question: Question) {
    let text = QUESTION.take();
    let stop = STOP.with(Clone::clone);
    stop.reset();
    ANALYST.with_borrow_mut(|analyst| {
        analyst.answer(question, &text, &stop, &mut |text| answer(text.as_ptr(), text.len()) != 0);
    });
}
