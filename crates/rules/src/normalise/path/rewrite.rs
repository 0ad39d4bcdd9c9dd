//! The normal form of a path that is not in it.

use super::{
    Path, PathError,
    letter::{self, Braces, is_plain},
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
    let (name, parameters) = segment.split_once(';').unwrap_or((segment, ""));
    write_letters(name, braces, out)?;
    let end_of_name = out.len();
    write_letters(parameters, braces, out)?;
    out.truncate(end_of_name);
    Ok(())
}

fn write_letters(mut rest: &str, braces: Braces, out: &mut String) -> Result<(), PathError> {
    while !rest.is_empty() {
        let as_it_is = rest.bytes().take_while(|&byte| is_plain(byte)).count();
        let (plain, odd) = rest.split_at_checked(as_it_is).unwrap_or((rest, ""));
        out.push_str(plain);
        if odd.is_empty() {
            break;
        }
        let (spelling, taken) = letter::first(odd, braces)?;
        out.extend(spelling.bytes().iter().copied().map(char::from));
        rest = odd.get(taken..).unwrap_or_default();
    }
    Ok(())
}
