//! Endpoint patterns.

use std::{fmt, str::FromStr, sync::Arc};

use crate::normalise::{Path, PathError};

/// A pattern of normalised paths: literal segments, `{name}` and `*` for one segment each, and at the
/// end `**` for whatever follows, nothing included.
///
/// ```
/// use tollgate_rules::EndpointPattern;
///
/// let pattern: EndpointPattern = "/api/v1/users/{id}/**".parse()?;
/// assert!(pattern.matches("/api/v1/users/42"));
/// assert!(pattern.matches("/api/v1/users/42/orders/7"));
/// assert!(!pattern.matches("/api/v1/users"));
/// # Ok::<(), tollgate_rules::PatternError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EndpointPattern {
    text: Arc<str>,
    segments: Vec<Segment>,
}

/// One segment of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Segment {
    /// Exactly this text.
    Literal(Arc<str>),
    /// `{name}`: one segment, whatever it is.
    Parameter(Arc<str>),
    /// `*`: one segment, whatever it is.
    One,
    /// `**`: all that follows, nothing included.
    Rest,
}

/// How narrow a pattern is; the narrowest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PatternClass {
    /// Literal segments only.
    Exact,
    /// With a `{name}`.
    Parameter,
    /// With a `*`.
    One,
    /// With a `**`.
    Rest,
}

impl EndpointPattern {
    /// The most segments a pattern may have.
    pub const SEGMENTS_MAX: usize = 64;

    /// The pattern in normal form.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The segments, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// How narrow it is: as wide as its widest segment.
    pub fn class(&self) -> PatternClass {
        let classes = self.segments.iter().map(|segment| match segment {
            Segment::Literal(_) => PatternClass::Exact,
            Segment::Parameter(_) => PatternClass::Parameter,
            Segment::One => PatternClass::One,
            Segment::Rest => PatternClass::Rest,
        });
        classes.max().unwrap_or(PatternClass::Exact)
    }

    /// How many segments are literal.
    pub fn literals(&self) -> usize {
        let is_literal = |segment: &&Segment| matches!(segment, Segment::Literal(_));
        self.segments.iter().filter(is_literal).count()
    }

    /// Whether a path in normal form matches.
    pub fn matches(&self, path: &str) -> bool {
        let mut rest = Path::segments_of(path);
        for segment in &self.segments {
            let is_match = match (segment, rest.next()) {
                (Segment::Rest, _) => return true,
                (_, None) => false,
                (Segment::Literal(wanted), Some(found)) => **wanted == *found,
                (Segment::Parameter(_) | Segment::One, Some(_)) => true,
            };
            if !is_match {
                return false;
            }
        }
        rest.next().is_none()
    }
}

impl FromStr for EndpointPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let path = Path::of_pattern(text).map_err(PatternError::Path)?;
        let mut segments = Vec::new();
        for part in path.segments() {
            if matches!(segments.last(), Some(Segment::Rest)) {
                return Err(PatternError::AfterRest);
            }
            if segments.len() == Self::SEGMENTS_MAX {
                return Err(PatternError::TooManySegments { max: Self::SEGMENTS_MAX });
            }
            segments.push(segment(part)?);
        }
        Ok(Self { text: path.as_str().into(), segments })
    }
}

fn segment(part: &str) -> Result<Segment, PatternError> {
    let given = || part.to_owned();
    let is_special = |letter| matches!(letter, '*' | '{' | '}');
    match part {
        "*" => Ok(Segment::One),
        "**" => Ok(Segment::Rest),
        literal if !literal.contains(is_special) => Ok(Segment::Literal(literal.into())),
        other => {
            let name = other.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
            match name {
                Some(name) if !name.is_empty() && !name.contains(is_special) => {
                    Ok(Segment::Parameter(name.into()))
                }
                _ => Err(PatternError::PartOfSegment { given: given() }),
            }
        }
    }
}

impl fmt::Display for EndpointPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for EndpointPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text, f)
    }
}

/// Why a text is not an endpoint pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// It is not a path.
    #[error(transparent)]
    Path(PathError),
    /// A wildcard for a part of a segment.
    #[error(
        "segment {given:?}: a wildcard stands for a whole segment, write {{name}} or * for one \
         segment, or ** at the end for all that follow"
    )]
    PartOfSegment {
        /// The segment.
        given: String,
    },
    /// Something behind `**`.
    #[error("** stands for all that follows, so nothing may come after it")]
    AfterRest,
    /// More than [`EndpointPattern::SEGMENTS_MAX`].
    #[error("a pattern has at most {max} segments")]
    TooManySegments {
        /// How many are allowed.
        max: usize,
    },
}
