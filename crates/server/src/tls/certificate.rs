//! What a certificate says: whose it is, and until when.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use rustls::pki_types::CertificateDer;
use tollgate_rules::normalise::is_control_or_bidi;
use x509_parser::{
    certificate::X509Certificate,
    extensions::GeneralName,
    prelude::{FromDer as _, X509Error},
};

/// The longest name that is kept of a certificate.
pub(crate) const NAME_CHARS_MAX: usize = 200;

/// What is told of a server's chain of certificates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// The number that its maker gave it, in hexadecimal.
    pub(crate) serial: String,
    /// From when on all of the chain holds, in seconds since 1970.
    pub(crate) begins_s: u64,
    /// Until when all of the chain holds, in seconds since 1970.
    pub(crate) expires_s: u64,
    /// The names and addresses that it is for.
    pub(crate) hosts: Vec<String>,
    /// Whether the chain ends with one that signed itself: then the file is all that a client needs.
    pub(crate) is_rooted: bool,
}

/// Whose certificate a client showed, and until when it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) expires_s: u64,
}

impl About {
    /// Of a chain, the server's own first.
    pub(super) fn of(chain: &[CertificateDer<'_>]) -> Result<Self, String> {
        let mut about = Self {
            expires_s: u64::MAX,
            ..Self::default()
        };
        for (place, der) in chain.iter().enumerate() {
            let certificate = parse(der)?;
            let validity = certificate.validity();
            let seconds = |time: i64| u64::try_from(time).unwrap_or(0);
            about.begins_s = about.begins_s.max(seconds(validity.not_before.timestamp()));
            about.expires_s = about.expires_s.min(seconds(validity.not_after.timestamp()));
            about.is_rooted = certificate.subject() == certificate.issuer();
            if place == 0 {
                about.serial = serial(&certificate);
                about.hosts = hosts(&certificate);
            }
        }
        Ok(about)
    }
}

impl Shown {
    pub(super) fn of(der: &CertificateDer<'_>) -> Result<Self, String> {
        let certificate = parse(der)?;
        let expires = certificate.validity().not_after.timestamp();
        Ok(Self {
            name: name(&certificate),
            expires_s: u64::try_from(expires).unwrap_or(0),
        })
    }
}

fn parse<'d>(der: &'d CertificateDer<'_>) -> Result<X509Certificate<'d>, String> {
    let parsed = X509Certificate::from_der(der);
    let (_, certificate) = parsed.map_err(|error| match error {
        x509_parser::nom::Err::Error(why) | x509_parser::nom::Err::Failure(why) => why.to_string(),
        x509_parser::nom::Err::Incomplete(_) => X509Error::InvalidCertificate.to_string(),
    })?;
    Ok(certificate)
}

/// The first DNS name, else the first URI (as SPIFFE has it), else the common name, else its number: what
/// somebody is called who showed a certificate that is signed by whom we trust. The latter two say what
/// they are, since many a CA looks less closely at them: neither is to be taken for a DNS name.
fn name(certificate: &X509Certificate<'_>) -> String {
    let names = || alternatives(certificate);
    let dns = names().find_map(|name| match name {
        GeneralName::DNSName(name) => plain(name),
        _ => None,
    });
    let uri = || {
        names().find_map(|name| match name {
            GeneralName::URI(uri) => plain(uri),
            _ => None,
        })
    };
    let common = || {
        let mut names = certificate.subject().iter_common_name();
        let name = names.find_map(|name| plain(name.as_str().ok()?))?;
        plain(&format!("cn:{name}"))
    };
    dns.or_else(uri)
        .or_else(common)
        .unwrap_or_else(|| format!("serial:{}", serial(certificate)))
}

/// A name that can stand in a log and in a header: no blanks but between words, nothing that moves a
/// cursor, and not without end. One that cannot is none, rather than somebody else's.
fn plain(name: &str) -> Option<String> {
    let is_sound = !name.is_empty()
        && name.chars().count() <= NAME_CHARS_MAX
        && name.trim() == name
        && !name.contains(is_control_or_bidi);
    is_sound.then(|| name.to_owned())
}

fn hosts(certificate: &X509Certificate<'_>) -> Vec<String> {
    let hosts = alternatives(certificate).filter_map(|name| match name {
        GeneralName::DNSName(name) => plain(name),
        GeneralName::IPAddress(octets) => address(octets).map(|address| address.to_string()),
        _ => None,
    });
    hosts.collect()
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(octets).map(|octets| Ipv4Addr::from(octets).into());
    let sixteen = || <[u8; 16]>::try_from(octets).map(|octets| Ipv6Addr::from(octets).into());
    four.or_else(|_| sixteen()).ok()
}

fn alternatives<'c>(
    certificate: &'c X509Certificate<'c>,
) -> impl Iterator<Item = &'c GeneralName<'c>> {
    let extension = certificate.subject_alternative_name().ok().flatten();
    extension
        .into_iter()
        .flat_map(|extension| extension.value.general_names.iter())
}

/// At most 20 octets, says the standard; whoever has more is cut.
fn serial(certificate: &X509Certificate<'_>) -> String {
    let octets = certificate.raw_serial().iter().take(20);
    octets.map(|octet| format!("{octet:02x}")).collect()
}
