//! Every value with where it came from, as `tollgate config` shows it.

use std::fmt;

use super::{Origin, Redis, SETTINGS, Settings, Takes, sources::Values};

/// Every setting with its value and where that came from.
#[derive(Clone, Debug)]
pub struct Effective {
    shown: Vec<Shown>,
}

/// One setting, fit to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// The key of the file.
    pub name: &'static str,
    /// The value; none if there is none. A secret is `(set)`.
    pub value: Option<String>,
    /// Where it came from.
    pub origin: Origin,
}

impl Effective {
    pub(super) fn new(values: &Values, settings: &Settings) -> Self {
        let shown = SETTINGS.iter().map(|setting| {
            let given = values.get(setting.name);
            let value = match setting.name {
                "database" => Some(settings.database.to_string()),
                "redis" => settings.redis.as_ref().map(Redis::shown),
                "otlp" => settings.otlp.as_ref().map(ToString::to_string),
                "node" if given.is_none() => Some("(random at every start)".to_owned()),
                _ if setting.takes == Takes::Secret => given.map(|_| "(set)".to_owned()),
                _ => given
                    .map(|given| given.text.clone())
                    .or_else(|| setting.default.map(str::to_owned)),
            };
            Shown {
                name: setting.name,
                value,
                origin: given.map_or(Origin::Default, |given| given.origin.clone()),
            }
        });
        Self { shown: shown.collect() }
    }

    /// One by one, in the order of the table.
    pub fn shown(&self) -> &[Shown] {
        &self.shown
    }
}

/// A table of names, values and origins.
impl fmt::Display for Effective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |shown: &Shown| shown.value.clone().unwrap_or_else(|| "(none)".to_owned());
        let width = |of: &dyn Fn(&Shown) -> usize| self.shown.iter().map(of).max().unwrap_or(0);
        let names = width(&|shown| shown.name.len());
        let values = width(&|shown| text(shown).chars().count());
        for shown in &self.shown {
            let (value, origin) = (text(shown), &shown.origin);
            writeln!(f, "{:names$}  {value:values$}  {origin}", shown.name)?;
        }
        Ok(())
    }
}
