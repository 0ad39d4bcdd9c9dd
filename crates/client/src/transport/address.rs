//! Where a server is, and how it is spoken to.

use crate::BuildError;

/// The ports that a server listens on unless told otherwise.
const HTTP_PORT: u16 = 7070;
const RESP_PORT: u16 = 7072;
/// The most servers of one client.
const SERVERS_MAX: usize = 64;

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http,
    Resp,
}

/// Whether what is said is for everybody's ears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privacy {
    Plain,
    Tls,
}

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) protocol: Protocol,
    pub(crate) privacy: Privacy,
    /// A name, or an address without brackets.
    pub(crate) host: Box<str>,
    pub(crate) port: u16,
    /// As it was written.
    pub(crate) text: Box<str>,
}

impl Address {
    /// All that stand in a list with commas.
    pub(crate) fn list(text: &str) -> Result<Vec<Self>, BuildError> {
        let parts = text.split(',').map(str::trim);
        let all: Vec<Self> = parts.map(Self::parse).collect::<Result<_, _>>()?;
        if all.len() > SERVERS_MAX {
            return Err(wrong(text, "there are more than 64"));
        }
        for (place, address) in all.iter().enumerate() {
            if all.iter().take(place).any(|other| other == address) {
                return Err(wrong(&address.text, "it is there twice"));
            }
        }
        Ok(all)
    }

    fn parse(text: &str) -> Result<Self, BuildError> {
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| wrong(text, "it has no scheme"))?;
        let (protocol, privacy) = match scheme {
            "http" => (Protocol::Http, Privacy::Plain),
            "https" => (Protocol::Http, Privacy::Tls),
            "redis" => (Protocol::Resp, Privacy::Plain),
            "rediss" => (Protocol::Resp, Privacy::Tls),
            _ => return Err(wrong(text, "its scheme is unknown")),
        };
        let place = rest.strip_suffix('/').unwrap_or(rest);
        if place.contains('@') {
            return Err(wrong(text, "a token goes into `Builder::token`"));
        }
        if place.contains(['/', '?', '#']) {
            return Err(wrong(text, "nothing can follow the port"));
        }
        let (host, port) = split(place).ok_or_else(|| wrong(text, "its port is no port"))?;
        let is_sound = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:%".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_sound) {
            return Err(wrong(text, "its host is no host"));
        }
        let default = match protocol {
            Protocol::Http => HTTP_PORT,
            Protocol::Resp => RESP_PORT,
        };
        Ok(Self {
            protocol,
            privacy,
            host: host.into(),
            port: port.unwrap_or(default),
            text: text.into(),
        })
    }

    /// What goes into the `Host` header.
    pub(super) fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

/// What may be shown of addresses: nothing that stands before an `@`, which may be a secret.
pub(crate) fn shown(text: &str) -> String {
    let one = |part: &str| match part.rsplit_once('@') {
        Some((_, place)) => format!("…@{place}"),
        None => part.to_owned(),
    };
    let parts: Vec<String> = text.split(',').map(one).collect();
    parts.join(",")
}

fn wrong(given: &str, problem: &'static str) -> BuildError {
    let given = shown(given);
    BuildError::Address { given, problem }
}

/// Host and port; an IPv6 address stands in brackets.
fn split(place: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']')?;
            (host, port.strip_prefix(':').or(port.is_empty().then_some("")))
        }
        None => match place.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, Some("")),
        },
    };
    match port? {
        "" if place.ends_with(':') => None,
        "" => Some((host, None)),
        port => Some((host, Some(port.parse().ok().filter(|port| *port > 0)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_refused_with_the_reason() {
        let read = |text: &str| {
            let all = Address::list(text).map_err(|error| error.to_string())?;
            let show = |address: &Address| (address.protocol, address.privacy, address.authority());
            Ok::<_, String>(all.iter().map(show).collect::<Vec<_>>())
        };
        use Privacy::{Plain, Tls};
        use Protocol::{Http, Resp};
        assert_eq!(
            read("http://a, redis://[::1]:9/,https://b.c:1, rediss://10.0.0.1"),
            Ok(vec![
                (Http, Plain, "a:7070".into()),
                (Resp, Plain, "[::1]:9".into()),
                (Http, Tls, "b.c:1".into()),
                (Resp, Tls, "10.0.0.1:7072".into()),
            ])
        );
        for (text, problem) in [
            ("", "no scheme"),
            ("a:7070", "no scheme"),
            ("ftp://a", "scheme is unknown"),
            ("http://", "no host"),
            ("http://a b", "no host"),
            ("http://a\r\nX: y", "no port"),
            ("http://a\r\nX", "no host"),
            ("http://a:0", "no port"),
            ("http://a:", "no port"),
            ("http://a:99999", "no port"),
            ("http://a/b", "nothing can follow"),
            ("redis://:secret@a", "Builder::token"),
            ("http://a,http://a", "twice"),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.contains(problem), "{text}: {said}");
            assert!(!said.contains("secret"), "{said}");
        }
    }
}
