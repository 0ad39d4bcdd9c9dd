//! What is asked for.

use super::{Flaw, limits::TARGET_BYTES_MAX};

/// The path and the query of a target in any form a server must understand.
pub(super) fn split<'a>(method: &str, target: &'a str) -> Result<(&'a str, Option<&'a str>), Flaw> {
    if target.len() > TARGET_BYTES_MAX {
        return Err(Flaw::TargetTooLong);
    }
    if !target
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'#')
    {
        return Err(Flaw::Target);
    }
    if target == "*" && method == "OPTIONS" {
        return Ok((target, None));
    }
    let origin = if target.starts_with('/') {
        target
    } else {
        after_authority(target).ok_or(Flaw::Target)?
    };
    Ok(match origin.split_once('?') {
        Some(("", query)) => ("/", Some(query)),
        Some((path, query)) => (path, Some(query)),
        None if origin.is_empty() => ("/", None),
        None => (origin, None),
    })
}

/// What stands after `http://host`.
fn after_authority(target: &str) -> Option<&str> {
    let (scheme, rest) = target.split_once("://")?;
    let is_ours = ["http", "https"]
        .iter()
        .any(|ours| scheme.eq_ignore_ascii_case(ours));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, origin) = rest.split_at_checked(end)?;
    (is_ours && !authority.is_empty()).then_some(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_its_path() {
        let split = |target| split("GET", target);
        assert_eq!(split("/a/b"), Ok(("/a/b", None)));
        assert_eq!(split("/a?b=c?d"), Ok(("/a", Some("b=c?d"))));
        assert_eq!(split("/a?"), Ok(("/a", Some(""))));
        assert_eq!(split("http://host/a?b"), Ok(("/a", Some("b"))));
        assert_eq!(split("HTTP://host:80"), Ok(("/", None)));
        assert_eq!(split("https://host?b"), Ok(("/", Some("b"))));
        for wrong in [
            "",
            "a",
            "*",
            "host:443",
            "ftp://host/",
            "http:///a",
            "/a#b",
            "/\u{e9}",
        ] {
            assert_eq!(split(wrong), Err(Flaw::Target), "{wrong}");
        }
        assert_eq!(super::split("OPTIONS", "*"), Ok(("*", None)));
        let long = "/".repeat(TARGET_BYTES_MAX + 1);
        assert_eq!(split(&long), Err(Flaw::TargetTooLong));
    }
}
