//! From texts to how it is found out who asks.

use std::{fs, io::Read as _, os::unix::fs::MetadataExt as _};

use tollgate_rules::UnknownTier;

use super::{ApiKeys, Identity, ProxyProtocol, SecretText, jwt::jwt};
use crate::{
    config::{Settings, build::Reader, parse::Expected},
    gateway::{ProxiesError, TrustedCallers},
};

/// The longest file with a secret.
const SECRET_BYTES_MAX: u64 = 4_096;
/// Neither its owner nor its group, by which secrets are handed to containers.
const OTHERS: u32 = 0o007;
/// The longest name of a claim or of a header, and the longest issuer.
const NAME_BYTES_MAX: usize = 256;

pub(in crate::config) fn read(reader: &mut Reader) -> Option<Identity> {
    let api_keys = reader.value("api_keys", api_keys);
    let header = reader.value("api_key_header", header);
    let key_secret = key_secret(reader);
    let jwt = jwt(reader);
    let trusted_callers = reader.value("trusted_callers", |text| {
        let callers = text.parse::<TrustedCallers>();
        callers.map_err(|error| match error {
            ProxiesError::Everybody(network) => {
                format!("{network} is everybody: write all if that is meant")
            }
            other => other.to_string(),
        })
    });
    let proxy_protocol = reader.value("proxy_protocol", |text| match text {
        "off" => Ok(ProxyProtocol::Off),
        "on" => Ok(ProxyProtocol::On),
        _ => Err("expected on or off".to_owned()),
    });
    let unknown_tier = reader.value("unknown_tier", |text| {
        let mut all = UnknownTier::ALL.into_iter();
        let policy = all.find(|policy| policy.word() == text);
        policy.ok_or_else(|| "expected default, keep or refuse".to_owned())
    });
    Some(Identity {
        api_keys: api_keys?,
        api_key_header: header?,
        key_secret,
        jwt: jwt?,
        trusted_callers: trusted_callers?,
        proxy_protocol: proxy_protocol?,
        unknown_tier: unknown_tier?,
    })
}

/// From the environment or the file, whichever source wins over the other.
fn key_secret(reader: &mut Reader) -> Option<SecretText> {
    if !one_of(reader, "key_secret", "key_secret_file") {
        return None;
    }
    if reader.origin("key_secret").rank() > reader.origin("key_secret_file").rank() {
        return reader.optional("key_secret", secret);
    }
    reader.optional("key_secret_file", |path| {
        let mut text = String::new();
        let unread = |error| format!("cannot read the secret: {error}");
        let file = fs::File::open(path).map_err(unread)?;
        if file.metadata().map_err(unread)?.mode() & OTHERS != 0 {
            return Err(format!(
                "others can read the secret: run `chmod o= {path}`, and issue the keys anew if somebody may have"
            ));
        }
        let read = file.take(SECRET_BYTES_MAX).read_to_string(&mut text);
        read.map_err(unread)?;
        secret(text.trim())
    })
}

/// Notes if both were given by sources that weigh the same.
pub(super) fn one_of(reader: &mut Reader, name: &'static str, file: &'static str) -> bool {
    let (direct, by_file) = (reader.origin(name), reader.origin(file));
    let is_fine = direct.rank() == 0 || direct.rank() != by_file.rank();
    if !is_fine {
        let both = format!("both {direct} and {by_file} are set: keep one of them");
        reader.note(file, both);
    }
    is_fine
}

fn api_keys(text: &str) -> Result<ApiKeys, Expected> {
    match text {
        "auto" => Ok(ApiKeys::Auto),
        "issued" => Ok(ApiKeys::Issued),
        "any" => Ok(ApiKeys::Any),
        _ => Err("expected auto, issued or any".to_owned()),
    }
}

fn header(text: &str) -> Result<Box<str>, Expected> {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_name = !text.is_empty() && text.len() <= NAME_BYTES_MAX && text.bytes().all(is_sign);
    let is_ours = ["authorization", "host", "content-length", "content-type"]
        .iter()
        .any(|taken| text.eq_ignore_ascii_case(taken));
    (is_name && !is_ours)
        .then(|| text.into())
        .ok_or_else(|| "expected the name of a header, such as X-API-Key".to_owned())
}

pub(super) fn name(text: &str) -> Result<Box<str>, Expected> {
    let is_sound =
        !text.is_empty() && text.len() <= NAME_BYTES_MAX && !text.chars().any(char::is_control);
    is_sound
        .then(|| text.into())
        .ok_or_else(|| format!("expected 1 to {NAME_BYTES_MAX} characters"))
}

pub(super) fn secret(text: &str) -> Result<SecretText, Expected> {
    let least = Settings::KEY_SECRET_CHARS_MIN;
    let is_sound = text.len() >= least && !text.chars().any(char::is_control);
    is_sound.then(|| SecretText::new(text)).ok_or_else(|| {
        format!("expected at least {least} characters; `openssl rand -hex 32` makes them")
    })
}
