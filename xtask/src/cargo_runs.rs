//! The commands that are one line of cargo: `bench` and `soak`.

use crate::needs;
use crate::prepare;
use crate::task::Task;

pub(crate) fn bench(args: &[String]) -> anyhow::Result<()> {
    prepare::ensure(needs::FOR_BENCHMARKS)?;
    // The server that is measured lies beside the benchmark.
    Task::cargo(["build", "--profile", "dist", "--package", "tollgate-cli"]).run()?;
    Task::cargo([
        "run",
        "--profile",
        "dist",
        "--package",
        "tollgate-benches",
        "--",
    ])
    .args(args.iter().cloned())
    .run()
}

/// The ignored tests whose name contains `soak`: too long for the normal run.
pub(crate) fn soak() -> anyhow::Result<()> {
    println!("Running the ignored tests named `soak`, in release; each prints what it compares.");
    Task::cargo([
        "test",
        "--release",
        "--workspace",
        "--exclude",
        "tollgate-benches",
    ])
    .args(["--", "--ignored", "soak", "--nocapture"])
    .run()
}
