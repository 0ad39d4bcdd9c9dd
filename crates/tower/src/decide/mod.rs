//! Who decides: a limiter or a gate in this process, or a server.

pub(crate) mod question;

pub use question::{Decide, Decided, Embed, Question, Step};
