//! The reference of the command line against what the program says of itself.
// Proves: O6, R11

use std::fs;

use super::top;
use crate::common;

fn help(words: &[&str]) -> String {
    let desk = common::Desk::new();
    let mut words = words.to_vec();
    words.push("--help");
    desk.run(&words).fine().out
}

/// The commands below one, by its help.
fn below(words: &[&str]) -> Vec<String> {
    let help = help(words);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty());
    let names = commands.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The long flags in a text.
fn flags(text: &str) -> Vec<String> {
    let words = text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '-'));
    let flags = words.filter(|word| word.len() > 2 && word.starts_with("--"));
    let mut flags: Vec<String> = flags.map(str::to_owned).collect();
    flags.sort();
    flags.dedup();
    flags
}

/// Every command: `rules validate`, `serve`.
fn commands() -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for room in below(&[]) {
        match below(&[&room]).as_slice() {
            [] => all.push(vec![room]),
            within => all.extend(within.iter().map(|command| vec![room.clone(), command.clone()])),
        }
    }
    all
}

/// The flags that a command's help offers.
fn offered(words: &[&str]) -> Vec<String> {
    let help = help(words);
    let (_, options) = help.split_once("Options:").unwrap();
    let options = options.split("\n\n").next().unwrap();
    let lines = options.lines().map(str::trim_start);
    let lines = lines.map(|line| line.strip_prefix("-h, ").unwrap_or(line));
    let flags = lines.filter_map(|line| line.split_whitespace().next());
    let flags: Vec<String> =
        flags.filter(|word| word.starts_with("--")).map(str::to_owned).collect();
    assert!(!flags.is_empty(), "{help}");
    flags
}

/// The reference of the command line has a section for every command, with every flag and no other.
#[test]
fn the_reference_knows_every_command_and_flag() {
    let page = fs::read_to_string(top().join("docs/reference/cli.md")).unwrap();
    let settings = fs::read_to_string(top().join("docs/reference/configuration.md")).unwrap();
    let (general, _) = page.split_once("\n## tollgate ").expect("a section for each command");
    let commands = commands();
    for command in &commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let name = words.join(" ");
        let title = format!("\n## tollgate {name}\n");
        let (_, section) = page.split_once(&title).unwrap_or_else(|| panic!("no section{title}"));
        let section = section.split("\n## ").next().unwrap();
        // The settings of a server have a page of their own.
        let elsewhere = if section.contains("(configuration.md)") { settings.as_str() } else { "" };
        let offered = offered(&words);
        for flag in &offered {
            let marked = [format!("`{flag}`"), format!("`{flag} ")];
            let pages = [section, general, elsewhere];
            let is_there = marked.iter().any(|flag| pages.iter().any(|page| page.contains(flag)));
            assert!(is_there, "tollgate {name} has {flag}, the page does not say so");
        }
        let table = section.lines().filter(|line| line.starts_with("| `--"));
        for flag in table.flat_map(|line| flags(line.split('|').nth(1).unwrap())) {
            assert!(offered.contains(&flag), "tollgate {name} has no {flag}");
        }
    }
    assert_eq!(commands.len(), 41);
}
