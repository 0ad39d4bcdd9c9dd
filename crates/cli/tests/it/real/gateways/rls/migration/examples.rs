//! The examples that envoyproxy/ratelimit comes with, in the model's terms: those of its manual by number, and the
//! files of its examples folder. Where one limits by the second or the minute, it does so by the day here, so that
//! no test is in two windows; amounts of hundreds are tens.

use super::model::{Descriptor, Model, key};

/// A configuration, and descriptors that somebody who has it would send.
pub(super) struct Example {
    pub(super) domain: &'static str,
    pub(super) model: Model,
    pub(super) descriptors: Vec<Descriptor>,
}

fn example(domain: &'static str, model: Model, descriptors: Vec<Descriptor>) -> Example {
    Example { domain, model, descriptors }
}

pub(super) fn all() -> Vec<Example> {
    let mut all = plain();
    all.extend(special());
    all.push(files());
    all
}

/// Keys, values and depth.
fn plain() -> Vec<Example> {
    let databases = Model::new([
        key("database").value("users").amount(5),
        key("database").value("default").amount(5),
    ]);
    let messages = Model::new([
        key("message_type").value("marketing").below([key("to_number").amount(5)]),
        key("to_number").amount(10),
    ]);
    let addresses = Model::new([
        key("remote_address").amount(10),
        key("remote_address").value("50.0.0.5").amount(0),
    ]);
    let depth = Model::new([key("key").value("value").amount(3).below([key("subkey").amount(3)])]);
    vec![
        example(
            "mongo_cps",
            databases,
            vec![
                vec![("database", "users")],
                vec![("database", "default")],
                vec![("database", "other")],
                vec![("table", "users")],
            ],
        ),
        example(
            "messaging",
            messages,
            vec![
                vec![("message_type", "marketing"), ("to_number", "2061111111")],
                vec![("message_type", "marketing"), ("to_number", "2062222222")],
                vec![("message_type", "alert"), ("to_number", "2061111111")],
                vec![("to_number", "2061111111")],
                vec![("to_number", "2062222222")],
                vec![("message_type", "marketing")],
            ],
        ),
        example(
            "edge_proxy_per_ip",
            addresses,
            vec![
                vec![("remote_address", "50.0.0.1")],
                vec![("remote_address", "50.0.0.2")],
                vec![("remote_address", "50.0.0.5")],
            ],
        ),
        example(
            "example4",
            depth,
            vec![
                vec![("key", "value")],
                vec![("key", "value"), ("subkey", "subvalue")],
                vec![("key", "value"), ("subkey", "another")],
                vec![("key", "value"), ("subkey", "subvalue"), ("more", "yes")],
                vec![("subkey", "subvalue"), ("key", "value")],
            ],
        ),
    ]
}

/// No limit, no consequence, other metrics, wildcards.
fn special() -> Vec<Example> {
    let internal = Model::new([key("ldap").unlimited(), key("azure").amount(10)]);
    let shadow = Model::new([key("service").below([
        key("user").value("user-a").amount(1).shadow(),
        key("user").value("user-b").amount(2),
    ])]);
    let detailed = Model::new([key("key1").amount(1), key("key1").value("value1").amount(2)]);
    let wildcard = Model::new([key("key1").value("value*").amount(2)]);
    let deep = Model::new([
        key("user").below([key("action").value("read*").below([key("resource").amount(2)])])
    ]);
    let shared = Model::new([
        key("files").value("files/*").amount(10).shared(),
        key("files_no_share").value("files_no_share/*").amount(3),
    ]);
    let one = |key: &'static str, values: &[&'static str]| -> Vec<Descriptor> {
        values.iter().map(|value| vec![(key, *value)]).collect()
    };
    let mut internals = one("ldap", &["a", "b"]);
    internals.extend(one("azure", &["a", "b"]));
    let services = ["auth-service", "mail-service"].into_iter();
    let services = services.flat_map(|service| {
        ["user-a", "user-b", "user-c"].map(|user| vec![("service", service), ("user", user)])
    });
    let mut shares = one("files", &["files/a.pdf", "files/b.csv", "other/c.txt"]);
    shares.extend(one("files_no_share", &["files_no_share/a.pdf", "files_no_share/b.csv"]));
    let deeds = ["readfile", "readlink", "write"].into_iter();
    let deeds = deeds.flat_map(|action| {
        ["alice", "bob"].map(|user| vec![("user", user), ("action", action), ("resource", "x")])
    });
    vec![
        example("internal", internal, internals),
        example("example6", shadow, services.collect()),
        example("example8", detailed, one("key1", &["value1", "a", "b"])),
        example("example9", wildcard, one("key1", &["value1", "value2", "other"])),
        example("example10_wildcard", deep, deeds.collect()),
        example("example11", shared, shares),
    ]
}

/// The one that its demonstration runs with.
fn files() -> Example {
    let model = Model::new([
        key("source_cluster")
            .value("proxy")
            .below([key("destination_cluster").value("mock").amount(1)]),
        key("foo").amount(2).below([
            key("bar").amount(3),
            key("bar").value("banned").amount(0),
            key("baz").amount(1),
            key("baz").value("shady").amount(1).shadow(),
            key("bay").unlimited(),
        ]),
        key("qux").unlimited(),
    ]);
    let first = ("foo", "foo");
    let descriptors = vec![
        vec![("source_cluster", "proxy"), ("destination_cluster", "mock")],
        vec![("source_cluster", "proxy"), ("destination_cluster", "other")],
        vec![first],
        vec![("foo", "another")],
        vec![first, ("bar", "bar")],
        vec![first, ("bar", "banned")],
        vec![first, ("baz", "baz")],
        vec![first, ("baz", "shady")],
        vec![first, ("baz", "not-so-shady")],
        vec![first, ("bay", "bay")],
        vec![("qux", "qux")],
    ];
    example("rl", model, descriptors)
}
