//! Certificates for a day: an authority, and what it signs, as PEM files in a folder.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, SanType, SerialNumber, date_time_ymd,
};
use tollgate_core::{Clock as _, SystemClock};

/// Somebody who signs certificates.
#[derive(Debug)]
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate and its key, in files.
#[derive(Clone, Debug)]
pub struct Signed {
    /// The certificate.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// The certificate as it is shown in a handshake.
    pub der: Vec<u8>,
    /// The number in it, in hexadecimal.
    pub serial: String,
}

/// Until when a certificate holds.
#[derive(Clone, Copy, Debug)]
pub enum Holds {
    /// So long from now on.
    For(Duration),
    /// Long ago it did.
    NoMore,
}

/// A year, for certificates whose end is not the point.
pub const A_YEAR: Holds = Holds::For(Duration::from_secs(365 * 24 * 60 * 60));

static NEXT: AtomicU64 = AtomicU64::new(0x1000);

impl Authority {
    /// One of this name.
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().unwrap();
        Self { issuer: CertifiedIssuer::self_signed(params, key).unwrap() }
    }

    /// Its own certificate, for those who shall believe it.
    pub fn write(&self, path: &Path) {
        fs::write(path, self.issuer.pem()).unwrap();
    }

    /// Signs a certificate for a server at `localhost`, `127.0.0.1` and `name`, and writes both files as
    /// `name.pem` and `name.key`.
    pub fn server(&self, folder: &Path, name: &str, holds: Holds) -> Signed {
        let mut params =
            CertificateParams::new(vec![name.to_owned(), "localhost".to_owned()]).unwrap();
        let here = SanType::IpAddress([127, 0, 0, 1].into());
        params.subject_alt_names.push(here);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(folder, name, params, holds)
    }

    /// Signs a certificate for a client that is called so by a DNS name, and writes both files.
    pub fn client(&self, folder: &Path, name: &str, holds: Holds) -> Signed {
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        self.client_of(folder, name, params, holds)
    }

    /// The same with names of all kinds.
    pub fn client_of(
        &self,
        folder: &Path,
        file: &str,
        mut params: CertificateParams,
        holds: Holds,
    ) -> Signed {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(folder, file, params, holds)
    }

    fn sign(
        &self,
        folder: &Path,
        file: &str,
        mut params: CertificateParams,
        holds: Holds,
    ) -> Signed {
        let number = NEXT.fetch_add(1, Relaxed);
        params.serial_number = Some(SerialNumber::from(number));
        match holds {
            Holds::NoMore => {
                params.not_before = date_time_ymd(2020, 1, 1);
                params.not_after = date_time_ymd(2021, 1, 1);
            }
            Holds::For(span) => {
                let since_1970 = Duration::from_micros(SystemClock.now().wall.as_micros());
                let now = date_time_ymd(1970, 1, 1) + since_1970;
                params.not_before = now - Duration::from_secs(3_600);
                params.not_after = now + span;
            }
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let signed = Signed {
            certificate: folder.join(format!("{file}.pem")),
            key: folder.join(format!("{file}.key")),
            der: certificate.der().to_vec(),
            serial: number
                .to_be_bytes()
                .iter()
                .skip_while(|byte| **byte == 0)
                .map(|byte| format!("{byte:02x}"))
                .collect(),
        };
        fs::write(&signed.certificate, certificate.pem()).unwrap();
        fs::write(&signed.key, key.serialize_pem()).unwrap();
        signed
    }
}

impl Signed {
    /// As an operator rotates: each file is replaced whole, the key first.
    pub fn replace(&self, other: &Self) {
        let put = |from: &Path, to: &Path| {
            let beside = to.with_extension("new");
            fs::copy(from, &beside).unwrap();
            fs::rename(&beside, to).unwrap();
        };
        put(&other.key, &self.key);
        put(&other.certificate, &self.certificate);
    }
}
