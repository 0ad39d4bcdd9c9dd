//! The quick look at a path, which most requests pass: a block of bytes at once, without a branch.
//!
//! It knows letters, digits, `-`, `_`, `.` and slashes. Whatever else a normal path may hold, and
//! paths shorter than a block, are left to the thorough look.

/// How many bytes are looked at together.
const BLOCK: usize = 16;

/// Whether `text` is surely in normal form; `false` says nothing.
pub(super) fn is_normal(text: &str) -> bool {
    let text = text.as_bytes();
    let (Some((b'/', after)), Some((last, before))) = (text.split_first(), text.split_last())
    else {
        return false;
    };
    let (blocks_before, _) = before.as_chunks::<BLOCK>();
    let (blocks_after, _) = after.as_chunks::<BLOCK>();
    // What is left after the last full block is looked at together with bytes already seen.
    let (Some(end_before), Some(end_after)) = (before.last_chunk(), after.last_chunk()) else {
        return false;
    };
    let mut blocks = blocks_before.iter().zip(blocks_after);
    *last != b'/'
        && blocks.all(|(before, after)| is_fine(before, after))
        && is_fine(end_before, end_after)
}

/// Whether every byte of `after` is fine behind its neighbour in `before`. Written without branches,
/// so that each line becomes one instruction for the whole block.
fn is_fine(before: &[u8; BLOCK], after: &[u8; BLOCK]) -> bool {
    let mut is_fine = true;
    for (&before, &byte) in before.iter().zip(after) {
        let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        let is_digit_dash_dot_slash = byte.wrapping_sub(b'-') < 13;
        let is_dot_or_slash = byte & 0xfe == b'.';
        let begins_oddly = (before == b'/') & is_dot_or_slash;
        is_fine &= (is_letter | is_digit_dash_dot_slash | (byte == b'_')) & !begins_oddly;
    }
    is_fine
}
