//! What `cargo xtask test` was asked to run.

use clap::{Args, ValueEnum};

use super::target::Reach;

/// The benchmarks are measured, not tested.
const EVERY_PACKAGE: [&str; 3] = ["--workspace", "--exclude", "tollgate-benches"];

/// Options of cargo whose value may be the next word, so that this word is not taken for a test's name.
const WITH_VALUE: &[&str] = &[
    "-p",
    "--package",
    "--exclude",
    "--test",
    "--bin",
    "--example",
    "--bench",
    "-F",
    "--features",
    "-j",
    "--jobs",
    "--profile",
    "--target",
    "--target-dir",
    "--manifest-path",
    "--lockfile-path",
    "--color",
    "--config",
    "-Z",
];

const PACKAGE_OPTIONS: &[&str] = &["-p", "--package", "--workspace", "--all"];

const TARGET_OPTIONS: &[&str] = &[
    "--lib",
    "--bin",
    "--bins",
    "--test",
    "--tests",
    "--example",
    "--examples",
    "--bench",
    "--benches",
    "--all-targets",
];

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Options {
    /// Only tests whose name contains one of these
    names: Vec<String>,
    /// Install nothing and start no outside program: leaves out the tests below a module `real`, and doctests
    #[arg(long)]
    pub(crate) fast: bool,
    /// Keep every core busy beside the tests, or only beside those with outside programs
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all"
    )]
    pub(crate) busy: Option<Busy>,
    /// Passed on to `cargo test`, and after another `--` to the test binaries
    #[arg(last = true)]
    args: Vec<String>,
}

/// Which tests run beside busy cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Busy {
    /// All tests
    All,
    /// Tests that start outside programs
    Real,
}

/// The words that narrow a run, by the program that reads them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Narrowing {
    /// Options of `cargo test`, without names of tests.
    cargo: Vec<String>,
    /// Parts of tests' names.
    pub(crate) names: Vec<String>,
    /// Options of libtest.
    pub(crate) libtest: Vec<String>,
}

impl Options {
    /// What the tests may start.
    pub(crate) const fn reach(&self) -> Reach {
        if self.fast { Reach::NoOutsidePrograms } else { Reach::Everything }
    }

    pub(crate) fn narrowing(&self) -> Narrowing {
        let mut words = self.args.iter();
        let mut cargo = Vec::new();
        let mut names = self.names.clone();
        let mut is_value = false;
        for word in words.by_ref().take_while(|word| *word != "--") {
            let list = if is_value || word.starts_with('-') { &mut cargo } else { &mut names };
            list.push(word.clone());
            is_value = !is_value && WITH_VALUE.contains(&word.as_str());
        }
        Narrowing { cargo, names, libtest: words.cloned().collect() }
    }
}

impl Narrowing {
    /// For `cargo test`: the packages and targets, and how to build them.
    pub(crate) fn cargo(&self) -> Vec<String> {
        let every = EVERY_PACKAGE.iter().map(|&word| word.to_owned());
        let packages = every.filter(|_| !self.has_any(PACKAGE_OPTIONS));
        packages.chain(self.cargo.iter().cloned()).collect()
    }

    /// For the run of tests that are given by their exact names already.
    pub(crate) fn libtest_without_exact(&self) -> impl Iterator<Item = String> {
        let options = self.libtest.iter().filter(|word| *word != "--exact");
        options.cloned()
    }

    /// Whether all there is was asked for.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether `--lib` or the like was given, which cargo does not combine with `--doc`.
    pub(crate) fn has_targets(&self) -> bool {
        self.has_any(TARGET_OPTIONS)
    }

    fn has_any(&self, options: &[&str]) -> bool {
        let is_option = |word: &String| options.iter().any(|option| is(word, option));
        self.cargo.iter().any(is_option)
    }
}

/// Whether a word is this option, with or without its value: `-p`, `-pxtask`, `--package=xtask`.
fn is(word: &str, option: &str) -> bool {
    match word.strip_prefix(option) {
        Some("") => true,
        Some(rest) => !option.starts_with("--") || rest.starts_with('='),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Narrowing, Options};

    fn narrowing(names: &[&str], args: &[&str]) -> Narrowing {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let options = Options { names: owned(names), args: owned(args), ..Options::default() };
        options.narrowing()
    }

    #[test]
    fn without_arguments_every_package_but_the_benchmarks_is_tested() {
        let all = narrowing(&[], &[]);
        assert!(all.is_none());
        assert_eq!(all.cargo(), ["--workspace", "--exclude", "tollgate-benches"]);
    }

    #[test]
    fn a_package_narrows() {
        for args in [&["-p", "xtask"][..], &["--package=xtask"], &["-pxtask"]] {
            let one = narrowing(&[], args);
            assert!(!one.is_none());
            assert_eq!(one.cargo(), args);
            assert!(one.names.is_empty(), "{one:?}");
        }
    }

    #[test]
    fn words_without_dashes_are_names_of_tests() {
        let some = narrowing(&["first"], &["-p", "xtask", "second", "--lib"]);
        assert_eq!(some.names, ["first", "second"]);
        assert_eq!(some.cargo(), ["-p", "xtask", "--lib"]);
        assert!(some.has_targets());
    }

    #[test]
    fn what_follows_another_two_dashes_is_for_the_test_binaries() {
        let some = narrowing(&[], &["-p", "xtask", "--", "--ignored", "soak"]);
        assert_eq!(some.cargo(), ["-p", "xtask"]);
        assert_eq!(some.libtest, ["--ignored", "soak"]);
        assert!(!some.has_targets());
    }
}
