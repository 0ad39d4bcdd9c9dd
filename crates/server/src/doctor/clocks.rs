//! Other clocks against this machine's.

use tollgate_core::Micros;
use tollgate_redis::Offset;

/// Clocks may be so far apart before it is told.
const APART_MAX: Micros = Micros::from_secs(1);

pub(super) const REMEDY: &str = "set the clocks of both machines by NTP";

/// How far apart, if too far; otherwise a word on how near.
pub(super) fn apart(offset: Offset) -> Result<String, String> {
    let (by, direction) = match offset {
        Offset::Ahead(by) => (by, "ahead of"),
        Offset::Behind(by) => (by, "behind"),
        _ => return Ok("its clock cannot be compared".to_owned()),
    };
    if by > APART_MAX {
        let seconds = by.get() / 1_000_000;
        return Err(format!("its clock is {seconds} s {direction} this machine's"));
    }
    Ok("its clock agrees with this machine's".to_owned())
}
