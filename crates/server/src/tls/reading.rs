//! Reads beside the workers, since a file may hang: on a mount whose server is gone, for one.

use std::time::Duration;

use tokio::{
    task::{JoinHandle, spawn_blocking},
    time::timeout,
};

/// One read at a time, that nobody waits for without end.
#[derive(Debug)]
pub(crate) struct Reading<T> {
    under_way: Option<JoinHandle<T>>,
    patience: Duration,
}

impl<T: Send + 'static> Reading<T> {
    /// None yet; each will be waited for so long.
    pub(crate) const fn new(patience: Duration) -> Self {
        Self {
            under_way: None,
            patience,
        }
    }

    /// What was read; none if it hangs. One that hangs is waited for once. After that it is only looked
    /// whether it has come back, and no other is started before, or they would pile up.
    pub(crate) async fn done(&mut self, read: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let patience = match &self.under_way {
            Some(_) => Duration::ZERO,
            None => self.patience,
        };
        let under_way = self.under_way.get_or_insert_with(|| spawn_blocking(read));
        let done = timeout(patience, under_way).await.ok()?;
        self.under_way = None;
        done.ok()
    }
}
