//! Several things at a time, in a fixed number of lanes.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does the work of each item, so many at a time, in their order. The results are in that order, too.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    lanes: NonZeroUsize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let lane = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else {
                return;
            };
            let result = work(item);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((place, result));
        }
    };
    thread::scope(|scope| {
        for _ in 0..lanes.get().min(items.len()) {
            scope.spawn(lane);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::each;
    use std::num::NonZeroUsize;
    use std::sync::Barrier;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        for lanes in [1, 3, 200] {
            let lanes = NonZeroUsize::new(lanes).unwrap();
            let doubled = each(&items, lanes, |item| item * 2);
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lanes_work_at_the_same_time() {
        let barrier = Barrier::new(2);
        // It would wait for ever for the other one.
        let two = NonZeroUsize::new(2).unwrap();
        assert_eq!(each(&[1, 2], two, |item| (barrier.wait(), *item).1), [1, 2]);
    }
}
