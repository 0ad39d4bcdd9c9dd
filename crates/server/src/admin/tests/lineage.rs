//! One admin alone changes no rule, whatever tokens it issues and whatever of them is revoked.
//!
//! The model is a tree of who issued what. Two are independent if nothing but a root of the server is above both, each
//! counted as above itself. Random walks hold the server against it.

use std::{collections::BTreeSet, sync::Arc};

use axum::http::Request;
use serde_json::{Value, json};
use tollgate_catalog::{Issuer, Lineage};
use tollgate_testkit::Rng;

use super::{
    house::{Answer, House, Plan, ask},
    two_people::{RULES, post, rule},
};
use crate::{
    admin::certified::Certified,
    authority::{Authority, Token, kinship},
    config::{Administrators, Approvals},
};

const START: &str = "a-token-that-several-people-have";

/// How an admin shows who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shows {
    Token(String),
    Certificate(&'static str),
    Nothing,
}

/// An admin of the model.
#[derive(Clone, Debug)]
struct Admin {
    shows: Shows,
    issuer: Option<usize>,
    /// Tokens that are issued by it may approve each other's proposals; it proposes and approves nothing itself.
    is_root: bool,
    is_revoked: bool,
    id: String,
}

/// Who issued what.
#[derive(Debug, Default)]
struct Tree(Vec<Admin>);

impl Tree {
    fn add(&mut self, shows: Shows, issuer: Option<usize>, id: &str) -> usize {
        self.0.push(Admin { shows, issuer, is_root: false, is_revoked: false, id: id.to_owned() });
        self.0.len() - 1
    }

    /// All that an admin comes from, and itself.
    fn above(&self, mut at: usize) -> BTreeSet<usize> {
        let mut above = BTreeSet::from([at]);
        while let Some(issuer) = self.0[at].issuer {
            above.insert(issuer);
            at = issuer;
        }
        above
    }

    fn are_independent(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.above(one), self.above(other));
        one.intersection(&other).all(|&at| self.0[at].is_root)
    }

    /// Those who can propose: not revoked, and one person each.
    fn people(&self) -> Vec<usize> {
        let can =
            |admin: &Admin| !admin.is_revoked && !admin.is_root && admin.shows != Shows::Nothing;
        (0..self.0.len()).filter(|&at| can(&self.0[at])).collect()
    }
}

async fn send(house: &House, who: &Shows, path: &str, body: Option<&Value>) -> Answer {
    let mut request: Request<_> = ask("POST", path, &[], body);
    match who {
        Shows::Token(token) => {
            let bearer = format!("Bearer {token}").parse().unwrap();
            request.headers_mut().insert("authorization", bearer);
        }
        Shows::Certificate(name) => {
            request.extensions_mut().insert(Certified(Arc::from(*name)));
        }
        Shows::Nothing => {}
    }
    house.send(request).await
}

/// A token that an admin issues over the API.
async fn issue(house: &House, issuer: &Shows, name: &str) -> (String, Shows) {
    let wanted = json!({ "name": name, "role": "admin" });
    let issued = send(house, issuer, "/ratelimit/tokens?wait=60s", Some(&wanted)).await;
    let issued = issued.expect(201);
    let text = |field: &str| issued[field].as_str().unwrap().to_owned();
    (text("id"), Shows::Token(text("token")))
}

async fn house(start: Option<&str>) -> House {
    House::build(Plan {
        authority: Authority::new(start.and_then(Token::new)),
        administrators: Administrators::OfTheirOwnCa,
        approvals: Approvals::On,
        ..Plan::default()
    })
    .await
}

/// The kind of problem that an approval meets; none if it is done.
async fn approved(house: &House, proposal: &str, by: &Shows) -> Option<String> {
    let answer = send(house, by, &format!("{proposal}/approve"), None).await;
    if answer.status == 200 {
        return None;
    }
    let kind = answer.expect(403)["type"].as_str().unwrap().to_owned();
    Some(kind.trim_start_matches("urn:tollgate:problem:").to_owned())
}

async fn proposed(house: &House, by: &Shows, name: &str) -> String {
    let mut wanted = rule();
    wanted["name"] = json!(name);
    wanted["match"]["endpoint"] = json!(format!("/{name}"));
    let asked = send(house, by, RULES, Some(&wanted)).await.expect(202);
    format!("/ratelimit/proposals/{}", asked["proposal"]["id"])
}

async fn revoke(house: &House, by: &Shows, id: &str) {
    let path = format!("/ratelimit/tokens/{id}/revoke?wait=60s");
    send(house, by, &path, None).await.expect(200);
}

