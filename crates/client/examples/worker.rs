//! A worker in the background: its jobs weigh differently and share one limit with whoever else does such jobs. It
//! waits where it has to, and goes on by itself while the server is gone.
//!
//! `tollgate serve --rules rules.yaml` with a rule for `/jobs`, then `cargo run --package tollgate-client --example worker`

use std::{error::Error, io::Write as _, time::Duration};

use tokio::time::sleep;
use tollgate_client::{Check, Client};

/// Something to do, and what it takes of the limit: rows, pages, tokens of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) name: &'static str,
    pub(crate) weight: u64,
}

/// However long it takes until there is enough: a limit may be raised meanwhile, so it is worth asking again.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Does one job after the other.
pub(crate) async fn work(
    client: &Client,
    jobs: &[Job],
    mut run: impl FnMut(Job),
) -> Result<(), Box<dyn Error>> {
    for job in jobs {
        turn(client, *job).await?;
        run(*job);
    }
    Ok(())
}

/// Waits until it is this job's turn.
async fn turn(client: &Client, job: Job) -> Result<(), Box<dyn Error>> {
    let check = Check::new().user("worker").endpoint("/jobs");
    let check = check.cost(job.weight);
    loop {
        // An error means that the question is wrong. A server that is slow or gone is none: the last limits that it
        // told are enforced here, and their waits are answered like its own.
        let answer = client.check(&check).await?;
        if answer.is_allowed() {
            // Leaky buckets admit at once and tell when; for all others this is nothing.
            sleep(answer.delay()).await;
            return Ok(());
        }
        let Some(wait) = answer.retry_after() else {
            let Job { name, weight } = job;
            let limit = answer.limit().unwrap_or_default();
            return Err(
                format!("{name} weighs {weight}, the limit never holds more than {limit}").into()
            );
        };
        sleep(wait.min(WAIT_MAX)).await;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::new("http://127.0.0.1:7070")?;
    let job = |name, weight| Job { name, weight };
    let jobs = [job("thumbnail", 1), job("report", 5), job("export", 10)];
    let mut out = std::io::stdout();
    let run = |job: Job| {
        // Nobody may be listening any more.
        writeln!(out, "{}, which weighs {}", job.name, job.weight).ok();
    };
    work(&client, &jobs.repeat(3), run).await
}
