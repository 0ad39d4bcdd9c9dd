//! From what was given to what is meant.

use std::{
    fmt::Display,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    str::FromStr,
};

use tollgate_catalog::{DatabaseUrl, NodeId};
use tollgate_core::SystemClock;
use tollgate_memory::MemoryStore;

use crate::gateway::{ProxyHeader, TrustedProxies};

use super::{
    Collector, ConfigError, Demo, Effective, Listeners, Logs, Origin, Owner, Problem, SETTINGS,
    Settings, Sources, Takes, Timers, Wording, authority, cross, identity, parse, redis,
    sources::{Given, Values},
    tls,
};

/// What a server is started with, and how it came to be.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// What is meant.
    pub settings: Settings,
    /// Every value with where it came from.
    pub effective: Effective,
    /// What is no error but looks like a mistake.
    pub warnings: Vec<String>,
}

/// Reads every setting.
///
/// # Errors
///
/// Everything that is wrong, together.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
    let (values, problems) = sources.gather();
    let mut reader = Reader { values, problems };
    let settings = settings(&mut reader);
    let Reader { values, problems } = reader;
    match settings {
        Some(settings) if problems.is_empty() => Ok(Loaded {
            effective: Effective::new(&values, &settings),
            settings,
            warnings: sources.doubts(),
        }),
        _ => Err(ConfigError::new(problems)),
    }
}

/// What the SQLite file in the data folder is called.
const DATABASE_FILE: &str = "tollgate.db";

/// The bodies that may be allowed: a batch of 1,000 needs some room, and nobody needs a gigabyte.
const BODY_BYTES: (usize, usize) = (1 << 10, 1 << 26);

/// What requests may hold that have not arrived whole: more than the longest command over RESP, and its buffers.
const UNFINISHED_BYTES: (usize, usize) = (1 << 22, 1 << 36);

/// What the sketches of keys without room may take; more than 1 GiB could not be saved.
const OVERFLOW_BYTES: (usize, usize) = (1 << 20, 1 << 29);

/// The connections that may be allowed.
const CONNECTIONS: (usize, usize) = (1, 1_000_000);

/// Everything is read before anything is given up, so that all problems are told together.
fn settings(reader: &mut Reader) -> Option<Settings> {
    let listen = listeners(reader);
    let wording = wording(reader);
    let envoy_fields = reader.value("envoy_fields", parse::envoy_fields);
    let penalty = reader.value("penalty", parse::penalty);
    let timers = timers(reader);
    let logs = logs(reader);
    let data = reader.value("data", parse::path);
    let given = reader.optional("database", parsed::<DatabaseUrl>);
    let beside = data.as_ref().map(|data| DatabaseUrl::file(data.join(DATABASE_FILE)));
    let database = given.or(beside);
    let rules = reader.optional("rules", parse::path);
    let region = reader.value("region", parse::name);
    let node = reader.optional("node", parse::name);
    let has_no_demo = reader.value("no_demo", parse::switch);
    let keys_max = reader.value("keys_max", |text| {
        parse::count(text, 1_000, MemoryStore::<SystemClock>::CAPACITY_MAX)
    });
    let overflow_bytes = reader
        .value("overflow_bytes", |text| parse::count(text, OVERFLOW_BYTES.0, OVERFLOW_BYTES.1));
    let token = cross::token(reader);
    let admin_rules = authority::read(reader);
    let tls = tls::read(reader);
    let redis = redis::read(reader);
    let trusted_proxies = reader.value("trusted_proxies", parsed::<TrustedProxies>);
    let client_address = reader.value("client_address", parsed::<ProxyHeader>);
    let identity = identity::read(reader);
    let otlp = reader.optional("otlp", |text| {
        let collector = text.parse::<Collector>();
        collector.map_err(|error| format!("expected http://HOST:PORT[/PATH], but it {error}"))
    });
    let settings = Settings {
        listen: listen?,
        data: data?,
        database: database?,
        redis: redis?,
        owner: rules.map_or(Owner::Catalog, Owner::File),
        region: region?,
        node: NodeId::new(&node.unwrap_or_else(random_name)),
        demo: if has_no_demo? { Demo::Off } else { Demo::Offered },
        token,
        admin_rules: admin_rules?,
        tls,
        trusted_proxies: trusted_proxies?,
        client_address: client_address?,
        identity: identity?,
        keys_max: keys_max?,
        overflow_bytes: overflow_bytes?,
        wording: wording?,
        envoy_fields: envoy_fields?,
        penalty: penalty?,
        timers: timers?,
        logs: logs?,
        otlp,
    };
    cross::check(&settings, reader);
    Some(settings)
}

