//! A program run to its end, or to a deadline.

use std::{
    fs::File,
    io::{Read as _, Seek as _, Write as _},
    process::{Command, Output, Stdio},
    time::Duration,
};

use crate::deadline::poll;

/// For what is done in milliseconds.
pub(crate) const SHORT: Duration = Duration::from_secs(60);
/// For what copies or makes whole databases, on a machine with other work.
pub(super) const LONG: Duration = Duration::from_secs(120);

/// The program did not end, and was killed.
#[derive(Debug)]
pub(super) struct Overdue;

/// Files take what is read and written, so that no pipe can fill up and block.
pub(super) fn run(
    command: &mut Command,
    input: Option<&[u8]>,
    deadline: Duration,
) -> Result<Output, Overdue> {
    let (stdout, stderr) = (file(), file());
    command
        .stdin(input.map_or_else(Stdio::null, |input| containing(input).into()))
        .stdout(again(&stdout))
        .stderr(again(&stderr));
    let mut child =
        command.spawn().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    let ended = poll(deadline, || child.try_wait().expect("our own child"));
    let Some(status) = ended else {
        child.kill().expect("our own child");
        child.wait().expect("our own child");
        return Err(Overdue);
    };
    Ok(Output { status, stdout: contents(stdout), stderr: contents(stderr) })
}

fn file() -> File {
    tempfile::tempfile().expect("room for temporary files")
}

fn again(file: &File) -> Stdio {
    file.try_clone().expect("a file can be shared").into()
}

fn containing(bytes: &[u8]) -> File {
    let mut file = file();
    file.write_all(bytes).expect("room for temporary files");
    file.rewind().expect("files have a start");
    file
}

fn contents(mut file: File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.rewind().expect("files have a start");
    file.read_to_end(&mut bytes).expect("our own file");
    bytes
}

#[cfg(test)]
mod tests {
    use std::{process::Command, time::Duration};

    use super::{SHORT, run};

    #[test]
    fn input_arrives_and_output_returns() {
        let mut command = Command::new("sh");
        command.args(["-c", "cat; echo two >&2; exit 3"]);
        let output = run(&mut command, Some(b"one"), SHORT).unwrap();
        assert_eq!(output.stdout, b"one");
        assert_eq!(output.stderr, b"two\n");
        assert_eq!(output.status.code(), Some(3));
    }

    #[test]
    fn what_does_not_end_is_killed() {
        let mut command = Command::new("sleep");
        assert!(run(command.arg("600"), None, Duration::from_millis(50)).is_err());
    }
}
