//! JSON as text: for what is read by a reader that knows lines and columns, and must find them as they
//! were sent.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{json, value::RawValue};

/// A text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotJson {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// Whether a text is JSON. A reader of YAML would take more.
///
/// # Errors
///
/// [`NotJson`] says where it is not.
///
/// ```
/// use tollgate_wire::admin::check;
///
/// assert!(check(r#"{"name":"login"}"#).is_ok());
/// assert_eq!(check("name: login").unwrap_err().column, 2);
/// ```
pub fn check(text: &str) -> Result<(), NotJson> {
    let read = serde_json::from_str::<IgnoredAny>(text);
    read.map(drop).map_err(|error| NotJson {
        line: error.line(),
        column: error.column(),
        message: error.to_string(),
    })
}

/// The same object without these members. Everything else keeps its line and its column.
///
/// ```
/// use tollgate_wire::admin::without;
///
/// assert_eq!(without(r#"{"name":"a","version":1}"#, &["version"]), r#"{"name":"a"            }"#);
/// ```
pub fn without(text: &str, names: &[&str]) -> String {
    let Ok(Members(members)) = serde_json::from_str::<Members<'_>>(text) else {
        return text.to_owned();
    };
    if !members.iter().any(|(name, _)| names.contains(&name.as_str())) {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    let (mut at, mut is_first) = (0, true);
    for (name, value) in members {
        let Some(end) = offset(text, value).map(|start| start + value.get().len()) else {
            return text.to_owned();
        };
        // From the end of the member before: a comma or a brace, the name, a colon, the value.
        let member = text.get(at..end).unwrap_or_default();
        let (brace, member) = match (at, member.find('{')) {
            (0, Some(brace)) => member.split_at(brace + 1),
            _ => ("", member),
        };
        kept.push_str(brace);
        match (names.contains(&name.as_str()), is_first) {
            (true, _) => blank(member, &mut kept),
            (false, true) => {
                kept.push_str(&member.replacen(',', " ", usize::from(brace.is_empty())));
                is_first = false;
            }
            (false, false) => kept.push_str(member),
        }
        at = end;
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept
}

/// The same object with a member that is a text, unless it has one of that name. Everything keeps its place.
///
/// ```
/// use tollgate_wire::admin::with_text;
///
/// assert_eq!(with_text(r#"{"rank":3}"#, "name", "gold"), r#"{"rank":3,"name":"gold"}"#);
/// ```
pub fn with_text(text: &str, name: &str, value: &str) -> String {
    let members = serde_json::from_str::<Members<'_>>(text);
    let (Ok(Members(members)), Some(end)) = (members, text.rfind('}')) else {
        return text.to_owned();
    };
    if members.iter().any(|(known, _)| known == name) {
        return text.to_owned();
    }
    let comma = if members.is_empty() { "" } else { "," };
    let (before, after) = text.split_at(end);
    format!("{before}{comma}{}:{}{after}", json!(name), json!(value))
}

/// The members of a list, each with the text before it; none if it is no list.
///
/// ```
/// use tollgate_wire::admin::items;
///
/// assert_eq!(items("[1, 2]"), Some(vec![("[", "1"), ("[1, ", "2")]));
/// assert_eq!(items("{}"), None);
/// ```
pub fn items(text: &str) -> Option<Vec<(&str, &str)>> {
    let values: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let item = |value: &RawValue| {
        let start = offset(text, value)?;
        Some((text.get(..start)?, text.get(start..start + value.get().len())?))
    };
    values.into_iter().map(item).collect()
}

/// Where in the text a value of it begins.
fn offset(text: &str, value: &RawValue) -> Option<usize> {
    let (whole, part) = (text.as_ptr().addr(), value.get().as_ptr().addr());
    part.checked_sub(whole).filter(|start| *start <= text.len())
}

fn blank(text: &str, out: &mut String) {
    out.extend(text.chars().map(|sign| match sign {
        '\n' | '\r' => sign,
        _ => ' ',
    }));
}

/// The members of an object in order, those that are there twice included.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_keeps_its_place() {
        let cases = [
            (r#"{"version":1,"name":"a"}"#, r#"{            "name":"a"}"#),
            (r#"{"name":"a","version":1}"#, r#"{"name":"a"            }"#),
            (
                r#"{"a":1,"version":[2,{"a":"}"}],"b":3}"#,
                r#"{"a":1                        ,"b":3}"#,
            ),
            (r#"{ "version" : 1 }"#, r#"{               }"#),
            (r#"{"name":"a","name":"b","version":1}"#, r#"{"name":"a","name":"b"            }"#),
            ("{\"version\":\n1,\n \"name\":\"a,b\"}", "{          \n  \n \"name\":\"a,b\"}"),
            (r#"{"name":"a"}"#, r#"{"name":"a"}"#),
            (r#"["version"]"#, r#"["version"]"#),
        ];
        for (text, expected) in cases {
            let kept = without(text, &["version"]);
            assert_eq!(kept, expected);
            assert_eq!(kept.len(), text.len());
            assert!(serde_json::from_str::<IgnoredAny>(&kept).is_ok(), "{kept}");
        }
    }

    #[test]
    fn the_items_of_a_list_know_what_is_before_them() {
        let text = "[ {\"a\":1},\n 2]";
        let items = items(text).unwrap();
        assert_eq!(items, [("[ ", "{\"a\":1}"), ("[ {\"a\":1},\n ", "2")]);
        assert!(super::items("{}").is_none());
    }
}
