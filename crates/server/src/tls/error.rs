//! What is wrong with a file of certificates or keys.

use std::{fmt, io, path::PathBuf, time::Duration};

use rustls::{AlertDescription, CertificateError, Error};

/// Why a file cannot be used for TLS.
#[derive(Debug, thiserror::Error)]
#[error("cannot use {} for TLS (--{role}): {flaw}", .path.display())]
pub struct TlsError {
    pub(super) role: Role,
    pub(super) path: PathBuf,
    pub(super) flaw: Flaw,
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Certificate,
    Key,
    ClientCa,
    /// Of a server that is asked.
    ServerCa,
    /// What is shown to a server that is asked.
    OwnCertificate,
    OwnKey,
}

/// The flag that names it.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Certificate => "tls-cert",
            Self::Key => "tls-key",
            Self::ClientCa => "tls-client-ca",
            Self::ServerCa => "cacert",
            Self::OwnCertificate => "cert",
            Self::OwnKey => "key",
        })
    }
}

/// What is wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub(super) enum Flaw {
    #[error("{0}; name a file that is there and that the server may read")]
    Unreadable(io::Error),
    #[error(
        "it is not a regular file; name one, or a link to one, since it is read again and again"
    )]
    NotAFile,
    #[error("to read it takes longer than {0:?}; see whether what it is mounted from is there")]
    Hangs(Duration),
    #[error("it is longer than {0} bytes, so it is something else")]
    TooLong(u64),
    #[error(
        "it is not PEM, a text with -----BEGIN …-----; `openssl x509 -inform DER -in FILE -out FILE` \
         and `openssl pkey -inform DER` turn DER into it"
    )]
    NotPem,
    #[error("its PEM is damaged: {0}; write the file again")]
    BadPem(String),
    #[error(
        "there is no certificate inside; expected -----BEGIN CERTIFICATE-----, the server's own first \
         and then those that signed it"
    )]
    NoCertificate,
    #[error("there is no private key inside; expected -----BEGIN PRIVATE KEY-----")]
    NoKey,
    #[error(
        "the private key is encrypted, and nobody is here to type the passphrase; write it without one: \
         `openssl pkey -in FILE -out FILE`"
    )]
    EncryptedKey,
    #[error("a certificate inside cannot be understood: {0}; make it anew")]
    BadCertificate(String),
    #[error("the private key cannot be used: {0}; RSA of 2048 bits or more, ECDSA and Ed25519 can")]
    BadKey(String),
    #[error(
        "the private key does not belong to the certificate in {}; name the two that were made together",
        .0.display()
    )]
    OtherKey(PathBuf),
    #[error("{0}")]
    Refused(String),
}

/// Why a handshake came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Failure {
    /// The client spoke in clear.
    Plaintext,
    /// The client's certificate has run out, or does not hold yet.
    Expired,
    /// The client's certificate is signed by somebody else, or not for this use.
    Foreign,
    /// The client showed no certificate.
    NoCertificate,
    /// The client did not take our certificate.
    Refused,
    /// It took too long.
    Timeout,
    /// Anything else.
    Other,
}

impl Failure {
    pub(crate) const ALL: [Self; 7] = [
        Self::Plaintext,
        Self::Expired,
        Self::Foreign,
        Self::NoCertificate,
        Self::Refused,
        Self::Timeout,
        Self::Other,
    ];

    /// As it is spelled in labels.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Plaintext => "plaintext",
            Self::Expired => "expired",
            Self::Foreign => "foreign",
            Self::NoCertificate => "no_certificate",
            Self::Refused => "refused",
            Self::Timeout => "timeout",
            Self::Other => "other",
        }
    }

    /// What happened and what to do about it, for whoever reads the log.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Plaintext => {
                "A client speaks in clear to a port that speaks TLS: let it use TLS (https://, rediss://), \
                 or leave the certificate of this listener out."
            }
            Self::Expired => {
                "A client's certificate has run out or does not hold yet: give the client a new one, and \
                 compare the clocks."
            }
            Self::Foreign => {
                "A client's certificate is not signed by whom this listener believes, or is not for \
                 clients: sign it by the client CA of this listener, or add its CA there."
            }
            Self::NoCertificate => {
                "A client shows no certificate where one is asked for: give the client one that the \
                 client CA of this listener signed."
            }
            Self::Refused => {
                "A client does not accept this server's certificate: let it trust the CA, or name the \
                 server as the certificate does."
            }
            Self::Timeout => "A client did not finish its handshake in time.",
            Self::Other => "A handshake failed.",
        }
    }

    /// What an error of a handshake amounts to.
    pub(super) fn of(error: &io::Error) -> Self {
        let inner = error.get_ref();
        match inner.and_then(|inner| inner.downcast_ref::<Error>()) {
            Some(Error::InvalidCertificate(certificate)) => Self::of_certificate(certificate),
            Some(Error::NoCertificatesPresented) => Self::NoCertificate,
            Some(Error::AlertReceived(
                AlertDescription::UnknownCA
                | AlertDescription::BadCertificate
                | AlertDescription::CertificateUnknown
                | AlertDescription::CertificateExpired
                | AlertDescription::UnsupportedCertificate
                | AlertDescription::AccessDenied,
            )) => Self::Refused,
            _ => Self::Other,
        }
    }

    const fn of_certificate(error: &CertificateError) -> Self {
        match error {
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Self::Expired,
            _ => Self::Foreign,
        }
    }
}
