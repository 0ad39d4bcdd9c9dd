//! The server: listeners, decision protocols, the admin side, and what keeps them running.
//!
//! ```text
//! bytes ──decode──▶ Ask ──match, decide──▶ Answer ──encode──▶ bytes
//!    http/, resp/           engine/              http/, resp/
//! ```

mod admin;
mod announce;
mod assemble;
mod authority;
mod callers;
mod capacity;
mod config;
mod counters;
mod counting;
mod curl;
mod data;
mod doctor;
mod engine;
mod error;
mod first_token;
mod gateway;
mod hangup;
mod health;
mod http;
mod identity;
mod listen;
mod open_files;
mod outgoing;
mod ports;
mod record;
mod resp;
mod rls;
mod roster;
mod rules;
mod server;
mod stop;
mod telemetry;
mod tls;
mod usage;
mod when;

pub use announce::{Announcement, Screen};
pub use authority::Token;
pub use capacity::Capacity;
pub use config::{
    AdminAuth, AdminRules, Administrators, ApiKeys, Approvals, Collector, CollectorError,
    ConfigError, ConfigFile, Demo, Effective, Fields, Identity, Jwt, JwtAlgorithm, JwtClaims,
    JwtSecret, Listeners, Loaded, LogFormat, Logs, Origin, OverrideBounds, Owner, Penalising,
    Problem, ProxyProtocol, Redis, RedisUrl, RedisUrlError, ResetAs, SETTINGS, SecretText, Setting,
    Settings, Shown, Sources, Takes, Timers, Tls, TlsFiles, Wording, environment, load, rehearse,
};
pub use data::DataError;
pub use doctor::{Diagnosis, Grade, diagnose};
pub use engine::RedisError;
pub use error::StartError;
pub use gateway::{ProxiesError, ProxyHeader, TrustedCallers, TrustedProxies};
pub use identity::{JwtKeysError, KeySecretError};
pub use listen::BindError;
pub use open_files::raise_open_files;
pub use outgoing::{Outgoing, OutgoingError, Reply};
#[doc(hidden)]
pub use rls::any_rls_question;
pub use rules::RulesFileError;
pub use server::Server;
pub use telemetry::install_logs;
pub use tls::{TlsError, Trust};
