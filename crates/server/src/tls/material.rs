//! What the files hold, checked.

use std::{fs::File, io::Read as _, path::Path, sync::Arc};

use rustls::{
    Error, InconsistentKeys, RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject as _},
    sign::CertifiedKey,
};

use super::{
    certificate::About,
    error::{Flaw, Role, TlsError},
    provider::provider,
};
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
            client_ca: client_ca
                .map(|ca| read_file(Role::ClientCa, ca))
                .transpose()?,
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
            TlsError {
                role,
                path: path.clone(),
                flaw,
            }
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
            client_ca: ca
                .map(|(path, bytes)| roots(Role::ClientCa, path, bytes))
                .transpose()?,
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
    let failed = |flaw| TlsError {
        role,
        path: path.to_owned(),
        flaw,
    };
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
        return Err(TlsError {
            role,
            path: path.to_owned(),
            flaw: Flaw::NotAFile,
        });
    }
    read(role, path)
}

pub(super) fn read(role: Role, path: &Path) -> Result<Vec<u8>, TlsError> {
    let failed = |flaw| TlsError {
        role,
        path: path.to_owned(),
        flaw,
    };
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
