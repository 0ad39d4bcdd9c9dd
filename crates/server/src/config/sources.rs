//! Where values come from: flags over environment over file.

use std::collections::BTreeMap;

use super::{ConfigFile, Origin, Problem, SETTINGS, Setting, setting::VARIABLE_PREFIX};

/// All that an operator said.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Sources {
    /// Flags by the name of their setting. A switch that is there is `true`.
    pub flags: BTreeMap<String, String>,
    /// The variables of the environment.
    pub environment: BTreeMap<String, String>,
    /// The file that was named, or the usual one if it is there.
    pub file: Option<ConfigFile>,
}

/// The variables of this process whose names begin with `TOLLGATE_`. Those that are not UTF-8 show
/// their sound part, and so are wrong rather than missing.
pub fn environment() -> BTreeMap<String, String> {
    let variables = std::env::vars_os();
    let texts = variables.map(|(name, value)| {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        (text(name), text(value))
    });
    texts.filter(|(name, _)| name.starts_with(VARIABLE_PREFIX)).collect()
}

/// A value as it was given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) text: String,
    pub(super) origin: Origin,
}

/// What was given for each setting, by the source that wins.
pub(super) type Values = BTreeMap<&'static str, Given>;

impl Sources {
    /// The variable that names the file.
    pub const FILE_VARIABLE: &str = "TOLLGATE_CONFIG";

    /// With the file that a flag or the environment names, or the usual one if it is there.
    ///
    /// # Errors
    ///
    /// What keeps the file from being read; a file that was named must be there.
    pub fn new(
        flags: BTreeMap<String, String>,
        environment: BTreeMap<String, String>,
        named: Option<&str>,
    ) -> Result<Self, String> {
        let variable = environment.get(Self::FILE_VARIABLE).map(String::as_str);
        let variable = variable.filter(|path| !path.is_empty());
        let file = match (named, variable) {
            (Some(path), _) => Some(there(path, "--config")?),
            (None, Some(path)) => Some(there(path, Self::FILE_VARIABLE)?),
            (None, None) => ConfigFile::read(ConfigFile::USUAL)?,
        };
        Ok(Self { flags, environment, file })
    }

    /// What was given for each setting, and what is wrong with the way it was.
    pub(super) fn gather(&self) -> (Values, Vec<Problem>) {
        let mut values = Values::new();
        let mut problems = Vec::new();
        if let Some(file) = &self.file {
            file.gather(&mut values, &mut problems);
        }
        for setting in SETTINGS {
            let variable = setting.variable();
            if let Some(text) = self.environment.get(&variable).filter(|text| !text.is_empty()) {
                values.insert(
                    setting.name,
                    Given { text: text.clone(), origin: Origin::Variable(variable) },
                );
            }
            if let Some((flag, text)) = setting.flag().zip(self.flags.get(setting.name)) {
                values
                    .insert(setting.name, Given { text: text.clone(), origin: Origin::Flag(flag) });
            }
        }
        (values, problems)
    }

    /// Variables that are near to one of ours. They are no error: others may have set them, as
    /// Kubernetes does for a service that is called `tollgate`.
    pub(super) fn doubts(&self) -> Vec<String> {
        let ours: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
        let others = ["TOLLGATE_AUTHOR", Self::FILE_VARIABLE];
        let unknown = self
            .environment
            .keys()
            .filter(|name| !ours.contains(name) && !others.contains(&name.as_str()));
        let doubt = |name: &String| {
            let ending = name.strip_prefix(VARIABLE_PREFIX)?;
            let endings = ours.iter().filter_map(|name| name.strip_prefix(VARIABLE_PREFIX));
            let meant = tollgate_rules::nearest(ending, endings)?;
            Some(format!("{name} has no effect: did you mean {VARIABLE_PREFIX}{meant}?"))
        };
        unknown.filter_map(doubt).collect()
    }
}

fn there(path: &str, by: &str) -> Result<ConfigFile, String> {
    let file = ConfigFile::read(path).map_err(|why| format!("{by}: {why}"))?;
    file.ok_or_else(|| format!("{by}: there is no file {path}"))
}
