//! `INFO` and `CONFIG GET`.

use std::fmt::Write as _;

use tollgate_memory::{CellStats, Stats};
use tollgate_wire::resp::{Command, Encoder};

use super::client::{Client, unknown_subcommand};
use crate::engine::Engine;

/// Whose commands these are like; some clients look for it.
const REDIS_VERSION: &str = "7.0.0";

const SECTIONS: [&str; 5] = ["server", "clients", "memory", "stats", "keyspace"];
/// What stands for all of them.
const EVERYTHING: [&str; 3] = ["default", "all", "everything"];

/// What tools ask for before they start, and what is true of it.
const CONFIG: [(&str, &str); 3] = [("save", ""), ("appendonly", "no"), ("databases", "1")];

/// `INFO [section …]`.
pub(super) fn info(engine: &Engine, command: &Command<'_, '_>, reply: &mut Encoder<'_>) {
    let is_asked = |section: &str| {
        let is = |word: &[u8], name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        let names = |word: &[u8]| is(word, section) || EVERYTHING.iter().any(|all| is(word, all));
        command.args_len() == 0 || command.args().any(names)
    };
    let counted = Counted {
        store: engine.store().stats(),
        cells: engine.cells().stats(),
        revision: engine.live().with_snapshot(|snapshot| snapshot.revision()),
    };
    let mut text = String::new();
    for section in SECTIONS.into_iter().filter(|section| is_asked(section)) {
        if !text.is_empty() {
            text.push_str("\r\n");
        }
        let mut title = section.to_owned();
        title.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
        line(&mut text, format_args!("# {title}"));
        write_section(&mut text, section, &counted);
    }
    reply.bulk(text.as_bytes());
}

/// What there is to tell, read once.
struct Counted {
    store: Stats,
    cells: CellStats,
    revision: Option<u64>,
}

fn write_section(text: &mut String, section: &str, counted: &Counted) {
    let Counted { store, cells, revision } = counted;
    match section {
        "server" => {
            line(text, format_args!("redis_version:{REDIS_VERSION}"));
            line(text, format_args!("redis_mode:standalone"));
            line(text, format_args!("tollgate_version:{}", env!("CARGO_PKG_VERSION")));
            line(text, format_args!("process_id:{}", std::process::id()));
            line(text, format_args!("loading:{}", u8::from(revision.is_none())));
            line(text, format_args!("rules_revision:{}", revision.unwrap_or(0)));
        }
        "clients" => line(text, format_args!("connected_clients:{}", Client::connected())),
        "memory" => {
            line(text, format_args!("counters_bytes_max:{}", store.bytes_max));
            line(text, format_args!("cells_bytes_max:{}", cells.bytes_max));
        }
        "stats" => {
            line(text, format_args!("evicted_keys:{}", store.evicted_keys + cells.evicted));
            line(text, format_args!("evicted_counters:{}", store.evicted_keys));
            line(text, format_args!("evicted_cells:{}", cells.evicted));
            line(text, format_args!("estimated_requests:{}", store.estimated_requests));
            let overflow_bytes = store.overflow_bytes + cells.overflow_bytes;
            line(text, format_args!("overflow_bytes:{overflow_bytes}"));
        }
        _ => {
            let keys = store.keys + store.wide_keys + cells.keys;
            line(text, format_args!("db0:keys={keys},expires={keys},avg_ttl=0"));
            line(text, format_args!("counters:keys={}", store.keys + store.wide_keys));
            line(text, format_args!("cells:keys={}", cells.keys));
        }
    }
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing to a text cannot fail.
    write!(text, "{words}\r\n").unwrap_or_default();
}

/// `CONFIG GET name …`: the few that tools ask for, and nothing of others.
pub(super) fn config(command: &Command<'_, '_>, reply: &mut Encoder<'_>) {
    let sub = command.arg(0).unwrap_or_default();
    if !sub.eq_ignore_ascii_case(b"GET") || command.args_len() < 2 {
        return unknown_subcommand(reply, "CONFIG", sub);
    }
    let is_asked = |name: &str| {
        let names = |word: &[u8]| word == b"*" || word.eq_ignore_ascii_case(name.as_bytes());
        command.args().skip(1).any(names)
    };
    let known = CONFIG.iter().filter(|(name, _)| is_asked(name));
    reply.map(known.clone().count());
    for (name, value) in known {
        reply.bulk(name.as_bytes());
        reply.bulk(value.as_bytes());
    }
}
