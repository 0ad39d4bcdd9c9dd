//! `cargo xtask test`: every test there is, on a machine that may have nothing installed.

use crate::prepare;
use crate::task::Task;

/// Commands that must also succeed, each a `cargo` line: the examples, for instance.
const EXTRA: &[&[&str]] = &[];

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    prepare::ensure(prepare::FOR_TESTS)?;
    Task::cargo(["test", "--workspace", "--exclude", "tollgate-benches"])
        .args(args.iter().cloned())
        .run()?;
    for &extra in EXTRA {
        Task::cargo(extra.iter().copied()).run()?;
    }
    Ok(())
}
