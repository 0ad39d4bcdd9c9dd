//! Who decides: a limiter or a gate in this process, or a server.

mod embed;
mod gate;
mod limiter;
mod question;
pub(crate) mod sealed;

pub use embed::Embed;
pub use question::{Decide, Decided, Question, Step};
