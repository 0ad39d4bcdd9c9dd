//! The algorithm's own law, recounted from what was admitted.

use tollgate_core::{Law, Limit};

use super::counter::rate;
use crate::model::calendar::Calendar;

/// Units that were admitted at a moment of true time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// When.
    pub at: u64,
    /// How much.
    pub cost: u64,
}

/// Where these admissions, oldest first, break the law of the limit by more than `spare` units; `None` if nowhere.
///
/// ```
/// use tollgate_sim::pool::{Admission, breach};
///
/// let limit = "2/s".parse::<tollgate_core::Limit>()?.with_burst(3)?;
/// let at = |at| Admission { at, cost: 3 };
/// assert_eq!(breach(&limit, &[at(0), at(1_500_000)], 0), None);
/// assert!(breach(&limit, &[at(0), at(1_499_999)], 0).is_some());
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
pub fn breach(limit: &Limit, admissions: &[Admission], spare: u64) -> Option<String> {
    match limit.law() {
        Law::TokenBucket(_) => bucket_breach(limit, admissions, spare),
        _ => window_breach(limit, admissions, spare),
    }
}

/// In any interval at most what the bucket holds and gains meanwhile: the one that ends here and asks for most is
/// that which began when the bucket was last full.
fn bucket_breach(limit: &Limit, admissions: &[Admission], spare: u64) -> Option<String> {
    let rate = rate(limit);
    let most = rate.full + i128::from(spare) * rate.per_token;
    let (mut at, mut missing) = (0, 0);
    for admission in admissions {
        let now = i128::from(admission.at);
        missing = (missing - (now - at) * rate.per_micro).max(0);
        missing += i128::from(admission.cost) * rate.per_token;
        at = now;
        if missing > most {
            let over = rate.tokens(missing - most);
            return Some(format!("{over} too many by {now}"));
        }
    }
    None
}

/// At each admission the present window, and of a sliding one the share of the window before that is still ahead,
/// rounded down.
fn window_breach(limit: &Limit, admissions: &[Admission], spare: u64) -> Option<String> {
    let calendar = Calendar::new(limit.period());
    let most = i128::from(limit.law().capacity()) + i128::from(spare);
    let (mut window, mut used, mut before) = (i128::MIN, 0, 0);
    for admission in admissions {
        let now = i128::from(admission.at);
        let present = calendar.window_at(now);
        if present != window {
            before = if present == window + 1 { used } else { 0 };
            (window, used) = (present, 0);
        }
        used += i128::from(admission.cost);
        let (start, end) = (calendar.start_of(window), calendar.end_of(window));
        let length = end - start;
        let faded = match limit.law() {
            Law::SlidingWindow(_) => before * (end - now).min(length - 1) / length,
            _ => 0,
        };
        if used + faded > most {
            return Some(format!("{used} by {now}, after {before}, of {most}"));
        }
    }
    None
}

/// The law of a bucket as it is written down, for all pairs of admissions: slow, to check [`breach`] by.
pub fn is_kept_in_all_pairs(limit: &Limit, admissions: &[Admission]) -> bool {
    let rate = rate(limit);
    admissions.iter().enumerate().all(|(first, from)| {
        let mut sum = 0;
        admissions.iter().skip(first).all(|to| {
            sum += i128::from(to.cost) * rate.per_token;
            let elapsed = i128::from(to.at) - i128::from(from.at);
            sum <= rate.full + elapsed * rate.per_micro
        })
    })
}
