//! A Lua script says what it is given.

use super::finding::Finding;
use super::source::Source;

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    if !source.has_extension("lua") {
        return Vec::new();
    }
    let header: String = source
        .text
        .lines()
        .take_while(|line| line.starts_with("--"))
        .collect();
    let missing: Vec<&str> = ["KEYS", "ARGV"]
        .into_iter()
        .filter(|word| !header.contains(word))
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let message = format!(
        "no {} in the header: begin with `--` lines that name every key and argument",
        missing.join(" and no ")
    );
    vec![Finding::new(&source.path, 1, message)]
}

#[cfg(test)]
mod tests {
    use super::{Source, check};

    fn script(text: &str) -> Vec<String> {
        let source = Source {
            path: "take.lua".to_owned(),
            text: text.to_owned(),
        };
        check(&source)
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn a_header_names_keys_and_arguments() {
        assert!(script("-- KEYS[1] pool\n-- ARGV[1] cost\nreturn 1\n").is_empty());
    }

    #[test]
    fn a_script_without_header_is_a_finding() {
        assert!(script("return KEYS[1] .. ARGV[1]\n")[0].starts_with("no KEYS and no ARGV"));
        assert!(script("-- KEYS[1] pool\nreturn 1\n")[0].starts_with("no ARGV in the header"));
    }
}
