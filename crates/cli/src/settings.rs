//! The settings of a server as flags: taken from the server's own table, so that none is forgotten.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use serde_json::json;
use tollgate_server::{ConfigFile, Loaded, SETTINGS, Setting, Sources, Takes};

use crate::{outcome::Failure, say::Format};

/// What was typed of the settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingFlags {
    given: BTreeMap<String, String>,
    config: Option<String>,
}

const CONFIG: &str = "config";
/// The setting that may be given several times.
const REDIS: &str = "redis";

impl SettingFlags {
    /// Where an operator says something: flags, environment and file.
    pub(crate) fn sources(&self) -> Result<Sources, Failure> {
        let environment = tollgate_server::environment();
        let sources = Sources::new(self.given.clone(), environment, self.config.as_deref());
        sources.map_err(Failure::new)
    }

    /// Everything that an operator said.
    pub(crate) fn load(&self, format: Format) -> anyhow::Result<Loaded> {
        let sources = self.sources()?;
        let loaded = tollgate_server::load(&sources).map_err(|error| {
            let problems = error.problems().iter().map(|problem| {
                json!({
                    "setting": problem.key,
                    "origin": problem.origin.word(),
                    "place": problem.origin.to_string(),
                    "message": problem.message,
                })
            });
            let problems = problems.collect();
            Failure::new(error.to_string()).with("problems", problems)
        })?;
        for warning in &loaded.warnings {
            format.remark(|| format!("warning: {warning}"));
        }
        Ok(loaded)
    }
}

impl clap::Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new(CONFIG).long(CONFIG).value_name("FILE").help(format!(
            "The configuration file; without it {} if that is there [env: {}]",
            ConfigFile::USUAL,
            Sources::FILE_VARIABLE
        ));
        let flags = SETTINGS.iter().filter_map(argument);
        // In the order of the table, before the flags that every command has.
        let flags = std::iter::once(file).chain(flags).zip(1..);
        flags.fold(command, |command, (flag, place)| command.arg(flag.display_order(place)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn argument(setting: &Setting) -> Option<Arg> {
    setting.flag()?;
    let default = match setting.default {
        Some(default) if setting.takes != Takes::Switch => format!(" [default: {default}]"),
        _ => String::new(),
    };
    let help = format!("{}{default} [env: {}]", setting.help, setting.variable());
    let argument = Arg::new(setting.name).long(setting.long()).help(help);
    Some(match setting.takes {
        Takes::Switch => argument.action(ArgAction::SetTrue),
        // Several are told one by one, or with commas between.
        _ if setting.name == REDIS => {
            argument.value_name(setting.placeholder).action(ArgAction::Append)
        }
        _ => argument.value_name(setting.placeholder),
    })
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.config = matches.get_one::<String>(CONFIG).cloned();
        for setting in SETTINGS.iter().filter(|setting| setting.flag().is_some()) {
            let value = match setting.takes {
                Takes::Switch => matches.get_flag(setting.name).then(|| "true".to_owned()),
                _ => matches.get_many::<String>(setting.name).map(|given| {
                    let given: Vec<&str> = given.map(String::as_str).collect();
                    given.join(",")
                }),
            };
            let given = value.map(|value| (setting.name.to_owned(), value));
            self.given.extend(given);
        }
        Ok(())
    }
}
