//! The licence, the name and the origin of every dependency, held against `deny.toml`.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

use super::finding::Finding;
use super::licence;
use super::workspace::Dependency;

const PATH: &str = "deny.toml";
/// Cargo's own name for its default registry.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The part of `deny.toml` that can be checked without cargo-deny.
#[derive(Debug, Deserialize)]
pub(crate) struct Policy {
    licenses: Licences,
    bans: Bans,
}

#[derive(Debug, Deserialize)]
struct Licences {
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

#[derive(Debug, Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Debug, Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

impl Policy {
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let text =
            fs::read_to_string(root.join(PATH)).with_context(|| format!("reading {PATH}"))?;
        Self::parse(&text).with_context(|| format!("in {PATH}"))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        Ok(toml::from_str(text)?)
    }

    fn allows(&self, name: &str, licence: &str) -> bool {
        let listed = |list: &[String]| list.iter().any(|allowed| allowed == licence);
        let mut exceptions = self
            .licenses
            .exceptions
            .iter()
            .filter(|exception| exception.name == name);
        listed(&self.licenses.allow) || exceptions.any(|exception| listed(&exception.allow))
    }
}

pub(crate) fn check(policy: &Policy, dependencies: &[Dependency]) -> Vec<Finding> {
    let messages = dependencies
        .iter()
        .flat_map(|dependency| problems(policy, dependency));
    messages
        .map(|message| Finding::new(PATH, 1, message))
        .collect()
}

fn problems(policy: &Policy, dependency: &Dependency) -> Vec<String> {
    let name = &dependency.name;
    let mut problems = Vec::new();
    match &dependency.licence {
        None => problems.push(format!("`{name}` states no licence: replace it")),
        Some(text) if !licence::holds(text, |one| policy.allows(name, one)) => {
            problems.push(format!(
                "`{name}` is under `{text}`, which is not allowed: replace it, or allow it"
            ));
        }
        Some(_) => {}
    }
    if let Some(ban) = policy.bans.deny.iter().find(|ban| ban.name == *name) {
        problems.push(format!("`{name}` is banned: {}", ban.reason));
    }
    if let Some(source) = dependency
        .source
        .as_ref()
        .filter(|source| *source != REGISTRY)
    {
        problems.push(format!(
            "`{name}` comes from `{source}`: only released packages are used"
        ));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{Dependency, Policy, REGISTRY, check};

    const POLICY: &str = r#"
        [licenses]
        allow = ["MIT", "Apache-2.0"]
        exceptions = [{ crate = "icons", allow = ["MPL-2.0"] }]
        [bans]
        deny = [{ crate = "openssl", reason = "rustls is the only TLS here" }]
    "#;

    fn messages(name: &str, licence: Option<&str>, source: Option<&str>) -> Vec<String> {
        let dependency = Dependency {
            name: name.to_owned(),
            licence: licence.map(str::to_owned),
            source: source.map(str::to_owned),
        };
        let findings = check(&Policy::parse(POLICY).unwrap(), &[dependency]);
        findings
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn allowed_licences_pass() {
        assert!(messages("a", Some("MIT OR GPL-3.0"), Some(REGISTRY)).is_empty());
        assert!(messages("icons", Some("MPL-2.0"), None).is_empty());
    }

    #[test]
    fn other_licences_and_none_are_findings() {
        let found = messages("a", Some("MPL-2.0"), Some(REGISTRY));
        assert!(found[0].contains("`a` is under `MPL-2.0`"), "{found:?}");
        assert!(messages("a", None, Some(REGISTRY))[0].contains("no licence"));
    }

    #[test]
    fn banned_names_and_strange_sources_are_findings() {
        assert!(messages("openssl", Some("MIT"), None)[0].contains("banned: rustls"));
        assert!(
            messages("a", Some("MIT"), Some("git+https://example.com/a"))[0].contains("comes from")
        );
    }
}
