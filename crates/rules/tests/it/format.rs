//! The canonical layout: what it looks like, and that nothing is lost on the way to it.

// Proves: R11

use std::{collections::BTreeMap, path::Path};

use granit_parser::{Event, Parser, ScalarStyle, options};
use tollgate_rules::document::{FormatError, format, write_yaml};
use tollgate_testkit::Rng;

use crate::{random, sloppy};

/// What a text says, without its looks.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Data {
    Nothing,
    /// With what makes `5` and `"5"` different.
    Scalar(String, bool),
    Alias(usize),
    List(Vec<Self>),
    Map(BTreeMap<Self, Self>),
}

fn data_and_comments(text: &str) -> (Vec<Data>, Vec<String>) {
    let options = options! { max_buffered_comment_events: 10_000 };
    let mut stack: Vec<Vec<Data>> = vec![vec![]];
    let mut comments = Vec::new();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let data = match event {
            Event::Comment(text, _) => {
                comments.push(text.trim_end().to_owned());
                continue;
            }
            Event::Scalar(..) if span.start.index() == span.end.index() => Data::Nothing,
            Event::Scalar(text, style, ..) => {
                let odd = ["5", "true", "null", "~", "1e3"].contains(&&*text);
                Data::Scalar(text.into_owned(), odd && style == ScalarStyle::Plain)
            }
            Event::Alias(id) => Data::Alias(id),
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                stack.push(vec![]);
                continue;
            }
            Event::SequenceEnd => Data::List(stack.pop().unwrap()),
            Event::MappingEnd => {
                let mut flat = stack.pop().unwrap().into_iter();
                let mut map = BTreeMap::new();
                while let (Some(key), Some(value)) = (flat.next(), flat.next()) {
                    map.insert(key, value);
                }
                Data::Map(map)
            }
            _ => continue,
        };
        stack.last_mut().unwrap().push(data);
    }
    comments.sort();
    (stack.pop().unwrap(), comments)
}

/// The laws: the same data, every comment, and nothing left to do.
fn obeys_the_laws(text: &str) -> String {
    let formatted = format(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let again = format(&formatted).unwrap_or_else(|error| panic!("{error}\n{formatted}"));
    assert_eq!(again, formatted, "formatted twice:\n{text}");
    assert_eq!(data_and_comments(&formatted), data_and_comments(text), "{text}\n---\n{formatted}");
    assert!(formatted.is_empty() || formatted.ends_with('\n'), "{formatted:?}");
    formatted
}

#[test]
fn sloppy_files_obey_the_laws() {
    let mut rng = Rng::new(3);
    let mut with_comments = 0;
    for _ in 0..6_000 {
        let text = sloppy::file(&mut rng);
        let formatted = obeys_the_laws(&text);
        with_comments += u32::from(formatted.contains('#'));
    }
    assert!(with_comments > 3_000, "only {with_comments} had comments");
}

#[test]
fn good_files_obey_the_laws() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        if !text.trim_start().starts_with('{') {
            obeys_the_laws(&text);
            seen += 1;
        }
    }
    assert!(seen >= 8, "only {seen} files");
}

#[test]
fn what_is_written_is_formatted() {
    let mut rng = Rng::new(8);
    for _ in 0..500 {
        let text = write_yaml(&random::rule_set(&mut rng));
        assert_eq!(obeys_the_laws(&text), text);
    }
}

