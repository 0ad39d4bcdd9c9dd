//! Whether two admins are independent of each other: neither issued the other's token, and nothing that an admin holds
//! issued both.

use tollgate_catalog::{Issuer, Lineage};

/// What makes an approval worthless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kinship {
    /// They are the same.
    Same,
    /// The approver comes from the proposer.
    Descendant,
    /// The proposer comes from the approver.
    Ancestor,
    /// Both come from this, which is no root of the server.
    CommonIssuer(Issuer),
    /// One of them comes from an issuer that is not on record, which may be above the other.
    Unrecorded,
}

/// Whatever makes an approver and a proposer one line of issue.
pub(crate) fn kinship(proposer: &Lineage, approver: &Lineage) -> Option<Kinship> {
    let (asks, approves) = (proposer.issuers(), approver.issuers());
    // A proposal from before issuers went on record has nothing else in its line.
    let is_known = *proposer.last() != Issuer::Unknown;
    if is_known && proposer.last() == approver.last() {
        return Some(Kinship::Same);
    }
    if is_known && approves.contains(proposer.last()) {
        return Some(Kinship::Descendant);
    }
    if asks.contains(approver.last()) {
        return Some(Kinship::Ancestor);
    }
    let is_common = |issuer: &&Issuer| !is_root(issuer) && asks.contains(issuer);
    if let Some(common) = approves.iter().find(is_common) {
        return Some(Kinship::CommonIssuer(common.clone()));
    }
    let may_be_above = |one: &[Issuer], other: &[Issuer]| {
        one.contains(&Issuer::Unknown) && other.iter().any(is_older_than_lineage)
    };
    let is_unrecorded = may_be_above(asks, approves) || may_be_above(approves, asks);
    is_unrecorded.then_some(Kinship::Unrecorded)
}

/// Whether it may have issued the tokens of both. The operator of the server holds it, and has the server
/// itself in its hands.
const fn is_root(issuer: &Issuer) -> bool {
    matches!(issuer, Issuer::Start | Issuer::FirstStart)
}

/// Whether it may have issued a token before issuers went on record. A token with an issuer on record is younger than
/// every token without, and cannot have issued it.
const fn is_older_than_lineage(issuer: &Issuer) -> bool {
    matches!(
        issuer,
        Issuer::Unknown | Issuer::Certificate(_) | Issuer::Loopback | Issuer::OlderToken(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> Lineage {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        Lineage::read(&words).unwrap()
    }

    // Proves: I5
    #[test]
    fn independent_lines_share_a_root_at_most() {
        for (proposer, approver) in [
            ("start token:t1", "start token:t2"),
            ("first-start token:t2", "first-start token:t3"),
            ("start token:t1", "first-start token:t2"),
            ("start token:t1 token:t3", "start token:t2 token:t4"),
            ("certificate:ada", "certificate:bob"),
            ("certificate:ada token:t1", "certificate:bob"),
            ("start older-token:t1", "start older-token:t2"),
            ("start older-token:t1 token:t3", "start older-token:t2"),
            ("unknown older-token:t1", "start token:t2"),
            ("start token:t2 token:t3", "unknown older-token:t1"),
            ("unknown", "start token:t1"),
        ] {
            let found = kinship(&line(proposer), &line(approver));
            assert_eq!(found, None, "{proposer}; {approver}");
        }
    }

    // Proves: I5
    #[test]
    fn other_lines_are_related() {
        use Kinship::{Ancestor, Descendant, Same, Unrecorded};
        let common = |issuer: &str| Kinship::CommonIssuer(issuer.parse().unwrap());
        let (old, young) = ("unknown older-token:t1", "start token:t1 token:t2");
        for (proposer, approver, expected) in [
            ("start token:t1", "start token:t1", Same),
            ("certificate:ada", "certificate:ada", Same),
            ("start token:t1", young, Descendant),
            ("certificate:ada", "certificate:ada token:t1", Descendant),
            ("start token:t1 token:t2 token:t3", "start token:t1", Ancestor),
            (young, "start token:t1 token:t3 token:t4", common("token:t1")),
            ("certificate:ada token:t1", "certificate:ada token:t2", common("certificate:ada")),
            ("loopback token:t1", "loopback token:t2", common("loopback")),
            (old, "unknown older-token:t2", common("unknown")),
            ("unknown", old, common("unknown")),
            (old, "start older-token:t2", Unrecorded),
            ("start older-token:t2 token:t3", old, Unrecorded),
            (old, "certificate:ada", Unrecorded),
            ("certificate:ada token:t2", old, Unrecorded),
            ("loopback token:t2", old, Unrecorded),
        ] {
            let found = kinship(&line(proposer), &line(approver));
            assert_eq!(found, Some(expected), "{proposer}; {approver}");
        }
    }
}
