//! YAML for people: short things on one line, everything else in a block.

use std::fmt::Write as _;

use super::{
    super::format::{in_double_quotes, place_in_rule},
    items::{Fields, Shape, override_fields, rule_fields, tier_fields},
};
use crate::{RuleSet, Tier};

/// The longest line that a list or mapping is put on.
const COLUMNS_MAX: usize = 100;

/// The rule set as a rules file: in order of names, without what is so by default.
///
/// ```
/// use tollgate_rules::{RuleSet, document};
///
/// let text = document::write_yaml(&RuleSet::default());
/// assert_eq!(text, "version: 1\nrules: []\n");
/// assert_eq!(document::read("", &text).document.unwrap().rules, RuleSet::default());
/// ```
pub fn write_yaml(set: &RuleSet) -> String {
    let mut out = String::from("version: 1\n");
    if Some(&set.default_tier) != RuleSet::default_tier_name().as_ref() {
        field(&mut out, 0, "default_tier", &Shape::text(&set.default_tier));
    }
    let built_in = Tier::built_in().into_iter().map(|tier| (tier.name.clone(), tier));
    if set.tiers != built_in.collect() {
        out.push_str("tiers:\n");
        for tier in set.tiers.values() {
            let name = tier.name.to_string();
            field(&mut out, 2, &name, &Shape::Map(tier_fields(tier)));
        }
    }
    list(
        &mut out,
        "rules",
        set.rules.values().map(|rule| in_order(rule_fields(rule))),
        Layout::Block,
    );
    if !set.overrides.is_empty() {
        let overrides = set.overrides.iter().map(override_fields);
        list(&mut out, "overrides", overrides, Layout::Line);
    }
    out
}

/// The fields of a rule as the formatter puts them.
fn in_order(mut fields: Fields) -> Fields {
    fields.sort_by_key(|(name, _)| place_in_rule(name));
    fields
}

/// How an item of a list is laid out.
#[derive(Clone, Copy)]
enum Layout {
    /// A line per field.
    Block,
    /// One line, if it is not too long.
    Line,
}

fn list(out: &mut String, name: &str, items: impl Iterator<Item = Fields>, layout: Layout) {
    let before = out.len();
    for fields in items {
        let line = format!("  - {}", flow(&Shape::Map(fields.clone())));
        match layout {
            Layout::Line if line.chars().count() <= COLUMNS_MAX => {
                out.push_str(&line);
                out.push('\n');
            }
            _ => item(out, 2, &fields),
        }
    }
    match out.len() == before {
        true => field(out, 0, name, &Shape::List(Vec::new())),
        false => out.insert_str(before, &format!("{name}:\n")),
    }
}

/// An item of a list, field by field: the first stands beside the dash.
fn item(out: &mut String, indent: usize, fields: &Fields) {
    let start = out.len();
    for (name, value) in fields {
        field(out, indent + 2, name, value);
    }
    let dash = start + indent;
    if out.is_char_boundary(dash) && out.is_char_boundary(dash + 2) && out.len() >= dash + 2 {
        out.replace_range(dash..dash + 2, "- ");
    }
}

fn field(out: &mut String, indent: usize, name: &str, value: &Shape) {
    let name = scalar(name);
    let line = format!("{:indent$}{name}: {}", "", flow(value));
    let is_short = line.chars().count() <= COLUMNS_MAX;
    match value {
        Shape::Map(fields) if !is_short && !fields.is_empty() => {
            let _infallible = writeln!(out, "{:indent$}{name}:", "");
            for (name, value) in fields {
                field(out, indent + 2, name, value);
            }
        }
        Shape::List(items) if !is_short && !items.is_empty() => {
            let _infallible = writeln!(out, "{:indent$}{name}:", "");
            for value in items {
                let _infallible = writeln!(out, "{:1$}- {2}", "", indent + 2, flow(value));
            }
        }
        _ => {
            out.push_str(&line);
            out.push('\n');
        }
    }
}

fn flow(value: &Shape) -> String {
    match value {
        Shape::Text(text) => scalar(text),
        Shape::Number(number) => number.to_string(),
        Shape::Truth(truth) => truth.to_string(),
        Shape::List(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Shape::Map(fields) if fields.is_empty() => "{}".to_owned(),
        Shape::Map(fields) => {
            let fields = fields.iter();
            let fields: Vec<String> =
                fields.map(|(name, value)| format!("{}: {}", scalar(name), flow(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
    }
}

/// A text, in quotes unless every reader of YAML takes it for a text without them.
fn scalar(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    in_double_quotes(text)
}

fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 10] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan"];
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || "/_.-+%*@ ".contains(letter);
    let starts = text.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '/');
    starts && !is_word && !text.ends_with(' ') && text.chars().all(is_safe) && !is_number(text)
        || is_moment(text)
}

/// Anything that begins like a number and is not a limit, a percentage or a factor.
fn is_number(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_hexdigit() || "xo._-+".contains(letter);
    let is_numeric = text.starts_with(|letter: char| letter.is_ascii_digit());
    is_numeric && text.chars().all(is_part) && !text.ends_with('x')
}

/// `2027-01-01T00:00:00Z`, as this crate writes moments.
fn is_moment(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_digit() || "-:.TZ".contains(letter);
    let digits = text.get(..4).is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    digits
        && text.len() >= 20
        && text.ends_with('Z')
        && text.contains('T')
        && text.chars().all(is_part)
}
