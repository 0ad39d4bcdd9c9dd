//! The deployment's secret, without which nobody can try API keys out on what is stored of them.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use super::secret::{KeyHasher, Kind, Secret};
use crate::config::Settings;

/// The file in the data folder.
const FILE: &str = "key-secret";
/// Its owner alone.
const OWNER_ONLY: u32 = 0o600;
/// Everybody but its owner.
const OTHERS: u32 = 0o077;
/// No secret is longer.
const BYTES_MAX: u64 = 4_096;

/// Why there is no secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeySecretError {
    /// Several nodes share the keys, so none of them can make it up.
    #[error(
        "API keys in PostgreSQL are hashed with a secret that all nodes share, and there is none: set \
         TOLLGATE_KEY_SECRET, or name a file with --key-secret-file FILE; `openssl rand -hex 32` makes one"
    )]
    Missing,
    /// The file cannot be read or made.
    #[error(
        "cannot use the secret of the API keys in {}: {source}; make the file readable for this user, or \
         set TOLLGATE_KEY_SECRET to what it held",
        .path.display()
    )]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others can read it.
    #[error(
        "others can read the secret of the API keys in {}: run `chmod 600 {}`, and issue the keys anew if \
         somebody may have",
        .path.display(), .path.display()
    )]
    Exposed {
        /// Which.
        path: PathBuf,
    },
    /// The file is gone, and there are keys.
    #[error(
        "the secret of the API keys in {} is gone, and keys were issued with it: put the file back, or set \
         TOLLGATE_KEY_SECRET to what it held; a new secret would know none of them",
        .path.display()
    )]
    Lost {
        /// Where it was.
        path: PathBuf,
    },
    /// It is not the one that the keys were hashed with.
    #[error(
        "the API keys in the database are hashed with another secret than this node has: set \
         TOLLGATE_KEY_SECRET, or the file that holds it, to the secret that they were issued with, the same on \
         all nodes; with this one no key would be known"
    )]
    Other,
    /// It holds no secret.
    #[error(
        "{} holds no secret of at least {} characters: put back what it held, or set TOLLGATE_KEY_SECRET; \
         with another secret no API key that was issued is known any more",
        .path.display(), Settings::KEY_SECRET_CHARS_MIN
    )]
    Short {
        /// Which.
        path: PathBuf,
    },
}

impl KeyHasher {
    /// Over the secret that was set, or that of the data folder, which is made if there is none yet.
    /// `print` is of the secret that the keys in the database are hashed with, if there are any.
    pub(crate) fn open(settings: &Settings, print: Option<&str>) -> Result<Self, KeySecretError> {
        if let Some(secret) = &settings.identity.key_secret {
            return Ok(Self::new(secret.as_bytes()));
        }
        if !settings.database.is_sqlite() {
            return Err(KeySecretError::Missing);
        }
        let path = settings.data.join(FILE);
        let failed = |source| KeySecretError::File { path: path.clone(), source };
        match File::open(&path) {
            Ok(file) => read(&path, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if print.is_some() {
                    return Err(KeySecretError::Lost { path });
                }
                make(&settings.data, &path).map_err(failed)
            }
            Err(error) => Err(failed(error)),
        }
    }
}

impl KeyHasher {
    /// Whether it is the one that the keys in the database are hashed with, as far as that says.
    pub(crate) fn fits(&self, print: Option<&str>) -> Result<(), KeySecretError> {
        if print.is_some_and(|print| print != self.print()) {
            return Err(KeySecretError::Other);
        }
        Ok(())
    }
}

fn read(path: &Path, file: File) -> Result<KeyHasher, KeySecretError> {
    let failed = |source| KeySecretError::File { path: path.to_owned(), source };
    let mode = file.metadata().map_err(failed)?.mode();
    if mode & OTHERS != 0 {
        let path = path.to_owned();
        return Err(KeySecretError::Exposed { path });
    }
    let mut text = String::new();
    file.take(BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
    let text = text.trim();
    if text.len() < Settings::KEY_SECRET_CHARS_MIN {
        let path = path.to_owned();
        return Err(KeySecretError::Short { path });
    }
    Ok(KeyHasher::new(text.as_bytes()))
}

/// Whole or not at all: a start that is cut off must not leave half a secret behind.
fn make(folder: &Path, path: &Path) -> io::Result<KeyHasher> {
    let (one, other) = (Secret::generate(Kind::Token), Secret::generate(Kind::Token));
    let text = format!("{}{}", bare(&one), bare(&other));
    let beside = folder.join(format!("{FILE}.new"));
    // A leftover of a start that was cut off; the folder is ours alone.
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(OWNER_ONLY);
    let mut file = options.open(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    // A link, not a rename: it fails where there is a file already.
    let linked = fs::hard_link(&beside, path);
    fs::remove_file(&beside)?;
    linked?;
    File::open(folder)?.sync_all()?;
    tracing::info!(path = %path.display(), "Made the secret that API keys are hashed with: keep it with the database.");
    Ok(KeyHasher::new(text.as_bytes()))
}

fn bare(secret: &Secret) -> &str {
    let text = secret.as_str();
    text.strip_prefix(Kind::Token.prefix()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn open(folder: &Path) -> Result<KeyHasher, KeySecretError> {
        let data = ("data".to_owned(), folder.display().to_string());
        let sources = crate::Sources { flags: [data].into(), ..crate::Sources::default() };
        KeyHasher::open(&crate::load(&sources).unwrap().settings, None)
    }

    // Proves: I2
    #[test]
    fn a_lost_secret_is_not_made_up_where_keys_were_issued() {
        let folder = tempfile::tempdir().unwrap();
        let data = ("data".to_owned(), folder.path().display().to_string());
        let sources = crate::Sources { flags: [data].into(), ..crate::Sources::default() };
        let settings = crate::load(&sources).unwrap().settings;
        let lost = KeyHasher::open(&settings, Some("00")).unwrap_err();
        assert!(lost.to_string().contains("put the file back"), "{lost}");
        assert!(!folder.path().join(FILE).exists());
        let made = KeyHasher::open(&settings, None).unwrap();
        let print = made.print();
        let again = KeyHasher::open(&settings, Some(&print)).unwrap();
        assert!(again.fits(Some(&print)).is_ok() && again.fits(None).is_ok());
        let other = again.fits(Some("00")).unwrap_err().to_string();
        assert!(other.contains("set TOLLGATE_KEY_SECRET"), "{other}");
    }

    // Proves: I2
    #[test]
    fn the_secret_is_made_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(folder.path()).unwrap().digest("tgk_a");
        let again = open(folder.path()).unwrap().digest("tgk_a");
        assert_eq!(first, again);
        let path = folder.path().join(FILE);
        let mode = fs::metadata(&path).unwrap().mode();
        assert_eq!(mode & 0o777, OWNER_ONLY);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(open(other.path()).unwrap().digest("tgk_a"), first);
    }

    #[test]
    fn a_secret_that_others_can_read_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        open(folder.path()).unwrap();
        let path = folder.path().join(FILE);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let refused = open(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("chmod 600"), "{refused}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, "short").unwrap();
        let refused = open(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("at least 32 characters"), "{refused}");
    }
}
