//! What the manual shows is what happens.

use super::rig::{Rig, say};
use crate::authority::Door;

const PAGE: &str = include_str!("../../../../../docs/reference/resp.md");

/// The fenced blocks of a kind.
fn blocks(kind: &str) -> impl Iterator<Item = &'static str> {
    let parts = PAGE
        .split("\n```")
        .filter_map(move |part| part.strip_prefix(kind));
    parts.filter_map(|part| part.strip_prefix('\n'))
}

/// A reply as redis-cli shows it.
fn shown(reply: &str) -> String {
    let mut lines = reply.split("\r\n");
    let mut text = String::new();
    let Some(count) = reply.strip_prefix('*') else {
        return one(&mut lines);
    };
    lines.next();
    let count: usize = count.split_once("\r\n").unwrap().0.parse().unwrap();
    for number in 1..=count {
        text += &format!("{number}) {}", one(&mut lines));
    }
    text
}

fn one<'a>(lines: &mut impl Iterator<Item = &'a str>) -> String {
    let line = lines.next().unwrap();
    match line.split_at(1) {
        (":", number) => format!("(integer) {number}\n"),
        ("-", error) => format!("(error) {error}\n"),
        ("$", "-1") => "(nil)\n".to_owned(),
        ("$", _) => format!("\"{}\"\n", lines.next().unwrap()),
        _ => panic!("{line:?}"),
    }
}

#[test]
fn every_example_of_the_page_is_answered_as_shown() {
    let rules = blocks("yaml").next().unwrap();
    let rig = Rig::with(Some(rules), None, Door::Loopback);
    let mut session = rig.session();
    let mut count = 0;
    for example in blocks("text").flat_map(|block| block.split("> ").skip(1)) {
        let (command, expected) = example.split_once('\n').unwrap();
        let reply = say(&mut session, &format!("{command}\r\n"));
        assert_eq!(shown(&reply).trim(), expected.trim(), "{command}");
        count += 1;
    }
    assert_eq!(count, 11);
}
