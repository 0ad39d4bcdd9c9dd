//! All of it.

use super::{Diagnosis, data, database, ports, redis, room, rules, tls};
use crate::config::Settings;

/// Looks at everything that a server with these settings needs: its certificates, ports, data folder, rule
/// database, rules and Redis. Must be called within a tokio runtime. Takes some seconds at most, whoever
/// does not answer; leaves nothing behind but, for two seconds, a mark in Redis.
pub async fn diagnose(settings: &Settings) -> Vec<Diagnosis> {
    drop(crate::tls::provider());
    let mut found = tls::look(&settings.tls);
    let (taken, here) = ports::look(settings).await;
    found.extend(taken);
    found.extend(data::look(&settings.data, here));
    found.push(room::look(settings));
    let (database, redis) = tokio::join!(database::look(&settings.database), redis::look(settings));
    let (database, revision) = database;
    found.extend(database);
    found.extend(rules::look(settings, revision.as_deref()));
    found.extend(redis);
    found
}
