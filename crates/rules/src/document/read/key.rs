//! What a rule counts by.

use super::{
    super::{
        findings::{Finding, Findings},
        span::Span,
        tree::{Node, Value},
    },
    list, scalar,
};
use crate::{Field, Key, KeyError, KeyField, nearest::did_you_mean, normalise};

/// `[user, ip/56]`, `user|ip`, `[]`.
pub(super) fn key(node: &Node<'_>, findings: &mut Findings) -> Option<Key> {
    if let Value::Map(_) = node.value {
        let finding = Finding::error(node.head(), "key must be a list of facts, not a mapping");
        findings.push(finding.help("write key: [user], and values under match"));
        return None;
    }
    let read: Vec<Option<KeyField>> = list::one_or_many(node)
        .take(Key::FIELDS_MAX + 1)
        .map(|item| key_field(item, findings))
        .collect();
    let fields: Option<Vec<KeyField>> = read.into_iter().collect();
    Key::new(fields?)
        .map_err(|error| findings.error(node.span, error.to_string()))
        .ok()
}

fn key_field(node: &Node<'_>, findings: &mut Findings) -> Option<KeyField> {
    let given = scalar::text(node, "key", findings)?;
    report(parse(given), node.span, findings)
}

/// A field by name.
pub(super) fn named_field(name: &str, span: Span, findings: &mut Findings) -> Option<Field> {
    report(field(name), span, findings)
}

fn report<T>(read: Result<T, Wrong>, span: Span, findings: &mut Findings) -> Option<T> {
    read.map_err(|wrong| {
        let mut finding = Finding::error(span, wrong.message);
        finding.help = wrong.help;
        findings.push(finding);
    })
    .ok()
}

struct Wrong {
    message: String,
    help: Option<String>,
}

impl From<KeyError> for Wrong {
    fn from(error: KeyError) -> Self {
        Self {
            message: error.to_string(),
            help: None,
        }
    }
}

fn parse(text: &str) -> Result<KeyField, Wrong> {
    let mut prefix = None;
    let mut fields = Vec::new();
    for part in text.split('|').take(Key::FIELDS_MAX + 1) {
        let (name, bits) = match part.trim().split_once('/') {
            Some(("ip", bits)) => ("ip", Some(bits)),
            _ => (part.trim(), None),
        };
        fields.push(field(name)?);
        prefix = prefix.or(bits);
    }
    let field = KeyField::first_of(fields)?;
    let Some(bits) = prefix else {
        return Ok(field);
    };
    let wrong = || Wrong {
        message: format!("\"ip/{}\" counts no network of IPv6", short(bits)),
        help: Some("write ip/N with N from 1 to 128, for example ip/56".to_owned()),
    };
    let bits: u8 = bits.parse().map_err(|_| wrong())?;
    field.with_ipv6_prefix(bits).map_err(|_| wrong())
}

/// An attribute's name is as in a request.
fn field(name: &str) -> Result<Field, Wrong> {
    if name.is_empty() {
        return Err(KeyError::NoAlternative.into());
    }
    let field = name.parse().map_err(|error: crate::UnknownField| {
        // Requests have other names for two of them.
        let word = name.strip_suffix("_id").unwrap_or(name);
        let named = Field::NAMED.map(|field| field.word());
        Wrong {
            message: error.to_string(),
            help: did_you_mean(word, named),
        }
    })?;
    match &field {
        Field::Attribute(name) if normalise::identifier(name) != Ok(Some(name)) => Err(Wrong {
            message: format!(
                "attribute {:?} has blanks or controls in its name",
                short(name)
            ),
            help: None,
        }),
        _ => Ok(field),
    }
}

fn short(text: &str) -> String {
    text.chars().take(64).collect()
}
