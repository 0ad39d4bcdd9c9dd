//! Where a server listens.

use std::fmt;

/// Host and port. Two of them are the same server if they are written the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
}

impl Address {
    pub(super) fn new(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port }
    }

    /// As Redis writes it in `MOVED` and `ASK`: `host:port`, the host of IPv6 without brackets. No host
    /// means that of the one who says so. An unknown host (`?`) is no address.
    pub(super) fn parse(text: &str, teller: &Self) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let port = port.parse().ok().filter(|port| *port != 0)?;
        match host {
            "" => Some(Self::new(teller.host.clone(), port)),
            "?" => None,
            host => Some(Self::new(host, port)),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: C2
    #[test]
    fn addresses_are_read_as_redis_writes_them() {
        let teller = Address::new("10.0.0.1", 6_379);
        let parse = |text: &str| Address::parse(text, &teller).map(|address| address.to_string());
        assert_eq!(parse("10.0.0.2:7000").as_deref(), Some("10.0.0.2:7000"));
        assert_eq!(parse(":7000").as_deref(), Some("10.0.0.1:7000"));
        assert_eq!(parse("::1:7000").as_deref(), Some("[::1]:7000"));
        assert_eq!(parse("?:7000"), None);
        assert_eq!(parse("host:0"), None);
        assert_eq!(parse("host"), None);
    }
}
