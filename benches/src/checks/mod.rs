//! In-process checks: time per check over numbers of keys, skews and threads.

mod grid;
mod plan;
mod run;

pub(crate) use grid::{Cell, Grid, Threads};
pub(crate) use plan::Plan;
pub(crate) use run::run;
