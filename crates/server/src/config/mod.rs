//! What the operator asked for: flags over environment over file, each value with where it came from.

mod settings;

pub use settings::{
    Demo, Fields, Listeners, LogFormat, Logs, Owner, ResetAs, Settings, Timers, Wording,
};
