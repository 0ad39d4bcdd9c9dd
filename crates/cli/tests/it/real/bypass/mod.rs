//! Every spelling of a path that a real server takes for it is counted there, or refused.

mod evasion;
mod servers;
mod spellings;
mod visitor;
