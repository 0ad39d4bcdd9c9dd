//! How near to its limit a request came (D10).

use crate::LimitError;

/// Where a request stands, from far below its limit to refused. Ordered by severity.
///
/// ```
/// use tollgate_core::Band;
///
/// assert!(Band::Normal < Band::Warn && Band::Warn < Band::Soft && Band::Soft < Band::Denied);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Band {
    /// Below the warning threshold.
    #[default]
    Normal,
    /// Allowed, at or above `warn_at`.
    Warn,
    /// Allowed although over the limit, since `hard_at` is higher: log it.
    Soft,
    /// Refused.
    Denied,
}

/// The thresholds of a limit in percent of its amount: warn from `warn_at`, deny above `hard_at`,
/// and let pass but mark what lies between the limit and `hard_at`.
///
/// ```
/// use tollgate_core::Bands;
///
/// let bands = Bands::new(80, 120)?;
/// assert_eq!((bands.warn_at(), bands.hard_at()), (80, 120));
/// assert!(Bands::new(80, 90).is_err());
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bands {
    warn_at: u16,
    hard_at: u16,
}

impl Bands {
    /// Thresholds in percent.
    ///
    /// # Errors
    ///
    /// [`LimitError::Bands`] unless `warn_at` is within 1–100 and `hard_at` within 100–1000.
    pub fn new(warn_at: u16, hard_at: u16) -> Result<Self, LimitError> {
        if !(1..=100).contains(&warn_at) || !(100..=1_000).contains(&hard_at) {
            return Err(LimitError::Bands { warn_at, hard_at });
        }
        Ok(Self { warn_at, hard_at })
    }

    /// The same warning threshold, with nothing allowed above the limit.
    pub(crate) const fn without_soft(self) -> Self {
        Self { hard_at: 100, ..self }
    }

    /// Where warnings begin, in percent of the limit.
    pub const fn warn_at(self) -> u16 {
        self.warn_at
    }

    /// Above what denials begin, in percent of the limit.
    pub const fn hard_at(self) -> u16 {
        self.hard_at
    }
}

/// Warn from 80 %, deny above 100 %.
impl Default for Bands {
    fn default() -> Self {
        Self { warn_at: 80, hard_at: 100 }
    }
}
