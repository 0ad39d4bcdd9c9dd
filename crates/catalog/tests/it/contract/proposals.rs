//! Changes that wait for somebody else.
// Proves: I5, O2

use std::slice;

use tollgate_catalog::{
    Asked, AuditListing, Author, CatalogError, Issuer, Lineage, OPEN_PROPOSALS_MAX, ProposalState,
    Settled, Settlement,
};
use tollgate_core::{Clock as _, Micros, Timestamp};

use crate::common::{Place, dana};

fn asked(name: &str) -> Asked {
    Asked {
        method: "PUT".into(),
        target: format!("/ratelimit/rules/{name}").into(),
        headers: vec![("if-match".into(), "\"3\"".into())],
        body: "{\"limit\":\"5/min\"}".into(),
        asker: Lineage::root(Issuer::Start).then(Issuer::Token("t7".into())),
    }
}

fn tomorrow(place: &Place) -> Timestamp {
    let day = Micros::from_secs(24 * 3_600);
    place.clock.now().wall.saturating_add(day)
}

pub(crate) async fn somebody_else_approves(place: Place) {
    let catalog = place.open().await;
    let made = catalog.propose(asked("login"), &dana(), tomorrow(&place)).await.unwrap();
    assert_eq!((made.id, &made.state), (1, &ProposalState::Open));
    let listed = catalog.proposals().await.unwrap();
    assert_eq!(listed, slice::from_ref(&made));
    let own = catalog.settle_proposal(1, Settlement::Approve, &dana()).await;
    assert!(matches!(own, Err(CatalogError::OwnProposal(1))), "{own:?}");
    let rex = Author::new("rex").because("looks right");
    let approved = catalog.settle_proposal(1, Settlement::Approve, &rex).await.unwrap();
    let settled = Settled {
        by: "rex".into(),
        at: place.clock.now().wall,
        reason: Some("looks right".into()),
    };
    assert_eq!(approved.state, ProposalState::Approved(settled));
    assert_eq!((&approved.asked, &approved.author), (&asked("login"), &dana()));
    assert_eq!(catalog.proposals().await.unwrap(), [approved]);
    let rows = catalog.audit(&AuditListing::default()).await.unwrap();
    let told: Vec<_> =
        rows.iter().map(|row| (&*row.noted.action, row.noted.author.name())).collect();
    assert_eq!(told, [("proposal.approve", "rex"), ("proposal.open", "dana")]);
    assert!(rows[1].noted.after.as_ref().unwrap().contains("/ratelimit/rules/login"));
}

pub(crate) async fn a_proposal_is_settled_once_and_in_time(place: Place) {
    let catalog = place.open().await;
    for name in ["a", "b"] {
        let made = catalog.propose(asked(name), &dana(), tomorrow(&place)).await;
        made.unwrap();
    }
    let rejected = catalog.settle_proposal(1, Settlement::Reject, &dana()).await;
    assert!(matches!(rejected.unwrap().state, ProposalState::Rejected(_)));
    place.clock.advance(Micros::from_secs(24 * 3_600));
    let rex = Author::new("rex");
    for (id, why) in [(1, "settled"), (2, "expired"), (3, "never made")] {
        for settlement in [Settlement::Approve, Settlement::Reject] {
            let late = catalog.settle_proposal(id, settlement, &rex).await;
            assert!(matches!(late, Err(CatalogError::NotOpen(_))), "{why}: {late:?}");
        }
    }
    let all = catalog.proposals().await.unwrap();
    let ids: Vec<u64> = all.iter().map(|proposal| proposal.id).collect();
    assert_eq!((ids, &all[0].state), (vec![2, 1], &ProposalState::Expired));
}

pub(crate) async fn what_could_not_be_done_waits_again(place: Place) {
    let catalog = place.open().await;
    let made = catalog.propose(asked("login"), &dana(), tomorrow(&place)).await.unwrap();
    let rex = Author::new("rex");
    let early = catalog.reopen_proposal(1, &rex).await;
    assert!(matches!(early, Err(CatalogError::NotOpen(1))), "{early:?}");
    for _ in 0..2 {
        catalog.settle_proposal(1, Settlement::Approve, &rex).await.unwrap();
        assert_eq!(catalog.reopen_proposal(1, &rex).await.unwrap(), made);
        assert_eq!(catalog.proposal(1).await.unwrap(), Some(made.clone()));
    }
    assert_eq!(catalog.proposal(2).await.unwrap(), None);
    let rows = catalog.audit(&AuditListing::default()).await.unwrap();
    assert_eq!(&*rows[0].noted.action, "proposal.reopen");
    catalog.settle_proposal(1, Settlement::Reject, &dana()).await.unwrap();
    catalog.reopen_proposal(1, &rex).await.unwrap_err();
}

pub(crate) async fn only_so_many_wait(place: Place) {
    let catalog = place.open().await;
    let propose = async || catalog.propose(asked("x"), &dana(), tomorrow(&place)).await;
    for _ in 0..OPEN_PROPOSALS_MAX {
        propose().await.unwrap();
    }
    let more = propose().await;
    assert!(matches!(more, Err(CatalogError::TooMany { .. })), "{more:?}");
    catalog.settle_proposal(1, Settlement::Reject, &dana()).await.unwrap();
    propose().await.unwrap();
    // What waits is listed before what was settled later.
    catalog.settle_proposal(101, Settlement::Reject, &dana()).await.unwrap();
    let listed = catalog.proposals().await.unwrap();
    assert_eq!((listed.len(), listed[0].id, listed[99].id), (100, 100, 101));
}
