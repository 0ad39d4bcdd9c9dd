//! Who may do what, by what they show and where they are.

use std::sync::Arc;

use tollgate_catalog::Lineage;

use super::{Actor, Authority, Caller, Door, Permission, Proof, Refused, Role, Token};

const SECRET: &str = "0123456789abcdef";

fn allows(token: Option<&str>, door: Door, shown: Option<&str>, wanted: Permission) -> bool {
    let authority = Authority::new(token.and_then(Token::new));
    let caller = Caller { door, token: shown, name: None };
    authority.allows(caller, wanted).is_ok()
}

#[test]
fn whoever_asks_needs_nothing() {
    for door in [Door::Loopback, Door::Open] {
        assert!(allows(Some(SECRET), door, None, Permission::Check));
        assert!(allows(None, door, None, Permission::Check));
    }
}

#[test]
fn this_machine_is_trusted_until_there_is_a_token() {
    for wanted in [Permission::Read, Permission::Rules, Permission::Counters] {
        assert!(allows(None, Door::Loopback, None, wanted));
        assert!(!allows(None, Door::Open, None, wanted));
        assert!(!allows(Some(SECRET), Door::Open, None, wanted));
        assert!(allows(Some(SECRET), Door::Open, Some(SECRET), wanted));
    }
    let (door, token) = (Door::Loopback, Some(SECRET));
    assert!(!allows(token, door, None, Permission::Rules));
    assert!(allows(token, door, None, Permission::Counters));
}

// Proves: S7
#[test]
fn whoever_showed_a_certificate_is_trusted_as_this_machine_is() {
    let all = |token: Option<&str>, shown, door, name| {
        let authority = Authority::new(token.and_then(Token::new));
        let token = shown;
        let caller = Caller { door, token, name };
        Permission::ALL.map(|wanted| authority.allows(caller, wanted).map(drop))
    };
    for token in [None, Some(SECRET)] {
        for shown in [None, Some(SECRET), Some("0123456789abcdeF")] {
            let near = all(token, shown, Door::Loopback, None);
            let named = all(token, shown, Door::Open, Some("billing.example"));
            assert_eq!(named, near);
        }
    }
}

#[test]
fn only_the_whole_token_will_do_also_on_this_machine() {
    for shown in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF"] {
        for token in [None, Some(SECRET)] {
            let authority = Authority::new(token.and_then(Token::new));
            let caller = Caller { door: Door::Loopback, token: Some(shown), name: None };
            let refused = authority.allows(caller, Permission::Read);
            assert_eq!(refused, Err(Refused::Wrong), "{shown:?}");
        }
    }
}

#[test]
fn a_token_is_long_and_plain_and_never_shown() {
    assert!(Token::new("short").is_none());
    assert!(Token::new("0123456789 abcdef").is_none());
    let token = Token::new(SECRET).unwrap();
    assert!(!format!("{token:?}").contains("0123"));
}

/// The words of roles and permissions are theirs alone, and are read as they are written.
#[test]
fn words_are_read_as_they_are_written() {
    for role in Role::ALL {
        assert_eq!(role.word().parse(), Ok(role));
    }
    for permission in Permission::ALL {
        assert_eq!(permission.word().parse(), Ok(permission));
    }
    assert!("root".parse::<Role>().is_err());
    assert!("".parse::<Permission>().is_err());
}

// Proves: I5
#[test]
fn a_scope_takes_away_and_never_adds() {
    let actor = |role, scopes: &[Permission]| Actor {
        name: "dana".into(),
        role,
        scopes: Some(Arc::from(scopes)),
        proof: Proof::Issued,
        line: Lineage::unknown(),
        issued_at: None,
    };
    let reader = actor(Role::Admin, &[Permission::Read]);
    assert_eq!(reader.may(Permission::Read), Ok(()));
    assert_eq!(reader.may(Permission::ReadOverrides), Ok(()), "a part of it");
    let wanted = Permission::Rules;
    assert_eq!(reader.may(wanted), Err(Refused::OutOfScope { wanted }));
    let viewer = actor(Role::Viewer, &[Permission::Rules]);
    let role = Role::Viewer;
    assert_eq!(viewer.may(wanted), Err(Refused::WrongRole { role, wanted }));
    let overrider = actor(Role::Admin, &[Permission::Overrides]);
    assert_eq!(overrider.may(Permission::TemporaryOverrides), Ok(()));
    assert!(overrider.may(Permission::Read).is_err());
}
