//! How servers are spoken to: the addresses of the options, who we are there, and whom we believe.

use std::{sync::Arc, time::Duration};

use redis::{
    ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _, ProtocolVersion, RedisConnectionInfo,
};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use super::{address::Address, link::PATIENCE};
use crate::{Options, OptionsError};

/// What every connection has in common.
pub(super) struct Access {
    /// Where to ask first. The first of them is the server, if it is none of a Cluster.
    pub(super) seeds: Vec<Address>,
    /// Who we are, everywhere.
    pub(super) login: RedisConnectionInfo,
    /// Whom we believe, if connections are encrypted.
    pub(super) tls: Option<Arc<ClientConfig>>,
    /// How long the reply to a call is waited for.
    pub(super) patience: Duration,
}

impl Options {
    /// Whether a store can be made with these. Connects to nothing.
    ///
    /// # Errors
    ///
    /// The first address or certificate that cannot be used.
    pub fn check(&self) -> Result<(), OptionsError> {
        Access::new(self).map(drop)
    }

    /// The same for all nodes that share their counters by these addresses and this prefix; empty if the addresses are
    /// none.
    pub fn fleet(&self) -> String {
        let parsed = self.urls.iter().filter_map(|url| parse(url).ok());
        let place = |one: Parsed| format!("{}/{}", one.address, one.login.db());
        let mut places: Vec<String> = parsed.map(place).collect();
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            return String::new();
        }
        places.push(self.prefix.clone());
        let digest = blake3::hash(places.join("\n").as_bytes()).to_hex();
        digest.get(..32).unwrap_or_default().to_owned()
    }
}

impl Access {
    pub(super) fn new(options: &Options) -> Result<Self, OptionsError> {
        let mut parsed = Vec::with_capacity(options.urls.len());
        for (at, url) in options.urls.iter().enumerate() {
            let wrong = |why: String| OptionsError::Address { place: at + 1, why };
            parsed.push(parse(url).map_err(wrong)?);
        }
        let Some(first) = parsed.first() else {
            return Err(OptionsError::NoAddress);
        };
        let is_same = |other: &Parsed| {
            other.scheme == first.scheme
                && other.login.username() == first.login.username()
                && other.login.password() == first.login.password()
                && other.login.db() == first.login.db()
        };
        if let Some(at) = parsed.iter().position(|other| !is_same(other)) {
            let why = "all addresses must agree in scheme, user, password and database".to_owned();
            return Err(OptionsError::Address { place: at + 1, why });
        }
        let tls = match first.scheme {
            Scheme::Plain => None,
            Scheme::Tls => Some(Arc::new(believing(options.authorities.as_deref())?)),
        };
        let login = first.login.clone();
        let seeds = parsed.into_iter().map(|one| one.address).collect();
        Ok(Self { seeds, login, tls, patience: PATIENCE })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Plain,
    Tls,
}

struct Parsed {
    address: Address,
    login: RedisConnectionInfo,
    scheme: Scheme,
}

/// Reads an address. Encryption is ours, so the library is told of the same address without.
fn parse(url: &str) -> Result<Parsed, String> {
    let url = url.trim();
    let (scheme, rest) = match url.split_once("://") {
        Some(("redis" | "valkey", rest)) => (Scheme::Plain, rest),
        Some(("rediss" | "valkeys", rest)) => (Scheme::Tls, rest),
        _ => return Err("it must start with redis:// or rediss://".to_owned()),
    };
    if rest.contains('#') {
        return Err("what follows # is not understood; certificates are always checked".to_owned());
    }
    let info: ConnectionInfo = format!("redis://{rest}")
        .as_str()
        .into_connection_info()
        .map_err(|error| error.to_string())?;
    let ConnectionAddr::Tcp(host, port) = info.addr() else {
        return Err("it has no host and port".to_owned());
    };
    let login = info
        .redis_settings()
        .clone()
        .set_protocol(ProtocolVersion::RESP2)
        .set_lib_name("tollgate", env!("CARGO_PKG_VERSION"));
    if login.username().is_some() && login.password().is_none() {
        return Err("it names a user without a password".to_owned());
    }
    Ok(Parsed { address: Address::new(host, *port), login, scheme })
}

/// Believes the system's authorities, and these.
fn believing(authorities: Option<&[u8]>) -> Result<ClientConfig, OptionsError> {
    let mut roots = RootCertStore::empty();
    // A machine without any is fine as long as it is told of one; a broken one among many is no obstacle.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(pem) = authorities {
        let wrong =
            |why: String| OptionsError::Authorities(format!("{why}; give PEM certificates"));
        let mut count = 0_u32;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
            roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
            count += 1;
        }
        if count == 0 {
            return Err(wrong("there is no certificate".to_owned()));
        }
    }
    if roots.is_empty() {
        let why = "this system has none, and none were given; give PEM certificates".to_owned();
        return Err(OptionsError::Authorities(why));
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(|error| OptionsError::Authorities(error.to_string()))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(urls: &[&str]) -> Result<Access, String> {
        Access::new(&Options::new(urls.iter().copied())).map_err(|error| error.to_string())
    }

    // Proves: C2
    #[test]
    fn addresses_are_understood() {
        let found = access(&["redis://ann:s%40crt@db.example:7000/2"]).unwrap();
        assert_eq!(found.seeds, [Address::new("db.example", 7_000)]);
        assert_eq!(found.login.username(), Some("ann"));
        assert_eq!(found.login.password(), Some("s@crt"));
        assert_eq!(found.login.db(), 2);
        assert!(found.tls.is_none());
        let found = access(&["redis://a", "redis://[::1]:7001"]).unwrap();
        assert_eq!(found.seeds, [Address::new("a", 6_379), Address::new("::1", 7_001)]);
    }

    #[test]
    fn what_is_no_address_is_told_without_repeating_it() {
        assert!(access(&[]).is_err());
        for wrong in [
            "http://secret.host",
            "secret",
            "redis://",
            "rediss://secret#insecure",
            "unix:///secret",
            "redis://secret@h",
            "redis://h:notaport",
        ] {
            let told = access(&["redis://fine", wrong]).err().unwrap();
            assert!(told.starts_with("address 2 of Redis: "), "{told}");
            assert!(!told.contains("secret"), "{told}");
        }
        assert!(access(&["redis://:a@h", "redis://:b@i"]).is_err());
        assert!(access(&["redis://h", "rediss://i"]).is_err());
    }

    #[test]
    fn authorities_are_certificates() {
        let mut options = Options::new(["rediss://h"]);
        options.authorities = Some(b"nothing".to_vec());
        let told = Access::new(&options).err().unwrap().to_string();
        assert!(told.contains("no certificate"), "{told}");
    }
}
