//! A rule that is renamed is the same rule.

use tollgate_rules::{RuleSet, diff};

fn set(rule: &str) -> RuleSet {
    let text = format!("version: 1\nrules: [{{ {rule}, key: [user], limit: 5/min }}]");
    text.parse().unwrap()
}

/// 12.10: renamed in a file, twice, and then once more without saying so.
// Proves: R5
#[test]
fn a_rule_renamed_twice_keeps_its_id_and_so_its_counters() {
    let first = set("name: login");
    let id = first.rules["login"].id;

    let mut second = set("name: sign-in, renamed_from: login");
    second.adopt_ids(&first);
    assert_eq!(second.rules["sign-in"].id, id);

    let mut third = set("name: enter, renamed_from: sign-in");
    assert_ne!(third.rules["enter"].id, id, "alone, the file cannot know");
    third.adopt_ids(&second);
    assert_eq!(third.rules["enter"].id, id);
    let told = diff(&second, &third).to_string();
    assert!(told.contains("counters kept"), "{told}");

    // Once applied, `renamed_from` may go: the name is known.
    let mut later = set("name: enter");
    later.adopt_ids(&third);
    assert_eq!(later.rules["enter"].id, id);
}

/// Without `renamed_from` it is delete and create.
#[test]
fn another_name_without_a_word_is_another_rule() {
    let first = set("name: login");
    let mut second = set("name: sign-in");
    second.adopt_ids(&first);
    assert_ne!(second.rules["sign-in"].id, first.rules["login"].id);
}
