//! The reference of the configuration against the table that flags, variables and the file come from.
// Proves: O6

use std::fs;

use tollgate_server::{SETTINGS, Setting, Takes};

use super::top;

/// A setting as the page has it.
fn row(setting: &Setting) -> String {
    let flag = match (setting.flag(), setting.takes) {
        (None, _) => "none".to_owned(),
        (Some(flag), Takes::Switch) => format!("`{flag}`"),
        (Some(flag), _) => format!("`{flag} {}`", setting.placeholder.replace('|', "\\|")),
    };
    let key = if setting.is_in_file() { format!("`{}`", setting.name) } else { "none".to_owned() };
    let default = setting.default.map_or("none".to_owned(), |default| format!("`{default}`"));
    let help = setting.help;
    format!("| {key} | {flag} | `{}` | {default} | {help} |", setting.variable())
}

/// The table of the page is the table of the code, line by line.
#[test]
fn the_reference_knows_every_setting() {
    let page = fs::read_to_string(top().join("docs/reference/configuration.md")).unwrap();
    let lines = page.lines().filter(|line| line.contains("| `TOLLGATE_"));
    let told: Vec<&str> = lines.collect();
    let wanted: Vec<String> = SETTINGS.iter().map(row).collect();
    assert_eq!(told, wanted, "the table should be\n{}\n", wanted.join("\n"));
}

/// The example of the page sets every key that can be set, to its default or something else that is sound.
#[test]
fn the_example_is_sound() {
    let page = fs::read_to_string(top().join("docs/reference/configuration.md")).unwrap();
    let blocks = super::block::blocks(&page);
    let example = blocks.iter().find(|block| block.language == "toml").unwrap();
    let mut sources = tollgate_server::Sources::default();
    sources.file = Some(tollgate_server::ConfigFile::new("tollgate.toml", example.text.as_str()));
    tollgate_server::load(&sources).unwrap();
    for setting in SETTINGS.iter().filter(|setting| setting.is_in_file()) {
        let is_there = example.text.lines().any(|line| {
            let line = line.trim_start_matches("# ");
            line.starts_with(&format!("{} = ", setting.name))
        });
        assert!(is_there, "{}", setting.name);
    }
}