/// The attack: an admin issues itself a second admin, in either direction, over several steps, with the middle revoked.
// Proves: I5
#[tokio::test]
async fn an_admin_and_its_puppets_are_one_admin() {
    let house = house(Some(START)).await;
    let start = Shows::Token(START.to_owned());
    let (_, ada) = issue(&house, &start, "ada").await;
    let (_, bob) = issue(&house, &start, "bob").await;
    let (x_id, x) = issue(&house, &ada, "x").await;
    let (_, y) = issue(&house, &x, "y").await;
    let (_, z) = issue(&house, &ada, "z").await;
    let of = async |proposer: &Shows, approver: &Shows, name: &str| {
        let proposal = proposed(&house, proposer, name).await;
        approved(&house, &proposal, approver).await
    };
    let refused = |kind: &str| Some(kind.to_owned());
    for round in ["whole", "middle-revoked"] {
        let name = |case: &str| format!("{round}-{case}");
        assert_eq!(of(&y, &ada, &name("up")).await, refused("issued-the-proposer"));
        assert_eq!(of(&ada, &y, &name("down")).await, refused("issued-by-proposer"));
        assert_eq!(of(&y, &z, &name("beside")).await, refused("same-issuer"));
        assert_eq!(of(&z, &y, &name("back")).await, refused("same-issuer"));
        assert_eq!(house.head().await, if round == "whole" { 0 } else { 2 });
        assert_eq!(of(&y, &bob, &name("bob")).await, None);
        assert_eq!(of(&bob, &z, &name("of-bob")).await, None);
        if round == "whole" {
            revoke(&house, &bob, &x_id).await;
        }
    }
    // The line is there to be seen.
    let listed = house_tokens(&house, &start).await;
    let of_y = listed.iter().find(|token| token["name"] == "y").unwrap();
    assert_eq!(of_y["issuers"][0], "start");
    assert_eq!(of_y["issuers"].as_array().unwrap().len(), 3);
}

async fn house_tokens(house: &House, by: &Shows) -> Vec<Value> {
    let Shows::Token(token) = by else {
        panic!("a token reads");
    };
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let list = house.send(ask("GET", "/ratelimit/tokens", &headers, None));
    list.await.expect(200)["tokens"].as_array().unwrap().clone()
}

/// Tokens and proposals from before issuers went on record.
// Proves: I5
#[tokio::test]
async fn tokens_of_unknown_issue_pair_with_those_on_record_only() {
    let house = house(None).await;
    let old = async |name: &str, by: &str| Shows::Token(house.token_by(name, by, None).await);
    let (ann, ben) = (old("ann", "token").await, old("ben", "token").await);
    let (cat, dan) = (old("cat", "ann").await, old("dan", "cli").await);
    let (eve, fay) = (old("eve", "first-start").await, old("fay", "first-start").await);
    let certificate = Shows::Certificate("gus");
    let on_record = Some(Lineage::root(Issuer::Start));
    let young = Shows::Token(house.token_by("hal", "token", on_record).await);
    let (_, child) = issue(&house, &ann, "ida").await;
    let mut number = 0;
    for (one, other, expected) in [
        (&ann, &ben, None),
        (&eve, &fay, None),
        (&ann, &eve, None),
        (&ann, &cat, Some("unknown-issuer")),
        (&cat, &ann, Some("unknown-issuer")),
        (&young, &cat, None),
        (&cat, &young, None),
        (&young, &ann, None),
        (&child, &cat, Some("unknown-issuer")),
        (&child, &ann, Some("issued-the-proposer")),
        (&child, &ben, None),
        (&cat, &dan, Some("unknown-issuer")),
        (&cat, &certificate, Some("unknown-issuer")),
        (&certificate, &dan, Some("unknown-issuer")),
        (&ann, &certificate, None),
    ] {
        number += 1;
        let proposal = proposed(&house, one, &format!("rule-{number}")).await;
        let told = approved(&house, &proposal, other).await;
        assert_eq!(told.as_deref(), expected, "{number}");
    }
}

/// A long line cannot be made for ever.
// Proves: I5
#[tokio::test]
async fn a_line_of_issue_has_an_end() {
    let house = house(Some(START)).await;
    let line = (1..tollgate_catalog::ISSUERS_MAX)
        .fold(Lineage::root(Issuer::Start), |line, number| {
            line.then(Issuer::Token(format!("x{number}").into()))
        });
    let last = house.token_by("last", "token", Some(line)).await;
    let wanted = json!({ "name": "more", "role": "admin" });
    let problem = post(&house, &last, "/ratelimit/tokens", Some(&wanted)).await;
    let kind = &problem.expect(403)["type"];
    assert_eq!(kind, "urn:tollgate:problem:too-many-issuers");
}

