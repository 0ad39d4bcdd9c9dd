//! What a connection needs of a protocol.

use std::future::Future;

/// An answer is not begun while this much waits to be written: a client that does not read cannot
/// make us remember more.
pub(crate) const OUTPUT_BYTES_HIGH: usize = 256 * 1024;

/// One side of one conversation: bytes in, bytes out, no socket and no clock.
pub(crate) trait Session: Send {
    /// Answers what is complete at the start of `input`, appending to `output`. Stops early once `output`
    /// holds [`OUTPUT_BYTES_HIGH`] bytes. Ready at once, unless counters that a fleet shares are asked.
    fn advance(&mut self, input: &[u8], output: &mut Vec<u8>) -> impl Future<Output = Step> + Send;

    /// Whether somebody waits for us: no request is begun, none half read.
    fn is_idle(&self) -> bool;

    /// From now on every answer says that it is the last, and the next one is.
    fn wind_down(&mut self);

    /// The bytes of memory that it has for what has arrived of a request.
    fn input_bytes(&self) -> usize;

    /// Gives that memory back; no request is begun.
    fn release_input(&mut self);

    /// Tells a client that there is no room for the rest of its request, where the protocol has words for it.
    fn no_room(&mut self, output: &mut Vec<u8>);

    /// Tells a client that took too long, where the protocol has words for it.
    fn too_slow(&mut self, output: &mut Vec<u8>);
}

/// What became of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// So many bytes are done with.
    pub(crate) taken: usize,
    /// So many requests were answered.
    pub(crate) answered: u64,
    /// How it goes on.
    pub(crate) then: Then,
}

impl Step {
    pub(crate) const fn new(taken: usize, answered: u64, then: Then) -> Self {
        Self {
            taken,
            answered,
            then,
        }
    }
}

/// How a conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// With more bytes from the client.
    Read,
    /// With what is left of the input, once the output is written.
    Again,
    /// Not at all, once the output is written.
    Close,
}
