//! A run of the tests, phase by phase. Nothing that fails keeps the rest from running.

use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::bail;

use super::build::{self, Built};
use super::busy::BusyCores;
use super::lanes;
use super::options::{Busy, Narrowing, Options};
use super::report::{Failure, Report};
use super::target::{Target, is_real};
use super::{doctests, examples, test_run};
use crate::needs;
use crate::prepare;
use crate::python;

/// A program that runs for longer hangs: it is killed, and its tests that have not ended have failed.
const DEADLINE: Duration = Duration::from_secs(20 * 60);

/// Tests that start outside programs mostly wait for them, so more of them run at a time than there are cores.
const REAL_TESTS_PER_CORE: usize = 2;

/// The two kinds of tests, which run one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// They need nothing outside the repository.
    Plain,
    /// They start outside programs.
    Real,
}

/// A test binary and some of its tests.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Chosen {
    target: Target,
    names: Vec<String>,
}

#[derive(Debug)]
struct Session<'a> {
    options: &'a Options,
    narrowing: Narrowing,
    report: Report,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut session =
        Session { options, narrowing: options.narrowing(), report: Report::default() };
    session.perform()?;
    print!("{}", session.report.render());
    Ok(if session.report.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Session<'_> {
    fn perform(&mut self) -> anyhow::Result<()> {
        if !self.options.fast {
            self.report.phase("installation", |_| install())?;
        }
        let narrowing = &self.narrowing;
        let built = self.report.phase("build", |_| build::build(narrowing))?;
        let chosen = chosen(&built, narrowing)?;
        self.tests(Part::Plain, &chosen);
        self.tests(Part::Real, &chosen);
        let _busy = self.busy(Part::Plain);
        self.doctests(&built)?;
        self.examples(&built)?;
        if self.report.is_empty() {
            bail!("no test has such a name: {}", self.narrowing.names.join(", "));
        }
        Ok(())
    }

    fn tests(&mut self, part: Part, chosen: &[Chosen]) {
        let chosen: Vec<Chosen> = chosen.iter().filter_map(|it| it.part(part)).collect();
        let count: usize = chosen.iter().map(|it| it.names.len()).sum();
        if count == 0 {
            return;
        }
        if part == Part::Real && self.options.fast {
            println!("\nleft out: {count} tests that start outside programs");
            return;
        }
        let _busy = self.busy(part);
        let chosen = self.in_order(chosen);
        let (options, narrowing, lanes) = (self.options, &self.narrowing, self.lanes());
        self.report.phase(part.name(), |report| {
            println!("tests: {count}");
            let runs = lanes::each(&chosen, lanes, |Chosen { target, names }| {
                let reach = options.reach();
                let task = target.tests(names, reach).args(part.threads(narrowing));
                let task = task.args(narrowing.libtest_without_exact());
                let run = test_run::run(&task, names, DEADLINE, |text| println!("{text}"));
                run.inspect(|run| println!("{}: {}", target.label(), run.line()))
            });
            for (Chosen { target, .. }, run) in chosen.iter().zip(runs) {
                match run {
                    Ok(run) => report.add_test_run(target, &run),
                    Err(error) => report.add_failure(Failure {
                        what: format!("{}: {error:#}", target.label()),
                        again: target.again(),
                    }),
                }
            }
        });
    }

    /// How many binaries run at a time. What is fast runs beside each other, since many tests wait; else one runs after the
    /// other, and what fails is easy to read.
    fn lanes(&self) -> NonZeroUsize {
        if !self.options.fast {
            return NonZeroUsize::MIN;
        }
        let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        cores.saturating_add(1)
    }

    /// Beside each other, those with the most tests begin.
    fn in_order(&self, mut chosen: Vec<Chosen>) -> Vec<Chosen> {
        if self.options.fast {
            chosen.sort_by_key(|it| Reverse(it.names.len()));
        }
        chosen
    }

    fn doctests(&mut self, built: &Built) -> anyhow::Result<()> {
        let narrowing = &self.narrowing;
        if narrowing.has_targets() || !built.has_library() {
            return Ok(());
        }
        if self.options.fast {
            println!("\nleft out: doctests, which are compiled each time");
            return Ok(());
        }
        let reach = self.options.reach();
        let work = |report: &mut Report| doctests::run(narrowing, reach, DEADLINE, report);
        self.report.phase("doctests", work)
    }

    fn examples(&mut self, built: &Built) -> anyhow::Result<()> {
        if !self.narrowing.is_none() {
            return Ok(());
        }
        let work = |report: &mut Report| examples::run(&built.examples, DEADLINE, report);
        self.report.phase("examples", work)
    }

    /// Work for all cores until the end of the part, if that was asked for.
    fn busy(&self, part: Part) -> Option<BusyCores> {
        let is_busy = match self.options.busy {
            None => false,
            Some(Busy::All) => true,
            Some(Busy::Real) => part == Part::Real,
        };
        let busy = is_busy.then(BusyCores::start)?;
        println!("\nbusy beside the tests: {} threads", busy.count());
        Some(busy)
    }
}

