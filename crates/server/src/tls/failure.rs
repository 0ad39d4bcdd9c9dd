//! Handshakes that come to nothing, and what to do about each.

use std::io;

use rustls::{AlertDescription, CertificateError, Error};

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