#[test]
fn a_rule_in_order() {
    let text = "\
# Limits of the shop.


version : 1
rules:
    # Stuffing.
    -   limit: '5/min'   # tight
        # counted by
        key: [ \"user\",ip ]
        name:   \"login\"
        match: {endpoint: '/login',   method: [POST] }

        reason: >
            Somebody
            tried.
        # more to come

    - {name: search, limit: 10/s}
    # the end of the rules
tiers: {}
# the end
";
    let expected = "\
# Limits of the shop.

version: 1
rules:
  # Stuffing.
  - name: login
    match: { endpoint: /login, method: [POST] }
    # counted by
    key: [user, ip]
    limit: 5/min  # tight

    reason: >
      Somebody tried.
    # more to come

  - { name: search, limit: 10/s }
  # the end of the rules
tiers: {}
# the end
";
    assert_eq!(obeys_the_laws(text), expected);
}

#[test]
fn comments_find_a_place() {
    let cases = [
        ("a: # k\n  v # r\n", "# k\na: v  # r\n"),
        ("a:\n  # own\n  v\n", "# own\na: v\n"),
        ("a: # k\n  b: 1\n", "a:  # k\n  b: 1\n"),
        ("a: [ # head\n  x, # x\n  y ] # end\n", "# head\na:  # end\n  - x  # x\n  - y\n"),
        ("a:\n  - # dash\n    b: 1\n", "a:\n  # dash\n  - b: 1\n"),
        ("a:\n  -\n    # first\n    b: 1\n", "a:\n  # first\n  - b: 1\n"),
        ("a:\n- x\n# next\nb: 1\n", "a:\n  - x\n# next\nb: 1\n"),
        ("a: | # lit\n   x\nb: 1\n", "a: |  # lit\n  x\nb: 1\n"),
        ("a: [] # none\n", "a: []  # none\n"),
        ("a: [\n  # none\n]\n", "# none\na: []\n"),
        ("# only\n", "# only\n"),
        ("--- # start\na: 1\n", "# start\na: 1\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(obeys_the_laws(text), expected, "{text}");
    }
}

#[test]
fn texts_keep_their_meaning() {
    let cases = [
        ("a: \"5\"\n", "a: \"5\"\n"),
        ("a: 'true'\n", "a: \"true\"\n"),
        ("a: ''\n", "a: \"\"\n"),
        ("a: ~\nb:\n", "a: ~\nb:\n"),
        ("a: '5/min'\n", "a: 5/min\n"),
        ("a: \"x: y\"\n", "a: \"x: y\"\n"),
        ("a: 'it''s'\n", "a: \"it's\"\n"),
        ("a: \"say \\\"hi\\\"\"\n", "a: \"say \\\"hi\\\"\"\n"),
        ("a: \"\\0\\t\\u2028\"\n", "a: \"\\U00000000\\t\\U00002028\"\n"),
        ("a: one\n  two\n\n  three\n", "a: \"one two\\nthree\"\n"),
        ("a: |-\n  x\n   y\n", "a: |-\n  x\n   y\n"),
        ("a: |2\n    x\n  y\n", "a: |2\n    x\n  y\n"),
        ("a: |+\n  x\n\n\nb: 1\n", "a: |+\n  x\n\n\nb: 1\n"),
        ("a: >\n  x\n  y\n\n  z\n", "a: >\n  x y\n\n  z\n"),
        ("a: >\n  x\n    y\n  z\n", "a: |\n  x\n    y\n  z\n"),
        ("a: user|ip\n", "a: user|ip\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(obeys_the_laws(text), expected, "{text}");
    }
}

#[test]
fn anchors_stay_before_their_aliases() {
    let text = "rules:\n- key: &by [user]\n  name: a\n  match: &m !!map\n    tier: free\n- key: *by\n  match: *m\n";
    let expected = "rules:\n  - key: &by [user]\n    name: a\n    match: &m !!map\n      tier: free\n  - key: *by\n    match: *m\n";
    assert_eq!(obeys_the_laws(text), expected);
}

#[test]
fn what_has_no_layout_is_refused_with_its_line() {
    let cases = [
        (
            "a: 1\n---\nb: 2\n",
            "line 2: a second document has no canonical layout, write it differently",
        ),
        (
            "? [a]\n: 1\n",
            "line 1: a field whose name is not a text has no canonical layout, write it differently",
        ),
        ("&x a: 1\n", "line 1: this anchor has no canonical layout, write it differently"),
        (
            "{\"version\": 1}\n",
            "line 1: a file that is not a mapping with a line for each field has no canonical layout, write it differently",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(format(text).unwrap_err().to_string(), message, "{text}");
    }
    for text in ["a: [1", "a: 1\n b: 2\n", "%YAML 1.2\n---\na: 1\n", "a: *nobody\n"] {
        let error = format(text).unwrap_err();
        assert!(matches!(error, FormatError::Syntax { .. }), "{text}: {error}");
    }
    let deep = "a: ".to_owned() + &"[".repeat(100) + &"]".repeat(100);
    assert!(matches!(format(&deep), Err(FormatError::Syntax { .. })));
}
