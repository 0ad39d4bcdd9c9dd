//! What the files hold, checked.

use std::{
    fs::File,
    io::Read as _,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::Path,
    sync::{Arc, LazyLock},
};

use rustls::{
    Error, InconsistentKeys, RootCertStore,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject as _},
    sign::CertifiedKey,
};
use tollgate_rules::normalise::is_control_or_bidi;
use x509_parser::{
    certificate::X509Certificate,
    extensions::GeneralName,
    prelude::{FromDer as _, X509Error},
};

use super::error::{Flaw, Role, TlsError};
use crate::config::TlsFiles;

/// The longest file; a chain has a few kilobytes, and all public roots together 250.
const BYTES_MAX: u64 = 1 << 20;

/// The bytes of the files of a listener, not yet understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
    client_ca: Option<Vec<u8>>,
}

/// What a listener shows, and whom it believes.
#[derive(Clone, Debug)]
pub(crate) struct Material {
    pub(super) certified: Arc<CertifiedKey>,
    pub(super) client_ca: Option<Arc<RootCertStore>>,
    pub(super) about: About,
}

impl Material {
    /// What the certificate says.
    pub(crate) const fn about(&self) -> &About {
        &self.about
    }
}

impl Contents {
    pub(super) fn read(files: &TlsFiles) -> Result<Self, TlsError> {
        let client_ca = files.client_ca.as_deref();
        Ok(Self {
            certificate: read_file(Role::Certificate, &files.certificate)?,
            key: read_file(Role::Key, &files.key)?,
            client_ca: client_ca.map(|ca| read_file(Role::ClientCa, ca)).transpose()?,
        })
    }

    /// What the files hold by now, if it is anything else.
    pub(super) fn news(&self, files: &TlsFiles) -> Result<Option<(Self, Material)>, TlsError> {
        let read = Self::read(files)?;
        if read == *self {
            return Ok(None);
        }
        let material = read.understand(files)?;
        Ok(Some((read, material)))
    }

    /// What they hold, if it can be used.
    pub(super) fn understand(&self, files: &TlsFiles) -> Result<Material, TlsError> {
        let failed = |role, flaw| {
            let path = match role {
                Role::Key => &files.key,
                _ => &files.certificate,
            };
            TlsError { role, path: path.clone(), flaw }
        };
        let chain = certificates(&self.certificate);
        let chain = chain.map_err(|flaw| failed(Role::Certificate, flaw))?;
        let about = About::of(&chain);
        let about = about.map_err(|why| failed(Role::Certificate, Flaw::BadCertificate(why)))?;
        let key = key(&self.key).map_err(|flaw| failed(Role::Key, flaw))?;
        let certified = CertifiedKey::from_der(chain, key, &provider());
        let certified = certified.map_err(|error| match error {
            Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                failed(Role::Key, Flaw::OtherKey(files.certificate.clone()))
            }
            error => failed(Role::Key, Flaw::BadKey(error.to_string())),
        })?;
        let ca = files.client_ca.as_deref().zip(self.client_ca.as_deref());
        Ok(Material {
            certified: Arc::new(certified),
            client_ca: ca.map(|(path, bytes)| roots(Role::ClientCa, path, bytes)).transpose()?,
            about,
        })
    }
}

impl Material {
    /// Reads and checks the files.
    pub(crate) fn of(files: &TlsFiles) -> Result<Self, TlsError> {
        Contents::read(files)?.understand(files)
    }
}

/// The certificates of those whom we believe.
pub(super) fn roots(role: Role, path: &Path, bytes: &[u8]) -> Result<Arc<RootCertStore>, TlsError> {
    let failed = |flaw| TlsError { role, path: path.to_owned(), flaw };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(bytes).map_err(failed)? {
        let added = roots.add(certificate);
        added.map_err(|error| failed(Flaw::BadCertificate(error.to_string())))?;
    }
    Ok(Arc::new(roots))
}

/// One that can be read again: to open a pipe that nobody writes to would never end.
fn read_file(role: Role, path: &Path) -> Result<Vec<u8>, TlsError> {
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        return Err(TlsError { role, path: path.to_owned(), flaw: Flaw::NotAFile });
    }
    read(role, path)
}

pub(super) fn read(role: Role, path: &Path) -> Result<Vec<u8>, TlsError> {
    let failed = |flaw| TlsError { role, path: path.to_owned(), flaw };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(failed(Flaw::Unreadable(error))),
        Ok(length) if u64::try_from(length).is_ok_and(|length| length > BYTES_MAX) => {
            Err(failed(Flaw::TooLong(BYTES_MAX)))
        }
        Ok(_) => Ok(bytes),
    }
}

pub(super) fn certificates(bytes: &[u8]) -> Result<Vec<CertificateDer<'static>>, Flaw> {
    needs_pem(bytes)?;
    let read: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(bytes).collect();
    match read {
        Ok(chain) if chain.is_empty() => Err(Flaw::NoCertificate),
        Ok(chain) => Ok(chain),
        Err(error) => Err(Flaw::BadPem(error.to_string())),
    }
}

pub(super) fn key(bytes: &[u8]) -> Result<PrivateKeyDer<'static>, Flaw> {
    needs_pem(bytes)?;
    match PrivateKeyDer::from_pem_slice(bytes) {
        Ok(key) => Ok(key),
        Err(pem::Error::NoItemsFound) if holds(bytes, b"ENCRYPTED") => Err(Flaw::EncryptedKey),
        Err(pem::Error::NoItemsFound) => Err(Flaw::NoKey),
        Err(error) => Err(Flaw::BadPem(error.to_string())),
    }
}

fn needs_pem(bytes: &[u8]) -> Result<(), Flaw> {
    if holds(bytes, b"-----BEGIN ") {
        return Ok(());
    }
    Err(Flaw::NotPem)
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

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
        let mut about = Self { expires_s: u64::MAX, ..Self::default() };
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
        Ok(Self { name: name(&certificate), expires_s: u64::try_from(expires).unwrap_or(0) })
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
    dns.or_else(uri).or_else(common).unwrap_or_else(|| format!("serial:{}", serial(certificate)))
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
    extension.into_iter().flat_map(|extension| extension.value.general_names.iter())
}

/// At most 20 octets, says the standard; whoever has more is cut.
fn serial(certificate: &X509Certificate<'_>) -> String {
    let octets = certificate.raw_serial().iter().take(20);
    octets.map(|octet| format!("{octet:02x}")).collect()
}

/// What every handshake is made with. It is installed for the process as well, once, so that a library
/// that asks for the usual one finds the same.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| {
        // Somebody who embeds us may have been first, and has chosen for the libraries, not for us.
        drop(aws_lc_rs::default_provider().install_default());
        Arc::new(aws_lc_rs::default_provider())
    });
    Arc::clone(&PROVIDER)
}
