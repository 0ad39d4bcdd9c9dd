//! Where metrics are pushed to.

use std::{fmt, str::FromStr};

/// The address of an OpenTelemetry collector that takes OTLP over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    host: String,
    port: u16,
    path: String,
}

impl Collector {
    /// Where collectors take OTLP over HTTP unless told otherwise.
    pub const PORT_DEFAULT: u16 = 4_318;

    /// The path for metrics that the protocol names.
    pub const PATH_DEFAULT: &str = "/v1/metrics";

    /// The longest address.
    pub const BYTES_MAX: usize = 1_024;

    /// The host, without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        let inner = self.host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        inner.unwrap_or(&self.host)
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// `host:port`, as in the `Host` header.
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// Why an address is not that of a collector. The address is not repeated: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CollectorError(&'static str);

impl FromStr for Collector {
    type Err = CollectorError;

    fn from_str(text: &str) -> Result<Self, CollectorError> {
        if text.len() > Self::BYTES_MAX {
            return Err(CollectorError("longer than 1,024 bytes"));
        }
        if text.starts_with("https://") {
            return Err(CollectorError(
                "https:// is not supported yet: run a collector on this machine and push to it",
            ));
        }
        let rest = text.strip_prefix("http://");
        let rest = rest.ok_or(CollectorError("does not begin with http://"))?;
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        if authority.contains('@') {
            return Err(CollectorError("a user and password are not supported"));
        }
        let sound = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        if !sound(authority) || !sound(path) || path.contains(['?', '#']) {
            return Err(CollectorError("has a character that an address cannot have"));
        }
        let (host, port) = split(authority)?;
        let path = if path.len() > 1 { path } else { Self::PATH_DEFAULT };
        Ok(Self { host: host.to_owned(), port, path: path.to_owned() })
    }
}

fn split(authority: &str) -> Result<(&str, u16), CollectorError> {
    let colon = authority.rfind(':');
    // The colons of `[::1]` are not those before a port.
    let colon = colon.filter(|&colon| !authority.get(colon..).unwrap_or_default().contains(']'));
    let (host, port) = match colon.and_then(|colon| authority.split_at_checked(colon)) {
        Some((host, port)) => (host, port.trim_start_matches(':').parse().ok()),
        None => (authority, Some(Collector::PORT_DEFAULT)),
    };
    match port {
        _ if host.is_empty() => Err(CollectorError("has no host")),
        Some(port) if port > 0 => Ok((host, port)),
        _ => Err(CollectorError("the port is not a number from 1 to 65535")),
    }
}

impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}:{}{}", self.host, self.port, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::Collector;

    #[test]
    fn an_address_is_completed() {
        for (given, meant) in [
            ("http://otel", "http://otel:4318/v1/metrics"),
            ("http://otel:80/", "http://otel:80/v1/metrics"),
            ("http://[::1]:4318", "http://[::1]:4318/v1/metrics"),
            ("http://[::1]/x", "http://[::1]:4318/x"),
        ] {
            assert_eq!(given.parse::<Collector>().unwrap().to_string(), meant);
        }
        assert_eq!("http://[::1]".parse::<Collector>().unwrap().host(), "::1");
    }

    #[test]
    fn what_is_none_is_refused_without_being_repeated() {
        for bad in [
            "",
            "otel:4318",
            "https://otel",
            "http://",
            "http://:80",
            "http://h:0",
            "http://h:99999",
            "http://ann:hunter2@h",
            "http://h\r\nX: y/",
            "http://h/?a=b",
        ] {
            let error = bad.parse::<Collector>().unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{bad:?}: {error}");
        }
    }
}
