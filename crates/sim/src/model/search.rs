//! Finding a moment by trying.

/// The shortest wait after which `fits` holds, in microseconds; `None` if it holds for none that can
/// be written. Whoever waits longer must fit too, so doubling and then halving finds the edge.
pub(super) fn shortest_wait(fits: impl Fn(u64) -> bool) -> Option<u64> {
    if fits(0) {
        return Some(0);
    }
    let mut too_short: u64 = 0;
    let mut enough: u64 = 1;
    while !fits(enough) {
        too_short = enough;
        enough = match enough {
            LONGEST => return None,
            shorter => shorter.saturating_mul(2).min(LONGEST),
        };
    }
    while enough - too_short > 1 {
        let between = too_short + (enough - too_short) / 2;
        if fits(between) {
            enough = between;
        } else {
            too_short = between;
        }
    }
    Some(enough)
}

/// The largest number of microseconds means "never" in a decision.
const LONGEST: u64 = u64::MAX - 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_edge() {
        for edge in (0..300).chain([1 << 40, LONGEST - 1, LONGEST]) {
            assert_eq!(shortest_wait(|wait| wait >= edge), Some(edge));
        }
        assert_eq!(shortest_wait(|_| false), None);
    }
}
