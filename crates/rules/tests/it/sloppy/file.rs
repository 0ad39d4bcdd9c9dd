//! Rules files as nobody should write them: any indentation, any quotes, comments everywhere.

use tollgate_testkit::Rng;

const WORDS: [&str; 22] = [
    "5/min",
    "user",
    "'user|ip'",
    "\"a: b\"",
    "plain text",
    "/api/{id}",
    "\"5\"",
    "5",
    "true",
    "'true'",
    "~",
    "\"\"",
    "'it''s'",
    "\"tab\\t\"",
    "80%",
    "1e3",
    "x#y",
    "\"#\"",
    "a:b",
    "-1",
    "2027-01-01T00:00:00Z",
    "\"long text that goes on and on and on and on and on and on and on and on and on\"",
];
const FIELDS: [&str; 12] = [
    "reason",
    "name",
    "limit",
    "key",
    "match",
    "priority",
    "owner",
    "zeta",
    "\"quoted\"",
    "enabled",
    "group",
    "'odd key'",
];

pub(crate) fn file(rng: &mut Rng) -> String {
    let mut text = String::new();
    noise(rng, &mut text, 0);
    let mut sections = ["version", "rules", "tiers", "overrides", "tests"];
    rng.shuffle(&mut sections);
    for section in sections.iter().take(1 + rng.index(5)) {
        text.push_str(section);
        text.push(':');
        match *section {
            "version" => scalar(rng, &mut text, 0),
            "rules" => rules(rng, &mut text),
            _ => value(rng, &mut text, 0, 3),
        }
        noise(rng, &mut text, 0);
    }
    text
}

fn rules(rng: &mut Rng, text: &mut String) {
    let indent = rng.index(4);
    line_end(rng, text);
    for _ in 0..=rng.index(3) {
        noise(rng, text, indent);
        item(rng, text, indent, 2);
    }
}

fn value(rng: &mut Rng, text: &mut String, indent: usize, depth: usize) {
    match rng.below(if depth == 0 { 4 } else { 7 }) {
        0 | 1 => scalar(rng, text, indent),
        2 => {
            text.push(' ');
            flow(rng, text, indent, depth);
            line_end(rng, text);
        }
        3 => block_text(rng, text, indent),
        4 | 5 => {
            line_end(rng, text);
            let inner = indent + 1 + rng.index(4);
            mapping(rng, text, inner, depth - 1, "");
        }
        _ => {
            line_end(rng, text);
            let inner = indent + rng.index(4);
            for _ in 0..=rng.index(3) {
                noise(rng, text, inner);
                item(rng, text, inner, depth - 1);
            }
        }
    }
}

fn item(rng: &mut Rng, text: &mut String, indent: usize, depth: usize) {
    pad(text, indent);
    text.push('-');
    match rng.below(if depth == 0 { 2 } else { 5 }) {
        0 => scalar(rng, text, indent),
        1 => {
            text.push(' ');
            flow(rng, text, indent, depth);
            line_end(rng, text);
        }
        2 => {
            line_end(rng, text);
            let inner = indent + 1 + rng.index(3);
            noise(rng, text, inner);
            mapping(rng, text, inner, depth - 1, "");
        }
        _ => {
            let gap = 1 + rng.index(3);
            pad(text, gap);
            mapping(rng, text, indent + 1 + gap, depth - 1, "inline");
        }
    }
}

fn mapping(rng: &mut Rng, text: &mut String, indent: usize, depth: usize, start: &str) {
    let mut fields = FIELDS;
    rng.shuffle(&mut fields);
    for (place, field) in fields.iter().take(1 + rng.index(5)).enumerate() {
        if place > 0 || start.is_empty() {
            noise(rng, text, indent);
            pad(text, indent);
        }
        text.push_str(field);
        text.push(':');
        value(rng, text, indent, depth);
    }
    if rng.one_in(6) {
        comment(rng, text, indent);
    }
}

fn scalar(rng: &mut Rng, text: &mut String, indent: usize) {
    match rng.below(12) {
        0 => {}
        1 => {
            line_end(rng, text);
            if rng.one_in(3) {
                comment(rng, text, indent + 1);
            }
            pad(text, indent + 1);
            text.push_str(rng.pick(&WORDS));
        }
        2 => {
            text.push_str(" \"two\n");
            pad(text, indent + 2);
            text.push_str("lines\"");
        }
        _ => {
            pad(text, 1 + rng.index(3));
            text.push_str(rng.pick(&WORDS));
        }
    }
    line_end(rng, text);
}

fn block_text(rng: &mut Rng, text: &mut String, indent: usize) {
    text.push_str(rng.pick(&[" |", " |-", " |+", " >", " >-", " >+"]));
    line_end(rng, text);
    let inner = indent + 1 + rng.index(4);
    for place in 0..=rng.index(4) {
        if place > 0 && rng.one_in(4) {
            text.push('\n');
        }
        pad(text, inner);
        if place > 0 && rng.one_in(5) {
            text.push_str("  ");
        }
        text.push_str(rng.pick(&["some words", "# no comment", "a: b", "- c", "more of  it"]));
        text.push('\n');
    }
    if rng.one_in(4) {
        text.push('\n');
    }
}

fn flow(rng: &mut Rng, text: &mut String, indent: usize, depth: usize) {
    let is_list = rng.one_in(2);
    text.push(if is_list { '[' } else { '{' });
    flow_gap(rng, text, indent);
    for place in 0..rng.index(4) {
        if !is_list {
            text.push_str(&format!("k{place}: "));
        }
        if depth > 0 && rng.one_in(4) {
            flow(rng, text, indent, depth - 1);
        } else {
            text.push_str(rng.pick(&WORDS[6..]));
        }
        flow_gap(rng, text, indent);
        text.push(',');
        flow_gap(rng, text, indent);
    }
    text.push(if is_list { ']' } else { '}' });
}

fn flow_gap(rng: &mut Rng, text: &mut String, indent: usize) {
    match rng.below(12) {
        0 => {
            text.push_str(" # flow");
            text.push('\n');
            pad(text, indent + 1);
        }
        1 => {
            text.push('\n');
            pad(text, indent + 1);
        }
        2 => text.push(' '),
        _ => {}
    }
}

fn line_end(rng: &mut Rng, text: &mut String) {
    if rng.one_in(6) {
        pad(text, 1 + rng.index(3));
        text.push_str(&format!("#{}right {}", rng.pick(&["", " ", "# "]), rng.below(100)));
    }
    text.push_str(if rng.one_in(10) { "  \n" } else { "\n" });
}

fn noise(rng: &mut Rng, text: &mut String, indent: usize) {
    while rng.one_in(4) {
        if rng.one_in(2) {
            text.push_str(rng.pick(&["\n", "\n\n", "  \n"]));
        } else {
            comment(rng, text, indent);
        }
    }
}

fn comment(rng: &mut Rng, text: &mut String, indent: usize) {
    let column = if rng.one_in(3) { rng.index(8) } else { indent };
    pad(text, column);
    text.push_str(&format!("# own {}\n", rng.below(100)));
}

fn pad(text: &mut String, columns: usize) {
    text.extend(std::iter::repeat_n(' ', columns));
}
