//! How traffic comes back: 10 %, 50 %, all of it.

/// The share of the calls that are let through. Which ones is not left to chance: the first of ten, the first
/// of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    Tenth,
    Half,
    All,
}

impl Share {
    /// What follows once this went well.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Tenth => Self::Half,
            Self::Half | Self::All => Self::All,
        }
    }

    /// In percent.
    pub(crate) const fn percent(self) -> u8 {
        match self {
            Self::Tenth => 10,
            Self::Half => 50,
            Self::All => 100,
        }
    }

    /// Whether the call with this number, counted from zero, is let through.
    pub(crate) const fn takes(self, turn: u64) -> bool {
        let every = match self {
            Self::Tenth => 10,
            Self::Half => 2,
            Self::All => 1,
        };
        turn.is_multiple_of(every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_taken_as_is_said() {
        for share in [Share::Tenth, Share::Half, Share::All] {
            let taken = (0..100).filter(|turn| share.takes(*turn)).count();
            assert_eq!(taken, usize::from(share.percent()));
            assert!(share.takes(0), "the first is never made to wait");
        }
        assert_eq!(Share::Tenth.next(), Share::Half);
        assert_eq!(Share::Half.next(), Share::All);
    }
}
