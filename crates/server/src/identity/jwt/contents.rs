//! The files of keys, and what they hold.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use super::Keys;
use crate::config::{Jwt, JwtSecret};

/// What the files hold.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::identity) struct Contents {
    pub(super) secret: Option<Vec<u8>>,
    pub(super) key: Option<Vec<u8>>,
    pub(super) jwks: Option<Vec<u8>>,
}

/// Why tokens cannot be verified with a file.
#[derive(Debug, thiserror::Error)]
#[error("cannot verify tokens with {} ({setting}): {flaw}", .path.display())]
pub struct JwtKeysError {
    path: PathBuf,
    setting: &'static str,
    flaw: KeysFlaw,
}

/// What is wrong with it.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeysFlaw {
    #[error("{0}; make the file readable for this user")]
    Unreadable(io::Error),
    #[error("it has more than {FILE_BYTES_MAX} bytes")]
    TooLong,
    #[error("expected at least {0} characters; `openssl rand -hex 32` makes them")]
    Short(usize),
    #[error("it holds PEM, and a public key is no secret: name it with jwt_key_file")]
    NoSecret,
    #[error("it holds a private key: name the public one, since nothing is signed here")]
    Private,
    #[error("expected one public key of RSA, P-256, P-384 or Ed25519 in PEM")]
    NoKey,
    #[error("no algorithm of jwt_algorithms is for a key of this kind")]
    Unused,
    #[error("expected a JWKS, an object with `keys`: {0}")]
    NoJwks(String),
    #[error("none of its keys can be used for an algorithm of jwt_algorithms")]
    NoUsable,
    #[error("it has more than {0} keys")]
    TooMany(usize),
    #[error("two of its keys have the same `kid`")]
    SameName,
    #[error("reading it takes longer than {0:?}: is its file system there?")]
    Hangs(std::time::Duration),
}

/// No key, and no set of them, is longer.
const FILE_BYTES_MAX: u64 = 1 << 20;

impl Contents {
    /// Reads all files.
    pub(super) fn read(jwt: &Jwt) -> Result<Self, JwtKeysError> {
        let secret = match &jwt.secret {
            None => None,
            Some(JwtSecret::Given(text)) => Some(text.as_bytes().to_vec()),
            Some(JwtSecret::File(path)) => {
                let bytes = read(path).map_err(|flaw| flaw.at(path, "jwt_secret_file"))?;
                Some(bytes.trim_ascii().to_vec())
            }
        };
        let file = |path: &Option<PathBuf>, setting| {
            let path = path.as_deref();
            let bytes = path.map(|path| read(path).map_err(|flaw| flaw.at(path, setting)));
            bytes.transpose()
        };
        Ok(Self {
            secret,
            key: file(&jwt.key_file, "jwt_key_file")?,
            jwks: file(&jwt.jwks_file, "jwt_jwks_file")?,
        })
    }

    /// What is new, if anything is.
    pub(super) fn news(&self, jwt: &Jwt) -> Result<Option<(Self, Keys)>, JwtKeysError> {
        let read = Self::read(jwt)?;
        if read == *self {
            return Ok(None);
        }
        let keys = Keys::of(&read, jwt)?;
        Ok(Some((read, keys)))
    }
}

/// Secrets are never shown.
impl std::fmt::Debug for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Contents(…)")
    }
}

impl KeysFlaw {
    pub(super) fn at(self, path: &Path, setting: &'static str) -> JwtKeysError {
        JwtKeysError {
            path: path.to_owned(),
            setting,
            flaw: self,
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, KeysFlaw> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(KeysFlaw::Unreadable)?;
    let mut file = file.take(FILE_BYTES_MAX + 1);
    let read = file.read_to_end(&mut bytes).map_err(KeysFlaw::Unreadable)?;
    if u64::try_from(read).is_ok_and(|read| read <= FILE_BYTES_MAX) {
        return Ok(bytes);
    }
    Err(KeysFlaw::TooLong)
}
