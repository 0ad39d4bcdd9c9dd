//! What the operator asked for: flags over environment over file, each value with where it came from.

mod all;
mod authority;
mod build;
mod collector;
mod cross;
mod effective;
mod file;
mod identity;
mod origin;
mod parse;
mod redis;
mod rehearse;
mod setting;
mod settings;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod tls;

pub use all::SETTINGS;
pub use authority::{AdminAuth, AdminRules, Approvals, OverrideBounds};
pub use build::{Loaded, load};
pub use collector::{Collector, CollectorError};
pub use effective::{Effective, Shown};
pub use file::ConfigFile;
pub use identity::{
    ApiKeys, Identity, Jwt, JwtAlgorithm, JwtClaims, JwtSecret, ProxyProtocol, SecretText,
};
pub use origin::{ConfigError, Origin, Problem};
pub use redis::{Redis, RedisUrl, RedisUrlError};
pub(crate) use rehearse::folder;
pub use rehearse::rehearse;
pub use setting::{Setting, Takes};
pub use settings::{
    Demo, Fields, Listeners, LogFormat, Logs, Owner, Penalising, ResetAs, Settings, Timers, Wording,
};
pub use sources::{Sources, environment};
pub use tls::{Administrators, Tls, TlsFiles};
