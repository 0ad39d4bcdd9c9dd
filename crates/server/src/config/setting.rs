//! One setting: its names, its default, what it is for.

/// Something that can be set by a flag, by a variable of the environment, and in the file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// The key in the file, `keys_max`; the other names follow from it.
    pub name: &'static str,
    /// What stands for the value in help, `ADDRESS`.
    pub placeholder: &'static str,
    /// The value if nobody gives one, as it would be written; what it is otherwise stands in `help`.
    pub default: Option<&'static str>,
    /// What it is for, in one line.
    pub help: &'static str,
    /// What it takes, and from where.
    pub takes: Takes,
}

/// What a setting takes, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Takes {
    /// A value.
    Value,
    /// A value that may hold a password: it is not repeated when it is wrong.
    Address,
    /// Yes or no; as a flag it has no value.
    Switch,
    /// A secret: a flag would show in the list of processes and a file is shared, so neither takes it.
    Secret,
}

impl Setting {
    pub(super) const fn value(
        name: &'static str,
        placeholder: &'static str,
        default: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, placeholder, default: Some(default), help, takes: Takes::Value }
    }

    pub(super) const fn optional(
        name: &'static str,
        placeholder: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, placeholder, default: None, help, takes: Takes::Value }
    }

    pub(super) const fn taking(mut self, takes: Takes) -> Self {
        self.takes = takes;
        self
    }

    /// `--keys-max`; none for a secret.
    pub fn flag(&self) -> Option<String> {
        let flag = || format!("--{}", self.long());
        (self.takes != Takes::Secret).then(flag)
    }

    /// The flag without its dashes.
    pub fn long(&self) -> String {
        self.name.replace('_', "-")
    }

    /// `TOLLGATE_KEYS_MAX`.
    pub fn variable(&self) -> String {
        format!("{VARIABLE_PREFIX}{}", self.name.to_ascii_uppercase())
    }

    /// Whether the file may have it.
    pub fn is_in_file(&self) -> bool {
        self.takes != Takes::Secret
    }
}

/// What the names of all our variables begin with.
pub(super) const VARIABLE_PREFIX: &str = "TOLLGATE_";