/// What reads itself, with its own words for what is wrong.
fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn listeners(reader: &mut Reader) -> Option<Listeners> {
    let http = reader.value("http", parse::address);
    let grpc = reader.value("grpc", parse::address);
    let resp = reader.value("resp", parse::address);
    let admin = reader.value("admin", parse::address);
    Some(Listeners { http: http?, grpc: grpc?, resp: resp?, admin: admin? })
}

fn wording(reader: &mut Reader) -> Option<Wording> {
    let fields = reader.value("ratelimit_fields", parse::fields);
    let reset = reader.value("ratelimit_reset", parse::reset_as);
    Some(Wording { fields: fields?, reset: reset? })
}

fn timers(reader: &mut Reader) -> Option<Timers> {
    let connections_max =
        reader.value("connections_max", |text| parse::count(text, CONNECTIONS.0, CONNECTIONS.1));
    let body_bytes_max =
        reader.value("body_bytes_max", |text| parse::count(text, BODY_BYTES.0, BODY_BYTES.1));
    let unfinished_bytes_max = reader.value("unfinished_bytes_max", |text| {
        parse::count(text, UNFINISHED_BYTES.0, UNFINISHED_BYTES.1)
    });
    let request = reader.value("request_timeout", parse::span);
    let idle = reader.value("idle_timeout", parse::span);
    let resp_idle = reader.value("resp_idle_timeout", parse::span);
    let write = reader.value("write_timeout", parse::span);
    let drain = reader.value("drain_timeout", parse::span);
    Some(Timers {
        connections_max: connections_max?,
        body_bytes_max: body_bytes_max?,
        unfinished_bytes_max: unfinished_bytes_max?,
        request: request?,
        idle: idle?,
        resp_idle: resp_idle?,
        write: write?,
        drain: drain?,
    })
}

fn logs(reader: &mut Reader) -> Option<Logs> {
    let level = reader.value("log", parse::level);
    let format = reader.value("log_format", parse::log_format);
    Some(Logs { level: level?, format: format? })
}

/// Another name at every start.
fn random_name() -> String {
    let number = RandomState::new().build_hasher().finish();
    format!("node-{:08x}", number >> 32)
}

/// Takes values, and notes what is wrong with them.
pub(super) struct Reader {
    values: Values,
    problems: Vec<Problem>,
}

impl Reader {
    /// A value that there is always one of; none if it is wrong.
    pub(super) fn value<T>(
        &mut self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, parse::Expected>,
    ) -> Option<T> {
        if self.values.contains_key(name) {
            return self.optional(name, parse);
        }
        let setting = SETTINGS.iter().find(|setting| setting.name == name);
        parse(setting?.default?).ok()
    }

    /// A value that there may be none of.
    pub(super) fn optional<T>(
        &mut self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, parse::Expected>,
    ) -> Option<T> {
        let given = self.values.get(name)?.clone();
        match parse(&given.text) {
            Ok(value) => Some(value),
            Err(expected) => {
                let value = shown(name, &given);
                self.note(name, format!("{name} is {value}: {expected}"));
                None
            }
        }
    }

    /// Whether there is a value, sound or not.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub(super) fn origin(&self, name: &str) -> Origin {
        let given = self.values.get(name);
        given.map_or(Origin::Default, |given| given.origin.clone())
    }

    /// Notes that something is wrong with a setting.
    pub(super) fn note(&mut self, name: &str, message: String) {
        self.problems.push(Problem { key: name.to_owned(), origin: self.origin(name), message });
    }
}

/// The value, unless it may hold a secret.
fn shown(name: &str, given: &Given) -> String {
    const SHOWN_CHARS_MAX: usize = 100;
    let setting = SETTINGS.iter().find(|setting| setting.name == name);
    match setting.map(|setting| setting.takes) {
        Some(Takes::Value | Takes::Switch) => {
            let text: String = given.text.chars().take(SHOWN_CHARS_MAX).collect();
            format!("{text:?}")
        }
        _ => "not one that can be used".to_owned(),
    }
}
