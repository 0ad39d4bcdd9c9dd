//! What the manual shows is what happens.

use super::rig::{Rig, say};
use crate::authority::Door;

const PAGE: &str = include_str!("../../../../../docs/reference/resp.md");

/// The fenced blocks of a kind.
fn blocks(kind: &str) -> impl Iterator<Item = &'static str> {
    let parts = PAGE.split("\n```").filter_map(move |part| part.strip_prefix(kind));
    parts.filter_map(|part| part.strip_prefix('\n'))
}

/// A reply as redis-cli shows it.
fn shown(reply: &str) -> String {
    one(&mut reply.split("\r\n"), 0)
}

/// One reply; the lines of a list after its first stand so many places to the right.
fn one<'a>(lines: &mut impl Iterator<Item = &'a str>, indent: usize) -> String {
    let line = lines.next().unwrap();
    match line.split_at(1) {
        (":", number) => format!("(integer) {number}\n"),
        ("-", error) => format!("(error) {error}\n"),
        ("$", "-1") => "(nil)\n".to_owned(),
        ("$", _) => format!("\"{}\"\n", lines.next().unwrap()),
        ("*", count) => {
            let width = count.len();
            let items = 1..=count.parse::<usize>().unwrap();
            let items = items.map(|number| {
                let space = if number == 1 { 0 } else { indent };
                let item = one(lines, indent + width + 2);
                format!("{:space$}{number:width$}) {item}", "")
            });
            items.collect()
        }
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
    assert_eq!(count, 14);
}
