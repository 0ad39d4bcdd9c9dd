//! What is known about how it is found out who asks.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use tollgate_rules::UnknownTier;

use crate::{config::Settings, gateway::TrustedCallers};

/// How it is found out who asks.
#[derive(Clone, Debug)]
pub struct Identity {
    /// What an API key in a question means.
    pub api_keys: ApiKeys,
    /// The header in which clients of gateways show theirs.
    pub api_key_header: Box<str>,
    /// What API keys are hashed with, unless it is made up.
    pub key_secret: Option<SecretText>,
    /// How tokens are verified, if they are.
    pub jwt: Option<Jwt>,
    /// Who may say for whom it asks, although it is far away and shows nothing.
    pub trusted_callers: TrustedCallers,
    /// Whether trusted proxies name their client before the first byte.
    pub proxy_protocol: ProxyProtocol,
    /// What becomes of a request whose tier nothing names.
    pub unknown_tier: UnknownTier,
}

/// What an API key in a question means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeys {
    /// One that was issued here, as soon as any was; before that any text.
    Auto,
    /// One that was issued here.
    Issued,
    /// Any text, unless it has the form of one that was issued here.
    Any,
}

/// Whether proxies name their client before the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyProtocol {
    /// Nobody does.
    Off,
    /// Trusted proxies do, always.
    On,
}

/// How tokens are verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jwt {
    /// The algorithms that are believed, whatever a token says.
    pub algorithms: Vec<JwtAlgorithm>,
    /// What those with a shared secret are verified with.
    pub secret: Option<JwtSecret>,
    /// A public key in PEM.
    pub key_file: Option<PathBuf>,
    /// Public keys as a JWKS.
    pub jwks_file: Option<PathBuf>,
    /// The claims that say who it is.
    pub claims: JwtClaims,
    /// Who must have issued it.
    pub issuer: Option<Box<str>>,
    /// For whom it must be.
    pub audience: Option<Box<str>>,
    /// How far clocks may differ.
    pub leeway: Duration,
}

/// Where the shared secret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JwtSecret {
    /// In the environment.
    Given(SecretText),
    /// In a file, which is read again when it changes.
    File(PathBuf),
}

/// The names of claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwtClaims {
    /// Of the user.
    pub user: Box<str>,
    /// Of the organisation.
    pub org: Box<str>,
    /// Of the tier.
    pub tier: Box<str>,
}

/// An algorithm of a token's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JwtAlgorithm {
    Hs256,
    Hs384,
    Hs512,
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    EdDsa,
}

impl JwtAlgorithm {
    /// Every algorithm that can be pinned.
    pub const ALL: [Self; 12] = [
        Self::Hs256,
        Self::Hs384,
        Self::Hs512,
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    /// As tokens name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hs256 => "HS256",
            Self::Hs384 => "HS384",
            Self::Hs512 => "HS512",
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }

    /// Whether whoever verifies could sign as well.
    pub const fn is_symmetric(self) -> bool {
        matches!(self, Self::Hs256 | Self::Hs384 | Self::Hs512)
    }
}

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(Arc<str>);

impl SecretText {
    pub(super) fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(…)")
    }
}

impl Settings {
    /// The fewest characters of a secret that API keys are hashed with, or tokens verified.
    pub const KEY_SECRET_CHARS_MIN: usize = 32;
}
