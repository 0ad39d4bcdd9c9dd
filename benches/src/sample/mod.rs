//! Taking the time.

mod one_thread;
mod pieces;
mod two_threads;

pub(crate) use one_thread::one_thread;
pub(crate) use two_threads::two_threads;
