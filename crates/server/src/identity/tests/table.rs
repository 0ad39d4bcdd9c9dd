//! Who may state what, by which protocol: the table of `trust.rs`.
// Proves: I1, I4

use serde_json::{Value, json};

use super::{
    ask::By,
    rig::{OURS, Rig, at, behind, far, near},
    trust::{FACTS, PROXIED},
};
use crate::listen::Peer;

const PAGE: &str = "Origin: http://evil.example\r\n";
const LOOPBACK_LISTED: (&str, &str) = ("trusted_callers", "127.0.0.1");
const FAR_LISTED: (&str, &str) = ("trusted_callers", "192.0.2.0/24");

/// A caller, and whether it may state anything.
struct Row {
    who: &'static str,
    peer: Peer,
    lines: String,
    setting: Option<(&'static str, &'static str)>,
    http: bool,
    /// None where the protocol knows no such caller.
    resp: Option<bool>,
    envoy: bool,
}

impl Row {
    const fn is_trusted(&self, by: By) -> Option<bool> {
        match by {
            By::Resp => self.resp,
            By::Envoy => Some(self.envoy),
            By::Check | By::Batch | By::Nginx | By::ForwardAuth => Some(self.http),
        }
    }
}

/// By HTTP, RESP and Envoy.
fn row(
    who: &'static str,
    peer: Peer,
    lines: &str,
    (http, resp, envoy): (bool, Option<bool>, bool),
) -> Row {
    let lines = lines.to_owned();
    let setting = None;
    Row { who, peer, lines, setting, http, resp, envoy }
}

/// Where the protocols have no headers, and where they do.
const YES: (bool, Option<bool>, bool) = (true, Some(true), true);
const NO: (bool, Option<bool>, bool) = (false, Some(false), false);
const YES_BY_HEADERS: (bool, Option<bool>, bool) = (true, None, true);
const NO_BY_HEADERS: (bool, Option<bool>, bool) = (false, None, false);
/// Envoy writes X-Forwarded-For on its own calls.
const NO_BUT_ENVOY: (bool, Option<bool>, bool) = (false, None, true);

fn certified() -> Peer {
    Peer { name: Some("billing.example".into()), ..far() }
}

fn table() -> Vec<Row> {
    let token = format!("Authorization: Bearer {OURS}\r\n");
    let (token_via, token_page) = (format!("{token}{PROXIED}"), format!("{token}{PAGE}"));
    let page_via = format!("{PAGE}{PROXIED}");
    let list = "X-Forwarded-For: 203.0.113.5\r\n";
    let proxied = || behind("198.51.100.7");
    let mut rows = vec![
        row("loopback", near(), "", YES),
        row("loopback, IPv6", at("::1"), "", YES),
        row("loopback, mapped", at("::ffff:127.0.0.1"), "", YES),
        row("loopback, Via", near(), PROXIED, NO_BY_HEADERS),
        row("loopback, XFF", near(), list, NO_BUT_ENVOY),
        row("loopback, token, Via", near(), &token_via, YES_BY_HEADERS),
        row("certificate", certified(), "", YES),
        row("certificate, Via", certified(), PROXIED, YES_BY_HEADERS),
        row("certificate, page", certified(), PAGE, NO_BY_HEADERS),
        row("token", far(), &token, YES),
        row("token, page", far(), &token_page, YES_BY_HEADERS),
        row("token, PROXY protocol", proxied(), &token, YES),
        row("stranger", far(), "", NO),
        row("stranger, XFF", far(), list, NO_BY_HEADERS),
        row("PROXY protocol", proxied(), "", NO),
        row("PROXY protocol, loopback", behind("127.0.0.1"), "", NO),
        row("page, loopback", near(), PAGE, NO_BY_HEADERS),
        row("page, loopback, Via", near(), &page_via, NO_BY_HEADERS),
    ];
    let listed = [
        (FAR_LISTED, row("listed", far(), "", YES)),
        (FAR_LISTED, row("listed, Via", far(), PROXIED, YES_BY_HEADERS)),
        (FAR_LISTED, row("listed, page", far(), PAGE, NO_BY_HEADERS)),
        (LOOPBACK_LISTED, row("listed loopback, Via", near(), PROXIED, YES_BY_HEADERS)),
        (("trusted_callers", "all"), row("all", at("198.51.100.1"), "", YES)),
    ];
    rows.extend(listed.map(|(setting, row)| Row { setting: Some(setting), ..row }));
    rows
}

/// Whose addresses the callers of the table have.
fn own_address(row: &Row) -> &'static str {
    match row.peer.address.ip().to_canonical().to_string().as_str() {
        "127.0.0.1" if row.lines.contains("X-Forwarded-For") => "203.0.113.5",
        "127.0.0.1" => "127.0.0.1",
        "::1" => "::1",
        "198.51.100.7" => "198.51.100.7",
        "198.51.100.1" => "198.51.100.1",
        _ => "192.0.2.7",
    }
}

/// Every caller, by every protocol, may state either all or nothing but what is its own.
#[test]
fn each_caller_may_state_what_the_table_says() {
    for row in table() {
        for by in By::STATING {
            let Some(trusted) = row.is_trusted(by) else {
                continue;
            };
            let rig = Rig::new(row.setting.as_slice(), &[]);
            let ask = |facts: &Value| rig.ask_from(by, &row.peer, &row.lines, facts);
            let place = format!("{} by {by:?}", row.who);
            let stated = FACTS.into_iter().chain([("ip", "198.18.0.1")]);
            // To Envoy an entry `ip` is an attribute as any other.
            for (name, value) in stated.filter(|(name, _)| by != By::Envoy || *name != "ip") {
                let told = ask(&json!({ name: value, "endpoint": "/" }));
                assert_eq!(told.status == 200, trusted, "{place} {name}: {told:?}");
                if !trusted {
                    told.refused(403, "not-trusted");
                    let field = format!("`{name}`");
                    assert!(told.text.contains(&field), "{place}: {told:?}");
                }
            }
            if by != By::Envoy {
                has_its_own_address(&rig, by, &row);
            }
        }
    }
}

/// A stranger is counted by its own address, whether it states that or nothing, and by no key that it makes up.
#[track_caller]
fn has_its_own_address(rig: &Rig, by: By, row: &Row) {
    let trusted = row.is_trusted(by) == Some(true);
    let place = format!("{} by {by:?}", row.who);
    let ask = |facts: &Value| rig.ask_from(by, &row.peer, &row.lines, facts).status;
    let own = own_address(row);
    for _ in 0..4 {
        assert_eq!(ask(&json!({ "endpoint": "/address" })), 200, "{place}");
    }
    let stated = json!({ "endpoint": "/address", "ip": own });
    assert_eq!(ask(&stated), 200, "{place}");
    // Of the five by that address a trusted caller, which named none before, has used one.
    let next = rig.ask(By::Check, &stated).status;
    assert_eq!(next, if trusted { 200 } else { 429 }, "{place}");
    let keys = ["a", "b", "a"].map(|key| ask(&json!({ "endpoint": "/either", "api_key": key })));
    let wanted = match trusted {
        true => [200, 200, 429],
        false => [200, 429, 429],
    };
    assert_eq!(keys, wanted, "{place}");
}
