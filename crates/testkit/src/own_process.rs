//! Runs one test of the current binary in a process of its own: for tests about the memory, the threads, the
//! panic hook or the death of a whole process, which would otherwise see their neighbours.

use std::{env, process::Command};

/// Set in the process that [`ran_alone`] starts.
const ALONE: &str = "TOLLGATE_TEST_ALONE";

/// A command that runs only this test of the current binary, also if it is ignored. `module` is the caller's
/// `module_path!()`.
pub fn one_test(module: &str, test: &str) -> Command {
    let path = match module.split_once("::") {
        Some((_, inside)) => format!("{inside}::{test}"),
        None => test.to_owned(),
    };
    let mut command = Command::new(env::current_exe().expect("a running test has a file"));
    command.args(["--exact", &path, "--include-ignored"]);
    command
}

/// Runs the calling test again, alone in another process, and returns true when it passed there; returns false
/// in that process. So a test starts with `if ran_alone(module_path!(), "its_name") { return; }`.
///
/// # Panics
///
/// If the test fails in that process, or is not found there.
#[expect(clippy::print_stdout, reason = "the output of the test")]
pub fn ran_alone(module: &str, test: &str) -> bool {
    if env::var_os(ALONE).is_some() {
        return false;
    }
    let ended = one_test(module, test)
        .arg("--nocapture")
        .env(ALONE, "1")
        .output()
        .expect("the binary of this test can be started");
    let out = String::from_utf8_lossy(&ended.stdout);
    println!("{out}{}", String::from_utf8_lossy(&ended.stderr));
    assert!(
        ended.status.success() && out.contains("test result: ok. 1 passed"),
        "{module}::{test} in a process of its own: {}",
        ended.status
    );
    true
}
