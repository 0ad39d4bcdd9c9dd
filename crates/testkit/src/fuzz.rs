//! The bodies of the fuzz targets; they also run as property tests.

use tollgate_core::Limit;

/// Longer than any message about a limit.
const MESSAGE_BYTES_MAX: usize = 1_024;

/// Reads arbitrary bytes as a limit. Whatever they are: no panic; a limit prints what reads back as
/// the same limit and can be explained; an error says something, and not too much.
///
/// ```
/// tollgate_testkit::fuzz::limit_text(b"100/min");
/// tollgate_testkit::fuzz::limit_text(b"\xff/\0");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn limit_text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match text.parse::<Limit>() {
        Ok(limit) => {
            let printed = limit.to_string();
            let again: Limit = printed.parse().expect("what was printed can be read");
            assert_eq!(again, limit, "{text:?} printed as {printed:?}");
            assert_eq!(again.to_string(), printed, "printing is stable");
            assert!(!limit.explain().is_empty(), "{text:?} is explained");
            assert!(limit.amount() > 0, "{text:?} lets nothing pass");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty(), "{text:?} is refused without a word");
            assert!(message.len() <= MESSAGE_BYTES_MAX, "{text:?}: {message}");
        }
    }
}
