//! The normal form of a path that is not in it.

use super::{
    Path, PathError,
    letter::{self, Braces},
};

/// The normal form of `text`, segment by segment.
pub(super) fn rewrite(text: &str, braces: Braces) -> Result<String, PathError> {
    let path = text.split(['?', '#']).next().unwrap_or_default();
    if path.len() > Path::BYTES_MAX {
        return Err(PathError::TooLong {
            bytes: path.len(),
            max: Path::BYTES_MAX,
        });
    }
    let segments = path.strip_prefix('/').ok_or(PathError::NoSlash)?;
    let mut out = String::with_capacity(path.len());
    for segment in segments.split('/') {
        let end_of_last = out.len();
        out.push('/');
        write_segment(segment, braces, &mut out)?;
        match out.get(end_of_last..).unwrap_or_default() {
            "/" | "/." => out.truncate(end_of_last),
            "/.." => {
                out.truncate(end_of_last);
                let start_of_last = out.rfind('/').ok_or(PathError::AboveRoot)?;
                out.truncate(start_of_last);
            }
            _ => {}
        }
    }
    if out.is_empty() {
        out.push('/');
    }
    Ok(out)
}

/// Appends a segment without its parameters, which must be in order all the same.
fn write_segment(segment: &str, braces: Braces, out: &mut String) -> Result<(), PathError> {
    let name_bytes = segment.find(';').unwrap_or(segment.len());
    let mut at = 0;
    while let Some(rest) = segment.get(at..).filter(|rest| !rest.is_empty()) {
        let (spelling, taken) = letter::first(rest, braces)?;
        if at < name_bytes {
            out.extend(spelling.bytes().iter().copied().map(char::from));
        }
        at = at.saturating_add(taken);
    }
    Ok(())
}
