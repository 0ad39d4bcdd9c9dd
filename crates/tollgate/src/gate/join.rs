//! Waiting for several things at once.

use std::{
    fmt,
    future::Future,
    mem,
    pin::Pin,
    task::{Context, Poll},
};

/// Several things that are waited for.
///
/// ```
/// use std::{future::ready, pin::pin, task::{Context, Poll, Waker}};
/// use tollgate::{JoinAll, join_all};
///
/// let all: JoinAll<_> = join_all([ready(1), ready(2)]);
/// let polled = pin!(all).poll(&mut Context::from_waker(Waker::noop()));
/// assert_eq!(polled, Poll::Ready(vec![1, 2]));
/// ```
#[doc(hidden)]
pub struct JoinAll<F: Future> {
    all: Vec<Awaited<F>>,
}

impl<F: Future> fmt::Debug for JoinAll<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JoinAll({})", self.all.len())
    }
}

enum Awaited<F: Future> {
    Running(Pin<Box<F>>),
    Done(F::Output),
}

/// Waits for all of them at once and gives what came of each, in their order. They are begun in that order,
/// too. The caller bounds their number.
///
/// ```
/// use std::{future::ready, pin::pin, task::{Context, Poll, Waker}};
/// use tollgate::{JoinAll, join_all};
///
/// let all: JoinAll<_> = join_all([ready(1), ready(2)]);
/// let polled = pin!(all).poll(&mut Context::from_waker(Waker::noop()));
/// assert_eq!(polled, Poll::Ready(vec![1, 2]));
/// ```
#[doc(hidden)]
pub fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> JoinAll<F> {
    let running = |future| Awaited::Running(Box::pin(future));
    let all = futures.into_iter().map(running).collect();
    JoinAll { all }
}

impl<F: Future> Future for JoinAll<F>
where
    F::Output: Unpin,
{
    type Output = Vec<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Vec<F::Output>> {
        let mut is_done = true;
        for awaited in &mut self.all {
            if let Awaited::Running(future) = awaited {
                match future.as_mut().poll(context) {
                    Poll::Ready(output) => *awaited = Awaited::Done(output),
                    Poll::Pending => is_done = false,
                }
            }
        }
        if !is_done {
            return Poll::Pending;
        }
        let done = mem::take(&mut self.all).into_iter();
        let outputs = done.filter_map(|awaited| match awaited {
            Awaited::Done(output) => Some(output),
            Awaited::Running(_) => None,
        });
        Poll::Ready(outputs.collect())
    }
}
