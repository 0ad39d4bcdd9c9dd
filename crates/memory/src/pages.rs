//! Large pages for large tables: the only file with `unsafe`.
//!
//! A check touches one line anywhere in the table. With pages of 4 kB a table of some megabytes has more
//! of them than the processor keeps translations for, and looking one up costs more than the check, the
//! more so in a virtual machine. Many systems give large pages only to those who ask for them.

use crate::sync::AtomicU64;

/// From this size on large pages are asked for. They are committed two megabytes at a time, so a smaller
/// table would pay for what it does not use.
const BYTES_MIN: usize = 16 << 20;

/// Asks for large pages. Where there are none, nothing is lost but speed.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the request is a system call on a range of addresses")]
pub(crate) fn ask_for_large(cells: &mut [AtomicU64]) {
    use rustix::mm::{Advice, madvise};

    const PAGE_BYTES: usize = 4_096;
    let first = cells.as_ptr().addr().next_multiple_of(PAGE_BYTES) - cells.as_ptr().addr();
    let bytes = size_of_val(cells);
    if bytes < BYTES_MIN {
        return;
    }
    let range = cells.as_mut_ptr().wrapping_byte_add(first).cast();
    // SAFETY: the range lies within `cells`, which nobody else uses meanwhile, and this advice changes
    // neither what the memory holds nor who may use it.
    let advised = unsafe { madvise(range, bytes - first, Advice::LinuxHugepage) };
    // A kernel without large pages says no, and that is fine.
    advised.unwrap_or_default();
}

/// Asks for large pages. Here there is nobody to ask.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for_large(_cells: &mut [AtomicU64]) {}
