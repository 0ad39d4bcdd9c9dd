//! `cargo xtask test`: every test there is, on a machine that may have nothing installed.

use crate::needs;
use crate::prepare;
use crate::python;
use crate::task::Task;

/// Commands that must also succeed, each a `cargo` line: the examples, for instance.
const EXTRA: &[&[&str]] = &[
    &[
        "run",
        "--quiet",
        "--package",
        "tollgate",
        "--example",
        "quickstart",
    ],
    &[
        "run",
        "--quiet",
        "--package",
        "tollgate",
        "--example",
        "weighted_cost",
    ],
    &[
        "run",
        "--quiet",
        "--package",
        "tollgate",
        "--example",
        "own_store_async",
    ],
    &[
        "run",
        "--quiet",
        "--package",
        "tollgate",
        "--example",
        "leaky_shaping",
    ],
];

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    prepare::ensure(needs::FOR_TESTS)?;
    python::ensure(python::FOR_TESTS)?;
    Task::cargo(["test", "--workspace", "--exclude", "tollgate-benches"])
        .args(args.iter().cloned())
        .run()?;
    for &extra in EXTRA {
        Task::cargo(extra.iter().copied()).run()?;
    }
    Ok(())
}
