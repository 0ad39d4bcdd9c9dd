//! How the certificates are, for whoever asks.

use std::{path::PathBuf, sync::Arc};

use arc_swap::ArcSwap;

use super::About;

/// So long before its end a certificate is told of.
pub(crate) const AHEAD_S: u64 = 30 * DAY_S;
pub(super) const DAY_S: u64 = 24 * 60 * 60;

/// How the certificate of some listeners is.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// Whose it is: `http, admin`.
    pub(crate) listeners: String,
    pub(crate) certificate: PathBuf,
    /// What it says.
    pub(crate) about: About,
    /// Why newer files are not in force.
    pub(crate) trouble: Option<String>,
}

/// How all of them are; copies see the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standings(pub(super) Arc<[Arc<ArcSwap<Standing>>]>);

impl Standings {
    /// What somebody should look at.
    pub(crate) fn troubles(&self, now_s: u64) -> Vec<String> {
        let mut troubles = Vec::new();
        for standing in self.0.iter().map(|standing| standing.load()) {
            let listeners = &standing.listeners;
            if let Some(trouble) = &standing.trouble {
                troubles.push(format!(
                    "TLS of {listeners}: the former certificate stays: {trouble}"
                ));
            }
            if let Some(ending) = standing.ending(now_s) {
                troubles.push(format!("TLS of {listeners}: {ending}"));
            }
        }
        troubles
    }

    /// What is told of the certificate of a listener.
    pub(crate) fn about(&self, listener: &str) -> Option<About> {
        let standings = self.0.iter().map(|standing| standing.load());
        let mut its = standings.filter(|standing| {
            let mut listeners = standing.listeners.split(", ");
            listeners.any(|name| name == listener)
        });
        its.next().map(|standing| standing.about.clone())
    }
}

impl Standing {
    /// That the certificate does not hold, or not for long, and what to do about it.
    pub(crate) fn ending(&self, now_s: u64) -> Option<String> {
        let About {
            begins_s,
            expires_s,
            ..
        } = self.about;
        let path = self.certificate.display();
        let remedy = "put a new one in its place, it is read without a restart";
        if now_s < begins_s {
            return Some(format!(
                "the certificate {path} does not hold yet, so clients refuse it: compare the clocks, or {remedy}"
            ));
        }
        if expires_s <= now_s {
            return Some(format!(
                "the certificate {path} has run out, so clients refuse it: {remedy}"
            ));
        }
        let left_s = expires_s.saturating_sub(now_s);
        (left_s < AHEAD_S).then(|| {
            let left = match left_s / DAY_S {
                0 => "less than a day".to_owned(),
                1 => "a day".to_owned(),
                days => format!("{days} days"),
            };
            format!("the certificate {path} runs out in {left}: {remedy}")
        })
    }
}
