//! Rule sets and requests of the size and mix that a platform team has.

use tollgate::rules::{Action, Field, Key, Name, Query, Rule, RuleSet};

/// A rule set of `count` rules: two fifths exact paths, a quarter with a parameter, a fifth with a
/// wildcard, a tenth networks, the rest named users.
pub(crate) fn rule_set(count: usize) -> RuleSet {
    let mut set = RuleSet::default();
    for place in 0..count {
        let rule = rule(place);
        set.rules.insert(rule.name.clone(), rule.into());
    }
    set
}

fn rule(place: usize) -> Rule {
    let name: Name = format!("rule-{place}").parse().expect("a name");
    let key = Key::new([Field::User.into()]).expect("a key");
    let mut rule = Rule::throttle(name, key, "200000/h".parse().expect("a limit"));
    let pattern = |text: String| Some(text.parse().expect("a pattern"));
    match place % 20 {
        0..8 => {
            rule.matches.endpoint = pattern(format!("/api/v1/service-{place}/list"));
            rule.matches.methods = vec!["GET".parse().expect("a method")];
        }
        8..13 => rule.matches.endpoint = pattern(format!("/api/v1/service-{place}/items/{{id}}")),
        13..17 => rule.matches.endpoint = pattern(format!("/api/v1/service-{place}/files/**")),
        17..19 => {
            let network = format!("10.{}.{}.0/24", place / 256 % 256, place % 256);
            rule.matches.networks = vec![network.parse().expect("a network")];
            rule.action = Action::Block;
        }
        _ => rule.matches.users = vec![format!("vip-{place}").into()],
    }
    rule
}

/// What a request asks for, as text.
#[derive(Debug)]
pub(crate) struct Asked {
    user: String,
    path: String,
    address: String,
}

impl Asked {
    /// A request that meets rule `place` of a set, or for every fifth none.
    pub(crate) fn new(place: usize) -> Self {
        let path = match place % 20 {
            0..8 => format!("/api/v1/service-{place}/list"),
            8..13 => format!("/api/v1/service-{place}/items/4711"),
            13..17 => format!("/api/v1/service-{place}/files/2026/11/report.pdf"),
            _ => format!("/health/{place}"),
        };
        let user = match place % 20 {
            19 => format!("vip-{place}"),
            _ => format!("user-{}", place % 1_000),
        };
        Self { user, path, address: format!("192.0.{}.{}", place / 256 % 256, place % 256) }
    }

    pub(super) fn query(&self) -> Query<'_> {
        let query = Query::new().user(&self.user).expect("a user");
        let query = query.endpoint(&self.path).expect("a path");
        let query = query.method("GET").expect("a method");
        query.ip(&self.address).expect("an address")
    }

    /// The same by the names of the wire, for a user of its own.
    pub(crate) fn facts(&self, user: usize) -> [(&'static str, String); 4] {
        let user = match self.user.strip_prefix("vip-") {
            Some(_) => self.user.clone(),
            None => format!("user-{user}"),
        };
        [
            ("user_id", user),
            ("endpoint", self.path.clone()),
            ("method", "GET".to_owned()),
            ("ip", self.address.clone()),
        ]
    }
}
