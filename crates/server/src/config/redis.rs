//! Where counters are shared.

use std::{fmt, path::PathBuf, str::FromStr, time::Duration};

use tollgate_redis::Leases;

use super::{
    build::Reader,
    parse::{self, Expected},
};

/// The Redis that a fleet shares its counters through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redis {
    /// One server, or any nodes of one Cluster.
    pub urls: Vec<RedisUrl>,
    /// Who signs its certificates, besides those that the system believes.
    pub ca: Option<PathBuf>,
    /// How long a decision may wait for it.
    pub deadline: Duration,
    /// What the names of all counters begin with there.
    pub prefix: String,
    /// Whether slices of limits are leased.
    pub leases: Leases,
}

/// The address of a Redis. It may hold a password, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl(String);

/// The most addresses: any node of a Cluster leads to the others.
const URLS_MAX: usize = 64;
/// The longest that a decision may be made to wait.
const DEADLINE_MAX: Duration = Duration::from_secs(1);
/// The longest beginning of a counter's name.
const PREFIX_BYTES_MAX: usize = 32;

impl RedisUrl {
    /// The longest address.
    pub const BYTES_MAX: usize = 1_024;

    /// With the password.
    pub(crate) fn in_clear(&self) -> &str {
        &self.0
    }

    fn is_sealed(&self) -> bool {
        self.0.starts_with("rediss://")
    }
}

/// Why an address is not that of a Redis. It is not repeated: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RedisUrlError(&'static str);

impl FromStr for RedisUrl {
    type Err = RedisUrlError;

    fn from_str(text: &str) -> Result<Self, RedisUrlError> {
        if text.len() > Self::BYTES_MAX {
            return Err(RedisUrlError("is longer than 1,024 bytes"));
        }
        if text.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
            return Err(RedisUrlError("has a blank in it"));
        }
        let schemes = ["redis://", "rediss://"];
        let rest = schemes.iter().find_map(|scheme| text.strip_prefix(scheme));
        let rest = rest.ok_or(RedisUrlError(
            "begins with neither redis:// nor rediss://: write redis://HOST:PORT",
        ))?;
        let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (place, None),
        };
        if host.is_empty() {
            return Err(RedisUrlError("names no host"));
        }
        if port.is_some_and(|port| port.parse::<u16>().is_err()) {
            return Err(RedisUrlError("has a port that is none"));
        }
        Ok(Self(text.to_owned()))
    }
}

/// Without the password, and without options, which may hold one, too.
impl fmt::Display for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.0.split(['?', '#']).next().unwrap_or_default();
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let Some((who, place)) = rest.rsplit_once('@') else {
            return write!(f, "{scheme}://{rest}");
        };
        let user = who.split(':').next().unwrap_or_default();
        write!(f, "{scheme}://{user}:***@{place}")
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Redis {
    /// Its addresses, as they may be shown.
    pub fn shown(&self) -> String {
        let urls: Vec<String> = self.urls.iter().map(ToString::to_string).collect();
        urls.join(",")
    }
}

/// What was given, with what is wrong noted. The outer is none if something is.
pub(super) fn read(reader: &mut Reader) -> Option<Option<Redis>> {
    let was_given = reader.is_given("redis");
    let urls = reader.optional("redis", urls);
    let ca = reader.optional("redis_ca", parse::path);
    let deadline = reader.value("redis_deadline", deadline);
    let prefix = reader.value("redis_prefix", prefix);
    let leases = reader.value("leases", leases);
    if let Some(urls) = &urls
        && ca.is_some()
        && !urls.iter().any(RedisUrl::is_sealed)
    {
        let why = "redis_ca is set, but no address of redis begins with rediss://: a connection in clear \
                   shows no certificate, so write rediss:// or leave redis_ca out";
        reader.note("redis_ca", why.to_owned());
    }
    if !was_given && ca.is_some() {
        let why = "redis_ca is set without redis: set redis, too, or leave it out";
        reader.note("redis_ca", why.to_owned());
    }
    let (deadline, prefix, leases) = (deadline?, prefix?, leases?);
    match urls {
        Some(urls) => Some(Some(Redis { urls, ca, deadline, prefix, leases })),
        None => (!was_given).then_some(None),
    }
}

fn urls(text: &str) -> Result<Vec<RedisUrl>, Expected> {
    let expected = |place: usize, error: RedisUrlError| {
        format!(
            "address {place} {error}; expected redis://[USER:PASSWORD@]HOST[:PORT] or rediss://…, several \
             nodes of a Cluster separated by commas"
        )
    };
    let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
    let urls = texts.zip(1..).map(|(text, place)| {
        let url = text.parse::<RedisUrl>();
        url.map_err(|error| expected(place, error))
    });
    let urls: Vec<RedisUrl> = urls.collect::<Result<_, _>>()?;
    match urls.len() {
        0 => Err(expected(1, RedisUrlError("is empty"))),
        1..=URLS_MAX => Ok(urls),
        _ => Err(format!("expected at most {URLS_MAX} addresses: any node leads to the others")),
    }
}

fn deadline(text: &str) -> Result<Duration, Expected> {
    let wrong = || "expected a span from 1ms to 1s with its unit, such as 5ms".to_owned();
    let span = parse::span(text).map_err(|_| wrong())?;
    if span > DEADLINE_MAX {
        return Err(wrong());
    }
    Ok(span)
}

fn prefix(text: &str) -> Result<String, Expected> {
    let is_sound = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if text.is_empty() || text.len() > PREFIX_BYTES_MAX || !text.chars().all(is_sound) {
        return Err(format!(
            "expected 1 to {PREFIX_BYTES_MAX} letters, digits, dots, dashes or underscores"
        ));
    }
    Ok(text.to_owned())
}

fn leases(text: &str) -> Result<Leases, Expected> {
    match text {
        "on" => Ok(Leases::On),
        "off" => Ok(Leases::Off),
        _ => Err("expected on or off".to_owned()),
    }
}
