//! Lists for people.

use serde_json::Value;

use super::body::word;
use crate::{outcome::Outcome, say::Format, table::lines};

/// A line for each entry of a list, under a line of names; `what` is said if there is none.
pub(super) fn of(answer: &Value, list: &str, columns: &[(&str, &str)], what: &str) -> String {
    let entries = answer.get(list).and_then(Value::as_array);
    let entries = entries.map_or(&[][..], Vec::as_slice);
    if entries.is_empty() {
        return format!("{what}\n");
    }
    let head: Vec<String> = columns.iter().map(|(title, _)| (*title).to_owned()).collect();
    let rows = entries.iter().map(|entry| {
        let cells = columns.iter().map(|(_, name)| word(entry, name));
        cells.collect::<Vec<String>>()
    });
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let mut text = lines(&rows);
    if answer.get("next_cursor").is_some_and(|next| !next.is_null()) {
        text += "there are more: --limit shows them\n";
    }
    text
}

/// Tells a list of the server: for people as a table, for programs as it is.
pub(super) fn tell(
    answer: &Value,
    list: &str,
    columns: &[(&str, &str)],
    none: &str,
    format: Format,
) -> anyhow::Result<Outcome> {
    format.say(|| of(answer, list, columns, none), || answer.clone())?;
    Ok(Outcome::Fine)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn columns_stand_below_each_other() {
        let answer =
            json!({ "keys": [{ "id": "k1", "user": "alice" }, { "id": "k17", "user": null }] });
        let columns = [("ID", "id"), ("USER", "user")];
        let text = super::of(&answer, "keys", &columns, "none");
        assert_eq!(text, "ID   USER\nk1   alice\nk17  -\n");
        assert_eq!(super::of(&json!({}), "keys", &columns, "none"), "none\n");
    }

    /// Stored before such names were refused.
    #[test]
    fn a_name_does_not_steer_the_terminal() {
        let user = "hot\u{9b}31mX\u{202e}\u{2028}\n";
        let answer = json!({ "keys": [{ "id": "k1", "user": user }] });
        let text = super::of(&answer, "keys", &[("USER", "user"), ("ID", "id")], "none");
        let shown = "hot\\u{9b}31mX\\u{202e}\\u{2028}\\u{a}";
        let title = format!("{:1$}", "USER", shown.len());
        assert_eq!(text, format!("{title}  ID\n{shown}  k1\n"));
    }
}
