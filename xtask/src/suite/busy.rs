//! Work for every core beside the tests: what passes only on an idle machine fails here.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// One spinning thread per core until this is dropped. The threads belong to this process, so they end with it
/// however it ends.
#[derive(Debug)]
pub(crate) struct BusyCores {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl BusyCores {
    pub(crate) fn start() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let stop = Arc::new(AtomicBool::new(false));
        let spinning = |_| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || spin(&stop))
        };
        Self { threads: (0..cores).map(spinning).collect(), stop }
    }

    pub(crate) fn count(&self) -> usize {
        self.threads.len()
    }
}

impl Drop for BusyCores {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A spinning thread has nothing to panic about, and nothing is lost if it did.
            drop(thread.join());
        }
    }
}

/// Plain arithmetic: a pause instruction would leave the core to others.
fn spin(stop: &AtomicBool) {
    let mut sum = 0_u64;
    while !stop.load(Ordering::Relaxed) {
        for number in 0..10_000_u64 {
            sum = black_box(sum.wrapping_add(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BusyCores;
    use std::sync::{Arc, Weak};
    use std::thread;

    #[test]
    fn there_is_a_thread_per_core_and_none_is_left_behind() {
        let busy = BusyCores::start();
        let cores = thread::available_parallelism().unwrap().get();
        assert_eq!(busy.count(), cores);
        let stop: Weak<_> = Arc::downgrade(&busy.stop);
        drop(busy);
        assert_eq!(stop.strong_count(), 0, "every thread has ended");
    }
}
