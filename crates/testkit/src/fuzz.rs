//! The bodies of the fuzz targets; they also run as property tests.

use tollgate_core::Limit;
use tollgate_rules::{EndpointPattern, PatternClass, normalise::Path};

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

/// Reads arbitrary bytes as a path. Whatever they are: no panic; a path is in normal form, which is
/// the normal form of itself and of the pattern that says the same; an error says something short.
///
/// ```
/// tollgate_testkit::fuzz::path(b"/api//v1/%2e/login?next=1");
/// tollgate_testkit::fuzz::path(b"/\xff%0");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn path(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let path = match Path::new(&text) {
        Ok(path) => path,
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("path "), "{text:?}: {message}");
            assert!(message.len() <= MESSAGE_BYTES_MAX, "{text:?}: {message}");
            assert!(text.parse::<EndpointPattern>().is_err(), "{text:?}: {message}");
            return;
        }
    };
    let normal = path.as_str();
    assert!(normal.starts_with('/'), "{text:?} became {normal:?}");
    assert!(normal == "/" || !normal.ends_with('/'), "{text:?} became {normal:?}");
    assert!(normal.bytes().all(|byte| byte.is_ascii_graphic()), "{text:?} became {normal:?}");
    assert!(!normal.contains(['?', '#', ';', '{', '\\']), "{text:?} became {normal:?}");
    assert!(normal == "/" || !normal.split('/').skip(1).any(|segment| ["", ".", ".."].contains(&segment)));
    assert_eq!(Path::new(normal).as_ref().map(Path::as_str), Ok(normal), "{text:?} twice");
    if let Ok(pattern) = text.parse::<EndpointPattern>()
        && pattern.class() == PatternClass::Exact
    {
        assert_eq!(pattern.as_str(), normal, "{text:?} as a pattern");
        assert!(pattern.matches(normal), "{text:?} as a pattern");
    }
}
