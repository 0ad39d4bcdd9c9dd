//! Side-by-side benchmarks: Tollgate, its peers and the floor in one run. See BENCHMARKING.md.
#![expect(clippy::print_stdout, reason = "the tables are the product")]
#![expect(clippy::print_stderr, reason = "tells what is going on while it takes minutes")]
#![expect(clippy::disallowed_methods, reason = "measures with the machine's own clock")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up should stop")]
#![expect(
    clippy::indexing_slicing,
    reason = "the floor is an array access, and a wrong index should stop"
)]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "measurements are rounded anyway"
)]

mod bytes;
mod checks;
mod client;
mod depth;
mod identity;
mod instructions;
mod machine;
mod redis;
mod report;
mod rules;
mod sample;
mod servers;
mod subject;
mod subjects;
mod workload;

use clap::{Parser, Subcommand};

use checks::Plan;
use depth::Depth;
use report::Report;
use subjects::Kind;

/// Tollgate beside its peers: time, memory and instructions per check.
#[derive(Debug, Parser)]
#[command(name = "bench", bin_name = "cargo xtask bench")]
struct Args {
    /// What to measure; everything when nothing is named
    #[command(subcommand)]
    command: Option<Command>,
    /// A short look whether everything runs; the numbers are worth little
    #[arg(long, global = true)]
    quick: bool,
    /// JSON instead of tables
    #[arg(long, global = true)]
    json: bool,
    /// Time checks with these numbers of keys only
    #[arg(long = "keys", global = true, value_delimiter = ',')]
    sizes: Vec<usize>,
    /// Time checks of these subjects only
    #[arg(long = "only", global = true, value_delimiter = ',')]
    kinds: Vec<Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
enum Command {
    /// Time per in-process check
    Memory,
    /// Resident bytes per key
    Bytes,
    /// Instructions per check, if valgrind is installed
    Instructions,
    /// Looking up, compiling, overriding and propagating rules
    Rules,
    /// Servers over loopback
    Servers,
    /// Counters shared through Redis, and leases on them
    Redis,
    /// Leases alone
    Leases,
    /// API keys and tokens: over HTTP, in memory, and until a revocation is enforced
    Identity,
    /// What limits cost the program they are put into: layers, calls, a server that is gone
    Client,
    /// What `servers` starts to be compared with
    #[command(hide = true)]
    Fixed { kind: servers::FixedKind, address: std::net::SocketAddr },
    /// What `bytes` starts for each subject
    #[command(hide = true)]
    Grow { kind: Kind, keys: usize },
    /// What `rules` starts for its overrides
    #[command(hide = true)]
    GrowOverrides { count: usize },
    /// What `identity` starts for its keys
    #[command(hide = true)]
    GrowKeys { count: usize },
    /// What `rules` starts for its snapshots
    #[command(hide = true)]
    GrowSnapshots { rules: usize },
    /// What `instructions` starts for each subject
    #[command(hide = true)]
    Count {
        kind: Kind,
        keys: usize,
        /// Several, to have something to profile
        #[arg(default_value_t = 1)]
        passes: usize,
    },
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    match args.command {
        Some(Command::Grow { kind, keys }) => bytes::child(kind, keys),
        Some(Command::Fixed { kind, address }) => servers::serve_fixed(kind, address),
        Some(Command::GrowOverrides { count }) => rules::overrides_child(count),
        Some(Command::GrowKeys { count }) => identity::keys_child(count),
        Some(Command::GrowSnapshots { rules }) => rules::snapshots_child(rules),
        Some(Command::Count { kind, keys, passes }) => {
            instructions::child(kind, keys, passes);
            Ok(())
        }
        _ => measure(&args),
    }
}

fn measure(args: &Args) -> anyhow::Result<()> {
    let depth = if args.quick { Depth::Quick } else { Depth::Full };
    let is_asked = |command| args.command.is_none_or(|asked| asked == command);
    let mut report = Report::new(depth);
    if is_asked(Command::Memory) {
        report.add(&checks::run(&plan(args, depth)));
    }
    if is_asked(Command::Bytes) {
        report.add(&bytes::run(depth)?);
    }
    if is_asked(Command::Instructions) {
        report.add(&instructions::run(depth)?);
    }
    if is_asked(Command::Rules) {
        report.add(&rules::run(depth)?);
    }
    if is_asked(Command::Servers) {
        report.add(&servers::run(depth)?);
    }
    if is_asked(Command::Redis) {
        report.add(&redis::run(depth)?);
    }
    if is_asked(Command::Redis) || is_asked(Command::Leases) {
        report.add(&redis::run_leases(depth)?);
    }
    if is_asked(Command::Identity) {
        report.add(&identity::run(depth)?);
    }
    if is_asked(Command::Client) {
        report.add(&client::run(depth)?);
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        println!("{report}");
    }
    Ok(())
}

fn plan(args: &Args, depth: Depth) -> Plan {
    let mut plan = Plan::of(depth);
    if !args.sizes.is_empty() {
        plan.sizes.clone_from(&args.sizes);
    }
    if !args.kinds.is_empty() {
        plan.kinds.clone_from(&args.kinds);
    }
    plan
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Args;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }
}
