//! The normal form of a path that is not in it.

use super::{
    Ambiguity, Path, PathError,
    letter::{self, Braces, is_plain},
};

/// The normal form of `text`, segment by segment.
pub(super) fn rewrite(text: &str, braces: Braces) -> Result<String, PathError> {
    let path = path_of(text)?;
    let segments = path.strip_prefix('/').ok_or(PathError::NoSlash)?;
    if segments.starts_with('/') {
        return Err(PathError::Ambiguous(Ambiguity::LeadingSlashes));
    }
    // Empty segments stay until the end, so that a climb over one is seen however far before it they are.
    let mut out = String::with_capacity(path.len());
    for segment in segments.split('/') {
        let end_of_last = out.len();
        out.push('/');
        let parameters = write_segment(segment, braces, &mut out)?;
        match out.get(end_of_last..).unwrap_or_default() {
            "/." | "/.." if parameters == Parameters::Some => {
                return Err(PathError::Ambiguous(Ambiguity::DotsWithParameters));
            }
            "/." => out.truncate(end_of_last),
            "/.." => {
                out.truncate(end_of_last);
                climb(&mut out)?;
            }
            _ => {}
        }
    }
    if out.starts_with("//") {
        return Err(PathError::Ambiguous(Ambiguity::LeadingSlashes));
    }
    Ok(folded(out))
}

/// `text` without its query and its fragment.
fn path_of(text: &str) -> Result<&str, PathError> {
    let target = text.split('?').next().unwrap_or_default();
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    if path.len() > Path::BYTES_MAX {
        return Err(PathError::TooLong {
            bytes: path.len(),
            max: Path::BYTES_MAX,
        });
    }
    if fragment.contains(['/', '\\']) {
        return Err(PathError::Ambiguous(Ambiguity::SlashInFragment));
    }
    Ok(path)
}

/// Removes the last segment.
fn climb(out: &mut String) -> Result<(), PathError> {
    let start_of_last = out.rfind('/').ok_or(PathError::AboveRoot)?;
    if out.ends_with('/') {
        return Err(PathError::Ambiguous(Ambiguity::ClimbOverEmpty));
    }
    out.truncate(start_of_last);
    Ok(())
}

/// The path without its empty segments.
fn folded(path: String) -> String {
    if !path.is_empty() && !path.contains("//") && !path.ends_with('/') {
        return path;
    }
    let mut folded = String::with_capacity(path.len().max(1));
    for segment in Path::segments_of(&path) {
        folded.push('/');
        folded.push_str(segment);
    }
    if folded.is_empty() {
        folded.push('/');
    }
    folded
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
