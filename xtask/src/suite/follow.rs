//! A program that is read line by line while it runs, and that cannot run for ever.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;

use super::group_guard::GroupGuard;
use crate::stopwatch::Stopwatch;
use crate::task::Task;

/// Longest silence before we look whether the program has ended.
const TICK: Duration = Duration::from_millis(20);

/// Longest silence of a program that has ended, if a process outside its group holds the output open.
const SILENCE_MAX: Duration = Duration::from_secs(5);

/// Lines read ahead of the one being shown.
const LINES_MAX: usize = 1024;

/// How a program came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Exited(ExitStatus),
    /// It was killed, with its whole process group, after this time.
    Killed(Duration),
}

impl Ending {
    pub(crate) fn success(self) -> bool {
        matches!(self, Self::Exited(status) if status.success())
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(out, "{status}"),
            Self::Killed(after) => write!(out, "killed after {} s", after.as_secs()),
        }
    }
}

/// Runs a program in a process group of its own and hands over each line of its standard output. The program is
/// killed at the deadline, and also when this process ends first.
pub(crate) fn follow(
    task: &Task,
    deadline: Duration,
    mut each: impl FnMut(&str),
) -> anyhow::Result<Ending> {
    let mut command = task.command();
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child =
        command.process_group(0).spawn().with_context(|| format!("could not start `{task}`"))?;
    let mut guard = GroupGuard::new(child.id()).context("starting `sh`")?;
    let lines = child.stdout.take().map(lines).context("no output")?;
    let watch = Stopwatch::start();
    let ending = loop {
        match lines.recv_timeout(TICK) {
            Ok(line) => each(&line),
            Err(RecvTimeoutError::Timeout) => (),
            // The program has closed its output and will end soon.
            Err(RecvTimeoutError::Disconnected) => thread::park_timeout(TICK),
        }
        if let Some(status) = child.try_wait()? {
            break Ending::Exited(status);
        }
        if watch.elapsed() >= deadline {
            guard.kill();
            child.wait()?;
            break Ending::Killed(deadline);
        }
    };
    // Processes that the program has left behind would hold its output open.
    guard.kill();
    while let Ok(line) = lines.recv_timeout(SILENCE_MAX) {
        each(&line);
    }
    Ok(ending)
}

fn lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = sync_channel(LINES_MAX);
    thread::spawn(move || read(output, &sender));
    receiver
}

/// Ends with the output, or when the lines are wanted no more.
fn read(output: impl Read, sender: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
        if sender.send(text).is_err() {
            return;
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Ending, Task, follow};

    /// Far beyond what any of these scripts needs.
    const LONG: Duration = Duration::from_secs(300);

    fn script(text: &str, deadline: Duration) -> (Vec<String>, Ending) {
        let mut lines = Vec::new();
        let task = Task::new("sh").args(["-c", text]);
        let ending = follow(&task, deadline, |line| lines.push(line.to_owned())).unwrap();
        (lines, ending)
    }

    #[test]
    fn every_line_is_handed_over_and_the_last_needs_no_end() {
        let (lines, ending) = script("echo one; echo; printf three; exit 3", LONG);
        assert_eq!(lines, ["one", "", "three"]);
        assert!(!ending.success());
        assert_eq!(ending.to_string(), "exit status: 3");
    }

    #[test]
    fn what_hangs_is_killed_with_its_children() {
        let (lines, ending) = script("echo one; sleep 600 & sleep 600", Duration::from_millis(50));
        assert!(lines.len() <= 1, "{lines:?}");
        assert_eq!(ending, Ending::Killed(Duration::from_millis(50)));
    }

    #[test]
    fn what_a_program_leaves_behind_does_not_hold_up_its_end() {
        let (lines, ending) = script("sleep 600 & echo one", LONG);
        assert_eq!(lines, ["one"]);
        assert!(ending.success());
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = follow(&Task::new("no-such-program"), LONG, |_| ()).unwrap_err();
        assert!(error.to_string().contains("`no-such-program`"), "{error}");
    }
}
