//! What somebody wrote: rules as YAML or JSON.

mod format;

pub use format::{FormatError, format};