fn install() -> anyhow::Result<()> {
    println!("installing what the tests start, as far as it is missing");
    prepare::ensure(needs::FOR_TESTS)?;
    python::ensure(python::FOR_TESTS)
}

/// Asks each binary for those of its tests that were asked for.
fn chosen(built: &Built, narrowing: &Narrowing) -> anyhow::Result<Vec<Chosen>> {
    let mut chosen = Vec::new();
    for target in &built.tests {
        let task = target.list().args(narrowing.names.iter().cloned());
        let task = task.args(narrowing.libtest.iter().cloned());
        let captured = task.capture()?;
        if !captured.success() {
            bail!("`{task}` failed: {}", captured.stderr);
        }
        chosen.push(Chosen { target: target.clone(), names: names(&captured.stdout) });
    }
    Ok(chosen)
}

/// The tests in libtest's list, which has a line `a::b: test` for each.
fn names(list: &str) -> Vec<String> {
    let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
    names.map(ToOwned::to_owned).collect()
}

impl Chosen {
    /// The tests of this part, if there are any.
    fn part(&self, part: Part) -> Option<Self> {
        let is_part = |name: &&String| is_real(name) == (part == Part::Real);
        let names: Vec<String> = self.names.iter().filter(is_part).cloned().collect();
        let target = self.target.clone();
        (!names.is_empty()).then_some(Self { target, names })
    }
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Plain => "unit and integration tests",
            Self::Real => "tests with real servers",
        }
    }

    /// How many tests run at a time, if that is not the number of cores or what was asked for.
    fn threads(self, narrowing: &Narrowing) -> Vec<String> {
        let is_given = narrowing.libtest.iter().any(|word| word.starts_with("--test-threads"));
        if self == Self::Plain || is_given {
            return Vec::new();
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        vec![format!("--test-threads={}", REAL_TESTS_PER_CORE * cores)]
    }
}

#[cfg(test)]
mod tests {
    use super::{Chosen, Part, names};
    use crate::suite::options::{Busy, Narrowing, Options};
    use crate::suite::report::Report;
    use crate::suite::target::{Kind, Target};

    #[test]
    fn libtest_lists_tests_by_name() {
        let list = "a::b: test\nreal::c: test\nspeed: benchmark\n\n2 tests, 1 benchmark\n";
        assert_eq!(names(list), ["a::b", "real::c"]);
    }

    #[test]
    fn every_test_belongs_to_one_part() {
        let chosen = Chosen {
            target: Target {
                package: "p".to_owned(),
                version: "0.1.0".to_owned(),
                kind: Kind::Lib,
                folder: "/p".into(),
                executable: "/p/lib".into(),
            },
            names: vec!["a::b".to_owned(), "real::c".to_owned()],
        };
        assert_eq!(chosen.part(Part::Plain).unwrap().names, ["a::b"]);
        let real = chosen.part(Part::Real).unwrap();
        assert_eq!(real.names, ["real::c"]);
        assert_eq!(real.part(Part::Plain), None);
    }

    #[test]
    fn only_tests_that_wait_outnumber_the_cores() {
        let usual = Narrowing::default();
        assert!(Part::Plain.threads(&usual).is_empty());
        assert_eq!(Part::Real.threads(&usual).len(), 1);
        let mut given = Narrowing::default();
        given.libtest.push("--test-threads=1".to_owned());
        assert!(Part::Real.threads(&given).is_empty());
    }

    #[test]
    fn cores_are_busy_only_beside_the_tests_that_were_named() {
        let is_busy = |busy, part| {
            let mut options = Options::default();
            options.busy = busy;
            let session = super::Session {
                options: &options,
                narrowing: Narrowing::default(),
                report: Report::default(),
            };
            session.busy(part).is_some()
        };
        assert!(!is_busy(None, Part::Real));
        assert!(is_busy(Some(Busy::Real), Part::Real));
        assert!(!is_busy(Some(Busy::Real), Part::Plain));
        assert!(is_busy(Some(Busy::All), Part::Plain));
    }
}
