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
    let mut was_nameless = false;
    for segment in segments.split('/') {
        let end_of_last = out.len();
        out.push('/');
        let parameters = write_segment(segment, braces, &mut out)?;
        let name = out.get(end_of_last..).unwrap_or_default();
        let is_climb_over_nameless = name == "/.." && was_nameless;
        was_nameless = name == "/" && parameters == Parameters::Some;
        match name {
            "/." | "/.." if parameters == Parameters::Some => return Err(PathError::Ambiguous),
            "/" | "/." => out.truncate(end_of_last),
            "/.." => {
                if is_climb_over_nameless {
                    return Err(PathError::Ambiguous);
                }
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

/// Whether a segment has parameters, were they empty: `x;`.
#[derive(Clone, Copy, PartialEq)]
enum Parameters {
    None,
    Some,
}

/// Appends a segment without its parameters, which must be in order all the same.
fn write_segment(segment: &str, braces: Braces, out: &mut String) -> Result<Parameters, PathError> {
    let Some((name, parameters)) = segment.split_once(';') else {
        write_letters(segment, braces, out)?;
        return Ok(Parameters::None);
    };
    write_letters(name, braces, out)?;
    let end_of_name = out.len();
    write_letters(parameters, braces, out)?;
    out.truncate(end_of_name);
    Ok(Parameters::Some)
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
