//! A limit: how much of what period, counted how.

mod explain;
mod lease;
mod line;
mod nearest;
mod parse;
mod scripts;
mod set;
mod share;
mod sharing;
mod value;

pub use lease::NoLease;
pub use line::LimitLine;
pub(crate) use nearest::nearest;
pub(crate) use parse::meant_limit;
pub use set::LimitSet;
pub use sharing::Sharing;
pub use value::Limit;
