//! `cargo xtask mutants`: breaks a copy of the code and shows that each break turns a test red.

mod catalogue;
mod commands;
mod patch;
mod report;
mod tree;
mod trial;

pub(crate) use commands::{list, run};
