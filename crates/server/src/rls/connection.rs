//! What the calls of one connection share.

use std::sync::{Arc, Mutex, PoisonError};

use super::taking::Taking;
use crate::listen::{InputClaim, NoRoom};

/// One connection: whether its answers are taken, and what its calls hold before they have arrived whole.
pub(super) struct Connection {
    pub(super) taking: Arc<Taking>,
    pub(super) input: ConnectionInput,
}

/// What the calls of one connection hold together before they have arrived whole.
#[derive(Clone)]
pub(super) struct ConnectionInput(Arc<Mutex<Held>>);

struct Held {
    bytes: usize,
    claim: InputClaim,
}

/// What one call holds; given back when this is dropped.
pub(super) struct CallInput {
    connection: ConnectionInput,
    head_bytes: usize,
    bytes: usize,
}

impl ConnectionInput {
    pub(super) fn new(claim: InputClaim) -> Self {
        Self(Arc::new(Mutex::new(Held { bytes: 0, claim })))
    }

    /// A call with a head of this length, of which nothing is claimed yet.
    pub(super) fn begin(&self, head_bytes: usize) -> CallInput {
        CallInput {
            connection: self.clone(),
            head_bytes,
            bytes: 0,
        }
    }

    fn change(&self, before: usize, after: usize) -> Result<(), NoRoom> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = held.bytes.saturating_sub(before).saturating_add(after);
        held.claim.resize(bytes)?;
        held.bytes = bytes;
        Ok(())
    }
}

impl CallInput {
    /// Holds so many bytes of a message, besides its head.
    pub(super) fn grow(&mut self, message_bytes: usize) -> Result<(), NoRoom> {
        let bytes = self.head_bytes.saturating_add(message_bytes);
        self.connection.change(self.bytes, bytes)?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for CallInput {
    fn drop(&mut self) {
        // Less always has room.
        drop(self.connection.change(self.bytes, 0));
    }
}
