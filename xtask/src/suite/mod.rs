//! `cargo xtask test`: every test there is, on a machine that may have nothing installed.

mod build;
mod busy;
mod doctests;
mod event;
mod examples;
mod follow;
mod group_guard;
mod lanes;
mod options;
mod report;
mod session;
mod target;
mod test_run;

pub(crate) use options::Options;
pub(crate) use session::run;
