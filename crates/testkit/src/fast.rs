//! What a fast run leaves out: programs from outside, and most rounds of random tests.

use std::env;

/// Set by `cargo xtask test --fast`.
pub(crate) const FAST: &str = "TOLLGATE_TEST_FAST";

/// A fast run makes one of so many rounds.
const SHARE: u32 = 8;

/// How often a long test repeats itself: `full` times, and an eighth of that in a fast run. The seeds are the
/// same, so a fast run makes the first of the rounds of a full one.
///
/// ```
/// use tollgate_testkit::rounds;
///
/// // One eighth if `cargo xtask test --fast` runs it.
/// assert!([1_000, 125].contains(&rounds(1_000)));
/// assert_eq!(rounds(1), 1);
/// ```
pub fn rounds(full: u32) -> u32 {
    match is_fast() {
        true => full.div_ceil(SHARE),
        false => full,
    }
}

/// Keeps the module names honest by which a fast run chooses its tests.
pub(crate) fn refuse_when_fast(name: &str) {
    assert!(
        !is_fast(),
        "this test starts {name}: move it under a module named `real` (see CONTRIBUTING.md)"
    );
}

fn is_fast() -> bool {
    env::var_os(FAST).is_some()
}
