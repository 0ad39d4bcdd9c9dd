//! The data folder.

use std::{
    fs::{File, TryLockError},
    path::Path,
};

use rustix::fs::statvfs;

use super::{Diagnosis, Grade, ports::Here};
use crate::{
    config::folder,
    data::{DataError, LOCK},
};

const ABOUT: &str = "data";

const MIB: u64 = 1 << 20;
/// Less room than this and the next save of the counters may fail.
const ROOM_MIN: u64 = 16 * MIB;
/// Less than this and somebody should look.
const ROOM_FEW: u64 = 256 * MIB;

pub(super) fn look(path: &Path, here: Here) -> Vec<Diagnosis> {
    let shown = path.display();
    if let Err(why) = folder(path) {
        let remedy = "make it writable for this user, or name another with --data DIR";
        return vec![Diagnosis::problem(ABOUT, format!("{shown} {why}"), remedy)];
    }
    if here == Here::Nobody && is_held(path) {
        let error = DataError::Taken { path: path.to_owned() };
        return vec![Diagnosis::told(ABOUT, Grade::Problem, error.to_string())];
    }
    vec![room(path)]
}

/// Whether a server has it. The lock is shared for a moment, and not asked for while one answers at the ports.
pub(super) fn is_held(path: &Path) -> bool {
    let Ok(file) = File::open(path.join(LOCK)) else {
        return false;
    };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn room(path: &Path) -> Diagnosis {
    let shown = path.display();
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = whole.ancestors().find(|folder| folder.is_dir());
    let about = there.and_then(|there| statvfs(there).ok());
    let Some(about) = about else {
        return Diagnosis::fine(ABOUT, format!("{shown} can be written"));
    };
    let free = about.f_bavail.saturating_mul(about.f_frsize);
    let state = if path.is_dir() { "can be written" } else { "can be made" };
    let text = format!("{shown} {state}, {} MiB are free", free / MIB);
    let remedy = "make room, or name a folder on another disk with --data DIR";
    match free {
        0..ROOM_MIN => Diagnosis::problem(ABOUT, text, remedy),
        ROOM_MIN..ROOM_FEW => Diagnosis::warning(ABOUT, text, remedy),
        _ => Diagnosis::fine(ABOUT, text),
    }
}
