//! Differences for programs.

use serde_json::{Value, json};

use super::{Counters, Diff, Difference, FieldChange};

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
