//! Tollgate's task runner, `cargo xtask <command>`: the one door to tests, checks and benchmarks.
#![expect(clippy::print_stdout, reason = "a task runner talks to the terminal")]
#![expect(clippy::print_stderr, reason = "a task runner talks to the terminal")]

mod ci;
mod fuzz;
mod mutants;
mod needs;
mod prepare;
mod python;
mod stopwatch;
mod suite;
mod table;
mod task;
mod tidy;
mod tools;
mod workspace;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};

/// Tollgate's tests, checks and benchmarks.
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Install what is missing on a bare Debian machine, then run every test
    Test(suite::Options),
    /// Everything a change must pass, step by step, with a table of durations
    Ci,
    /// The style guide as a program
    Tidy {
        /// Lower the records in xtask/measures.toml to what the code has reached
        #[arg(long)]
        update: bool,
    },
    /// The side-by-side benchmarks, in release
    Bench {
        /// Passed on to the benchmark program
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Break the code on purpose, one named mutant at a time: each must turn a test red
    Mutants {
        /// Only these mutants; all of them when none is named
        names: Vec<String>,
        /// Print the mutants and stop
        #[arg(long)]
        list: bool,
        /// Every mutant that cargo-mutants can think of; the rest of the line goes to it
        #[arg(long, conflicts_with = "list")]
        all: bool,
        /// For cargo-mutants: `cargo xtask mutants --all -- -p tollgate-core`
        #[arg(last = true, requires = "all")]
        args: Vec<String>,
    },
    /// The licences, names and sources of all dependencies, by cargo-deny
    Supply,
    /// The long tests, in release
    Soak,
    /// Run the fuzz targets for a while each
    Fuzz {
        /// Only this target; all of them when none is named
        target: Option<String>,
        /// How long each target runs
        #[arg(long, default_value_t = 30)]
        seconds: u32,
    },
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return explain(&error),
    };
    match run(args.command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        // The list of what failed is the last that this prints.
        Command::Test(options) => return suite::run(&options),
        Command::Ci => ci::run(),
        Command::Tidy { update: false } => tidy::check(),
        Command::Tidy { update: true } => tidy::update(),
        Command::Bench { args } => tools::bench(&args),
        Command::Mutants { list: true, .. } => mutants::list(),
        Command::Mutants { all: true, args, .. } => mutants::run_generated(&args),
        Command::Mutants { names, .. } => mutants::run(&names),
        Command::Supply => tools::supply(),
        Command::Soak => tools::soak(),
        Command::Fuzz { target, seconds } => fuzz::run(target.as_deref(), seconds),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// A command that does not exist is answered with the list of those that do.
fn explain(error: &clap::Error) -> ExitCode {
    eprint!("{}", error.render());
    if error.kind() == ErrorKind::InvalidSubcommand {
        eprint!("\n{}", Args::command().render_help());
    }
    if error.exit_code() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::{Args, Command};
    use clap::{CommandFactory as _, Parser as _};

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn arguments_after_two_dashes_go_to_cargo_test() {
        let args = Args::try_parse_from(["xtask", "test", "it", "--", "-p", "xtask"]).unwrap();
        let Command::Test(options) = args.command else { panic!("{args:?}") };
        let narrowing = options.narrowing();
        assert_eq!(narrowing.cargo(), ["-p", "xtask"]);
        assert_eq!(narrowing.names, ["it"]);
    }

    #[test]
    fn busy_is_a_switch_with_a_choice() {
        let busy = |words: &[&str]| {
            let words = ["xtask", "test"].iter().chain(words);
            Args::try_parse_from(words).map(|args| match args.command {
                Command::Test(options) => format!("{:?} {}", options.busy, options.fast),
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(busy(&[]).unwrap(), "None false");
        assert_eq!(busy(&["--busy", "--fast"]).unwrap(), "Some(All) true");
        assert_eq!(busy(&["--busy=real"]).unwrap(), "Some(Real) false");
        assert!(busy(&["--busy=none"]).is_err());
    }

    #[test]
    fn bench_takes_flags_of_its_own() {
        let args = Args::try_parse_from(["xtask", "bench", "--keys", "1000"]).unwrap();
        assert!(matches!(args.command, Command::Bench { args } if args == ["--keys", "1000"]));
    }

    #[test]
    fn no_command_and_a_wrong_command_are_refused() {
        assert!(Args::try_parse_from(["xtask"]).is_err());
        assert!(Args::try_parse_from(["xtask", "tset"]).is_err());
    }
}
