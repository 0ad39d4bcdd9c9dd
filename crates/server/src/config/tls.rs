//! Which listeners speak TLS, and with which files.

use std::path::PathBuf;

use super::{
    build::Reader,
    parse::{self, Expected},
};

/// The files of a listener that speaks TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The chain of certificates, the server's own first.
    pub certificate: PathBuf,
    /// The private key that belongs to it.
    pub key: PathBuf,
    /// Who signs the certificates of clients. If it is there, every client must show one.
    pub client_ca: Option<PathBuf>,
}

/// The files of every listener; one without them speaks in clear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// Of decisions over HTTP.
    pub http: Option<TlsFiles>,
    /// Of decisions over gRPC.
    pub grpc: Option<TlsFiles>,
    /// Of decisions over the Redis protocol.
    pub resp: Option<TlsFiles>,
    /// Of the admin side.
    pub admin: Option<TlsFiles>,
    /// Who may administer by a certificate alone.
    pub administrators: Administrators,
}

/// Who may administer by a certificate alone, on an admin address that others can reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Administrators {
    /// Nobody: every service has a certificate from the general CA, and none rewrites rules for that.
    #[default]
    Nobody,
    /// Whoever has one from the CA that was named for the admin side.
    OfTheirOwnCa,
}

/// In place of a file: none, although the general setting names one.
const OFF: &str = "off";

/// The settings of one listener, or of all.
struct Names {
    certificate: &'static str,
    key: &'static str,
    client_ca: &'static str,
}

const GENERAL: Names =
    Names { certificate: "tls_cert", key: "tls_key", client_ca: "tls_client_ca" };
const HTTP: Names =
    Names { certificate: "http_tls_cert", key: "http_tls_key", client_ca: "http_tls_client_ca" };
const GRPC: Names =
    Names { certificate: "grpc_tls_cert", key: "grpc_tls_key", client_ca: "grpc_tls_client_ca" };
const RESP: Names =
    Names { certificate: "resp_tls_cert", key: "resp_tls_key", client_ca: "resp_tls_client_ca" };
const ADMIN: Names =
    Names { certificate: "admin_tls_cert", key: "admin_tls_key", client_ca: "admin_tls_client_ca" };

/// What was given for one of them.
enum Word {
    Off,
    File(PathBuf),
}

/// A certificate and its key.
type Pair = (PathBuf, PathBuf);

/// What was given for a certificate and its key.
enum Own {
    Unsaid,
    Clear,
    Pair(Pair),
}

/// What holds for a listener that has nothing of its own.
struct General {
    pair: Option<Pair>,
    client_ca: Option<PathBuf>,
}

/// What was given, with what is wrong noted.
pub(super) fn read(reader: &mut Reader) -> Tls {
    let general = General {
        pair: match own(reader, &GENERAL) {
            Own::Pair(pair) => Some(pair),
            Own::Unsaid | Own::Clear => None,
        },
        client_ca: match reader.optional(GENERAL.client_ca, word) {
            Some(Word::File(path)) => Some(path),
            Some(Word::Off) | None => None,
        },
    };
    let mut tls = Tls {
        http: files(reader, &HTTP, &general),
        grpc: files(reader, &GRPC, &general),
        resp: files(reader, &RESP, &general),
        admin: files(reader, &ADMIN, &general),
        administrators: Administrators::Nobody,
    };
    let asks = |files: &TlsFiles| files.client_ca.is_some();
    if reader.is_given(ADMIN.client_ca) && tls.admin.as_ref().is_some_and(asks) {
        tls.administrators = Administrators::OfTheirOwnCa;
    }
    if general.client_ca.is_some() && tls == Tls::default() {
        idle_ca(reader, &GENERAL);
    }
    tls
}

fn files(reader: &mut Reader, names: &Names, general: &General) -> Option<TlsFiles> {
    let pair = match own(reader, names) {
        Own::Pair(pair) => Some(pair),
        Own::Clear => None,
        Own::Unsaid => general.pair.clone(),
    };
    let client_ca = match reader.optional(names.client_ca, word) {
        Some(Word::File(_)) if pair.is_none() => {
            idle_ca(reader, names);
            None
        }
        Some(Word::File(path)) => Some(path),
        Some(Word::Off) => None,
        None => general.client_ca.clone(),
    };
    let (certificate, key) = pair?;
    Some(TlsFiles { certificate, key, client_ca })
}

/// What a listener has of its own; what is wrong with it is noted.
fn own(reader: &mut Reader, names: &Names) -> Own {
    let Names { certificate, key, .. } = *names;
    match (reader.optional(certificate, word), reader.optional(key, word)) {
        (None, None) => Own::Unsaid,
        (Some(Word::Off), None | Some(Word::Off)) => Own::Clear,
        (Some(Word::File(chain)), Some(Word::File(secret))) => Own::Pair((chain, secret)),
        (Some(Word::File(_)), _) => {
            let why = format!(
                "{certificate} is set without {key}: name the file of the private key that belongs to \
                 the certificate with {key}"
            );
            // One that was given and cannot be a path is told already.
            if !reader.is_given(key) {
                reader.note(certificate, why);
            }
            Own::Clear
        }
        (Some(Word::Off), Some(Word::File(_))) => {
            let why = format!("{key} is set although {certificate} is off: leave one of them out");
            reader.note(key, why);
            Own::Clear
        }
        (None, Some(_)) => {
            let why = format!(
                "{key} is set without {certificate}: name the file of the certificate that the key \
                 belongs to with {certificate}"
            );
            if !reader.is_given(certificate) {
                reader.note(key, why);
            }
            Own::Clear
        }
    }
}

fn idle_ca(reader: &mut Reader, names: &Names) {
    let Names { certificate, key, client_ca } = names;
    let why = format!(
        "{client_ca} is set without {certificate}: only a listener that speaks TLS can ask clients \
         for certificates, so set {certificate} and {key}, too"
    );
    reader.note(client_ca, why);
}

fn word(text: &str) -> Result<Word, Expected> {
    if text == OFF {
        return Ok(Word::Off);
    }
    parse::path(text).map(Word::File)
}
