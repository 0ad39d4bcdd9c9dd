//! Differences as lines of text.

use std::{fmt, fmt::Display};

use serde_json::{Value, json};

use super::{Counters, Diff, Difference, DifferenceKind, FieldChange, Object, words::NONE};

impl Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|difference| writeln!(f, "{difference}"))
    }
}

/// A line, and one more for every field where several changed; no line break at the end.
impl Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.object {
            Object::Rule => write!(f, "{}: ", self.name)?,
            Object::DefaultTier => {}
            Object::Tier | Object::Override => write!(f, "{} {}: ", self.object.word(), self.name)?,
        }
        match (self.kind, self.fields.as_slice()) {
            (DifferenceKind::Added | DifferenceKind::Removed, fields) => {
                write!(f, "{}{}", self.kind.word(), Summary(fields))?;
                write!(f, "{}{}", Scope(self), self.counters)
            }
            (DifferenceKind::Changed, [only]) => {
                write!(f, "{}{}{}", Short(only), Scope(self), self.counters)
            }
            (DifferenceKind::Changed, several) => {
                write!(f, "{} changes{}{}", several.len(), Scope(self), self.counters)?;
                let mut several = several.iter();
                several.try_for_each(|change| write!(f, "\n  {}: {}", change.field, Arrow(change)))
            }
        }
    }
}

/// ` for tier free`, where a rule is about some tiers only.
struct Scope<'a>(&'a Difference);

impl Display for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.tiers.iter().map(|name| name.as_str()).collect();
        match names.as_slice() {
            [] => Ok(()),
            [only] => write!(f, " for tier {only}"),
            several => write!(f, " for tiers {}", several.join(", ")),
        }
    }
}

/// The only change: a limit needs no name.
struct Short<'a>(&'a FieldChange);

impl Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0.field {
            "limit" | "limits" => write!(f, "{}", Arrow(self.0)),
            "name" => write!(f, "renamed to {}", self.0.after),
            "id" => write!(f, "replaced by a new rule"),
            "default_tier" => write!(f, "default_tier: {}", Arrow(self.0)),
            field => write!(f, "{field} {}", Arrow(self.0)),
        }
    }
}

struct Arrow<'a>(&'a FieldChange);

impl Display for Arrow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", self.0.before, self.0.after)
    }
}

/// What something new or gone is in the main: `, 5/min by [user]`.
struct Summary<'a>(&'a [FieldChange]);

impl Summary<'_> {
    fn said(&self, wanted: &str) -> Option<&str> {
        let change = self.0.iter().find(|change| change.field == wanted)?;
        let is_gone = change.after == NONE;
        Some(if is_gone { &change.before } else { &change.after })
    }
}

impl Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = self.said("action").filter(|action| *action != "throttle");
        let parts = [
            ("", action),
            ("", self.said("limit").or_else(|| self.said("limits"))),
            ("by ", self.said("key")),
            ("of ", self.said("match.endpoint")),
            ("rank ", self.said("rank")),
            ("default ", self.said("default")),
            ("until ", self.said("until")),
        ];
        let said = parts.into_iter().filter_map(|(label, text)| Some((label, text?)));
        for (place, (label, text)) in said.enumerate() {
            let before = if place == 0 { ", " } else { " " };
            write!(f, "{before}{label}{text}")?;
        }
        Ok(())
    }
}

/// As the end of a line: `; counters kept`.
impl Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept => f.write_str("; counters kept"),
            Self::StartFresh { why } => write!(f, "; counters start fresh: {why}"),
            Self::CarriedOver => f.write_str("; counters carried over"),
            Self::NotApplicable => Ok(()),
        }
    }
}

impl Diff {
    /// Every difference with its fields, its line of text, and what becomes of the counters.
    ///
    /// ```
    /// use tollgate_rules::{RuleSet, diff};
    ///
    /// let mut other = RuleSet::default();
    /// other.default_tier = "premium".parse()?;
    /// let changes = diff(&RuleSet::default(), &other).to_json();
    /// assert_eq!(changes["differences"][0]["object"], "default_tier");
    /// # Ok::<(), tollgate_rules::NameError>(())
    /// ```
    pub fn to_json(&self) -> Value {
        let differences: Vec<Value> = self.iter().map(Difference::to_json).collect();
        json!({ "is_empty": self.is_empty(), "differences": differences })
    }
}

impl Difference {
    fn to_json(&self) -> Value {
        let field = |change: &FieldChange| json!({ "field": change.field, "before": change.before, "after": change.after });
        let fields: Vec<Value> = self.fields.iter().map(field).collect();
        let (counters, why) = match self.counters {
            Counters::Kept => ("kept", None),
            Counters::StartFresh { why } => ("start_fresh", Some(why)),
            Counters::CarriedOver => ("carried_over", None),
            Counters::NotApplicable => ("not_applicable", None),
        };
        json!({
            "kind": self.kind.word(),
            "object": self.object.word(),
            "name": self.name,
            "fields": fields,
            "counters": counters,
            "counters_reason": why,
            "text": self.to_string(),
        })
    }
}
