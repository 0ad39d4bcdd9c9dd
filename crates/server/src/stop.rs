//! The word to stop.

use tokio::sync::watch;

/// Hears the word to stop. Copies hear it too.
#[derive(Clone, Debug)]
pub(crate) struct Stop(watch::Receiver<bool>);

/// Gives the word to stop.
#[derive(Debug)]
pub(crate) struct Stopper(watch::Sender<bool>);

impl Stop {
    pub(crate) fn channel() -> (Stopper, Self) {
        let (stopper, stop) = watch::channel(false);
        (Stopper(stopper), Self(stop))
    }

    /// Whether the word was given.
    pub(crate) fn is_given(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns once the word was given, or nobody is left to give it.
    pub(crate) async fn heard(&mut self) {
        drop(self.0.wait_for(|stop| *stop).await);
    }
}

impl Stopper {
    pub(crate) fn stop(&self) {
        self.0.send_replace(true);
    }
}
