//! What an operator should know about a server, looked up at every connect.

use redis::{Pipeline, Value};
use tollgate_core::{Clock, Micros, Timestamp};

use super::link::{Link, PATIENCE};
use crate::{Finding, script};

/// Clocks may be so far apart before it is told.
const CLOCK_APART_MAX: Micros = Micros::from_secs(1);
/// The first version whose scripts and commands are those we use.
const VERSION_MIN: (u32, u32) = (6, 2);

/// Tells the server the scripts, and looks at it. Whatever is not answered is left out: the probe that
/// follows says whether it answers at all.
pub(super) async fn survey(link: &Link, shard: &str, clock: &dyn Clock) -> Vec<Finding> {
    let before = clock.now().wall;
    let Ok(replies) = link.ask_all(&questions(), PATIENCE).await else {
        return Vec::new();
    };
    let after = clock.now().wall;
    let mut texts = Vec::new();
    if let [info, time, scripts @ ..] = replies.as_slice() {
        look_at_info(info, &mut texts);
        look_at_time(time, before, after, &mut texts);
        if let Some(said) = scripts.iter().find_map(forbidden) {
            texts.push(missing(&said, "script|load", "scripts cannot be loaded"));
        }
    }
    let finding = |text| Finding { shard: shard.to_owned(), text };
    texts.into_iter().map(finding).collect()
}

fn questions() -> Pipeline {
    let mut commands = redis::pipe();
    commands.cmd("INFO");
    commands.cmd("TIME");
    for script in &script::ALL {
        commands.cmd("SCRIPT").arg("LOAD").arg(script.text());
    }
    commands
}

/// What Redis says, if it is that we may not ask.
fn forbidden(reply: &Value) -> Option<String> {
    match reply {
        Value::ServerError(error) if error.code() == "NOPERM" => {
            Some(error.details().unwrap_or_default().to_owned())
        }
        _ => None,
    }
}

fn missing(said: &str, command: &str, hence: &str) -> String {
    format!("{hence}: {said}; allow it: ACL SETUSER <user> +{command}")
}

fn look_at_info(reply: &Value, texts: &mut Vec<String>) {
    if let Some(said) = forbidden(reply) {
        let hence = "version, eviction policy and role were not checked, and every lost connection counts as a \
                     failover";
        texts.push(missing(&said, "info", hence));
    }
    let Some(info) = text(reply) else { return };
    let version = field(info, "redis_version").unwrap_or("unknown");
    let is_valkey = field(info, "valkey_version").is_some();
    if !is_valkey && version_of(version).is_some_and(|version| version < VERSION_MIN) {
        let (major, minor) = VERSION_MIN;
        texts.push(format!(
            "Redis {version} is older than {major}.{minor}: scripts may fail; upgrade it"
        ));
    }
    if field(info, "arch_bits") == Some("32") {
        texts.push(
            "it is a server of 32 bits, which prints large numbers wrongly; use one of 64"
                .to_owned(),
        );
    }
    if let Some(policy) = field(info, "maxmemory_policy").filter(|policy| *policy != "noeviction") {
        texts.push(format!(
            "maxmemory-policy is {policy}: counters that are evicted are forgotten and limits exceeded; set \
             it to noeviction: CONFIG SET maxmemory-policy noeviction"
        ));
    }
    let is_cluster = field(info, "cluster_enabled") == Some("1");
    if !is_cluster && field(info, "role") == Some("slave") {
        let master = field(info, "master_host").unwrap_or("unknown");
        texts.push(format!(
            "it is a replica and takes no writes; give the address of its primary ({master}) instead"
        ));
    }
}

fn look_at_time(reply: &Value, before: Timestamp, after: Timestamp, texts: &mut Vec<String>) {
    if let Some(said) = forbidden(reply) {
        texts.push(missing(&said, "time", "scripts cannot tell the time"));
    }
    let Some(there) = moment(reply) else { return };
    let (apart, direction) = if there > after {
        (there.since(after), "ahead of")
    } else {
        (before.since(there), "behind")
    };
    if apart > CLOCK_APART_MAX {
        let secs = apart.get() / 1_000_000;
        texts.push(format!(
            "its clock is {secs} s {direction} this node's: windows turn by its clock, while reset times are \
             told by this one's; set both by NTP"
        ));
    }
}

/// The time that `TIME` tells.
pub(super) fn moment(reply: &Value) -> Option<Timestamp> {
    let Value::Array(parts) = reply else {
        return None;
    };
    let number = |at: usize| parts.get(at).and_then(text)?.parse::<u64>().ok();
    let (secs, micros) = (number(0)?, number(1)?);
    let micros = secs.saturating_mul(1_000_000).saturating_add(micros);
    Some(Timestamp::from_micros(micros))
}

/// A text, whichever way it was sent.
pub(super) fn text(reply: &Value) -> Option<&str> {
    match reply {
        Value::BulkString(bytes) => str::from_utf8(bytes).ok(),
        Value::SimpleString(text) | Value::VerbatimString { text, .. } => Some(text),
        _ => None,
    }
}

/// A field of INFO.
pub(super) fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .find_map(|(key, value)| (key == name).then(|| value.trim()))
}

fn version_of(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.').map(str::parse);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Some((major, minor)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Value {
        Value::BulkString(text.as_bytes().to_vec())
    }

    fn told(info: &str) -> Vec<String> {
        let mut texts = Vec::new();
        look_at_info(&bulk(info), &mut texts);
        texts
    }

    // Proves: C6
    #[test]
    fn versions_are_told_apart() {
        assert!(told("redis_version:6.0.16\r\n")[0].contains("older than 6.2"));
        assert!(told("redis_version:5.0.7\r\n")[0].contains("older than 6.2"));
        assert_eq!(told("redis_version:6.2.0\r\n"), [""; 0]);
        assert_eq!(told("redis_version:7.0.15\r\n"), [""; 0]);
        assert_eq!(told("redis_version:10.0.0\r\n"), [""; 0]);
        assert_eq!(told("redis_version:1.0.0\r\nvalkey_version:1.0.0\r\n"), [""; 0]);
        assert_eq!(told("redis_version:unheard of\r\n"), [""; 0]);
    }

    #[test]
    fn clocks_are_compared_with_regard_to_the_way() {
        let at = Timestamp::from_secs(1_000);
        let told = |secs: u64, until: Timestamp| {
            let mut texts = Vec::new();
            let time = Value::Array(vec![bulk(&secs.to_string()), bulk("0")]);
            look_at_time(&time, at, until, &mut texts);
            texts
        };
        assert_eq!(told(1_001, at), [""; 0]);
        assert_eq!(told(999, at), [""; 0]);
        assert!(told(1_002, at)[0].contains("2 s ahead"));
        assert!(told(998, at)[0].contains("2 s behind"));
        // The answer took its time.
        assert_eq!(told(1_004, Timestamp::from_secs(1_004)), [""; 0]);
    }
}
