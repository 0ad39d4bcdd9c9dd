//! The server: listeners, decision protocols, the admin side, and what keeps them running.
//!
//! ```text
//! bytes ──decode──▶ Ask ──match, decide──▶ Answer ──encode──▶ bytes
//!    http/, resp/           engine/              http/, resp/
//! ```

#![expect(dead_code, reason = "the parts are not yet put together")]

mod admin;
mod authority;
mod config;
mod counters;
mod engine;
mod http;
mod listen;
mod resp;
mod rules;
mod telemetry;

pub use authority::Token;
pub use config::{
    Demo, Fields, Listeners, LogFormat, Logs, Owner, ResetAs, Settings, Timers, Wording,
};