/// Issues, revokes, proposes and approves at random.
async fn walk(house: &House, tree: &mut Tree, seed: u64, steps: usize) -> (usize, usize) {
    let (mut rng, mut done, mut refused) = (Rng::new(seed), 0, 0);
    for step in 0..steps {
        let people = tree.people();
        match rng.below(8) {
            0..=2 => {
                let open = |at: &usize| !tree.0[*at].is_revoked;
                let issuers: Vec<usize> = (0..tree.0.len()).filter(open).collect();
                let issuer = rng.pick(&issuers);
                let shows = tree.0[issuer].shows.clone();
                let (id, token) = issue(house, &shows, &format!("admin-{step}")).await;
                tree.add(token, Some(issuer), &id);
            }
            3 if people.len() > 3 => {
                let (by, gone) = (rng.pick(&people), rng.pick(&people));
                if matches!(tree.0[gone].shows, Shows::Token(_)) {
                    revoke(house, &tree.0[by].shows, &tree.0[gone].id).await;
                    tree.0[gone].is_revoked = true;
                }
            }
            _ if people.is_empty() => {}
            _ => {
                let proposer = rng.pick(&people);
                let proposal =
                    proposed(house, &tree.0[proposer].shows, &format!("rule-{step}")).await;
                for _ in 0..4 {
                    let approver = rng.pick(&people);
                    let told = approved(house, &proposal, &tree.0[approver].shows).await;
                    let expected = tree.are_independent(proposer, approver);
                    assert_eq!(
                        told.is_none(),
                        expected,
                        "seed {seed}, step {step}: {proposer} asks, {approver} approves: {told:?}\n{tree:#?}"
                    );
                    (done, refused) = match told {
                        None => (done + 1, refused),
                        Some(_) => (done, refused + 1),
                    };
                    if told.is_none() {
                        break;
                    }
                }
            }
        }
    }
    (done, refused)
}

// Proves: I5
#[tokio::test]
async fn random_admins_are_held_against_the_tree() {
    for seed in 0..2 {
        let with_start = house(Some(START)).await;
        let mut tree = Tree::default();
        let start = tree.add(Shows::Token(START.to_owned()), None, "");
        let first = with_start.token_by("first-start", "server", None).await;
        let first = tree.add(Shows::Token(first), None, "");
        (tree.0[start].is_root, tree.0[first].is_root) = (true, true);
        let (done, refused) = walk(&with_start, &mut tree, seed, 60).await;
        assert!(done > 3 && refused > 3, "{done} done, {refused} refused");

        let with_certificates = house(None).await;
        let mut tree = Tree::default();
        tree.add(Shows::Nothing, None, "");
        for name in ["ada.example", "bob.example"] {
            tree.add(Shows::Certificate(name), None, "");
        }
        let first = with_certificates.token_by("first-start", "server", None);
        let first = tree.add(Shows::Token(first.await), None, "");
        tree.0[first].is_root = true;
        let (done, refused) = walk(&with_certificates, &mut tree, seed + 100, 60).await;
        assert!(done > 3 && refused > 3, "{done} done, {refused} refused");
    }
}

/// The same without a server: long walks over deep and wide trees.
// Proves: I5
#[test]
fn lines_of_issue_agree_with_the_tree() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (mut tree, mut lines) = (Tree::default(), Vec::new());
        for root in [
            Issuer::Start,
            Issuer::FirstStart,
            Issuer::Loopback,
            Issuer::Certificate("ada".into()),
            Issuer::Certificate("t1".into()),
        ] {
            let at = tree.add(Shows::Nothing, None, "");
            tree.0[at].is_root = matches!(root, Issuer::Start | Issuer::FirstStart);
            lines.push(Lineage::root(root));
        }
        for number in 0..60 {
            let issuer = rng.index(lines.len());
            tree.add(Shows::Nothing, Some(issuer), "");
            lines.push(lines[issuer].then(Issuer::Token(format!("t{number}").into())));
        }
        for (one, line) in lines.iter().enumerate().skip(2) {
            for (other, approver) in lines.iter().enumerate().skip(2) {
                let found = kinship(line, approver);
                let expected = tree.are_independent(one, other);
                assert_eq!(found.is_none(), expected, "{line:?} {approver:?}: {found:?}");
            }
        }
    }
}
