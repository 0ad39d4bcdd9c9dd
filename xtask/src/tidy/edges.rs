//! Who may depend on whom: the table, and the check that holds the manifests against it.

use cargo_metadata::DependencyKind;

use super::source::Finding;
use crate::task::root;
use crate::workspace;

/// A crate of ours, with the packages its manifest names.
#[derive(Debug)]
pub(crate) struct Crate {
    name: String,
    manifest: String,
    normal: Vec<String>,
    dev: Vec<String>,
}

/// What a crate may name under `[dependencies]`, of the workspace's own crates.
struct Edges {
    from: &'static str,
    to: &'static [&'static str],
}

const fn edges(from: &'static str, to: &'static [&'static str]) -> Edges {
    Edges { from, to }
}

const ALLOWED: &[Edges] = &[
    edges("core", &[]),
    edges("rules", &["core"]),
    edges("memory", &["core"]),
    edges("redis", &["core"]),
    edges("sim", &["core", "rules"]),
    edges("catalog", &["core", "rules"]),
    edges("tollgate", &["core", "rules", "memory"]),
    edges("wire", &["core"]),
    edges("rls", &[]),
    edges("server", &["core", "rules", "memory", "redis", "catalog", "rls", "tollgate", "wire"]),
    edges("client", &["core", "memory", "wire"]),
    edges("tower", &["core", "tollgate", "wire", "client"]),
    edges(
        "cli",
        &["core", "rules", "tollgate", "wire", "server", "client", "tower", "sim", "catalog"],
    ),
    edges("testkit", &["core", "rules", "memory", "sim", "catalog", "wire", "tollgate"]),
];

/// Tests may also use these, whatever the crate.
const ALLOWED_IN_TESTS: &[&str] = &["testkit", "sim", "memory"];

/// Tools and stories stand above everything.
const FREE: &[&str] = &["benches", "e2e", "examples", "xtask"];

/// What counters are made of has no I/O, no async and no serialisation.
const PURE: &[&str] = &["core", "memory"];
const BANNED_FROM_PURE: &[&str] =
    &["async-trait", "futures", "hyper", "serde", "serde_json", "tokio"];

pub(crate) fn crates() -> anyhow::Result<Vec<Crate>> {
    let metadata = workspace::metadata()?;
    let read = |package: &cargo_metadata::Package| {
        let manifest = package.manifest_path.strip_prefix(root()).unwrap_or(&package.manifest_path);
        let (dev, normal): (Vec<_>, Vec<_>) = package
            .dependencies
            .iter()
            .partition(|other| other.kind == DependencyKind::Development);
        let names = |list: Vec<&cargo_metadata::Dependency>| {
            list.into_iter().map(|other| other.name.clone()).collect()
        };
        Crate {
            name: package.name.to_string(),
            manifest: manifest.to_string(),
            normal: names(normal),
            dev: names(dev),
        }
    };
    Ok(metadata.workspace_packages().into_iter().map(read).collect())
}

pub(crate) fn check(crates: &[Crate]) -> Vec<Finding> {
    crates.iter().filter(|unit| !FREE.contains(&short(&unit.name))).flat_map(check_one).collect()
}

fn check_one(unit: &Crate) -> Vec<Finding> {
    let name = short(&unit.name);
    let Some(allowed) = ALLOWED.iter().find(|edges| edges.from == name) else {
        let message = format!(
            "`{name}` has no row in the dependency table: add it to xtask/src/tidy/edges.rs"
        );
        return vec![Finding { path: unit.manifest.clone(), line: 1, message }];
    };
    let mut messages = Vec::new();
    for to in unit.normal.iter().filter(ours).map(|name| short(name)) {
        if !allowed.to.contains(&to) {
            messages.push(format!(
                "`{name}` may not depend on `{to}` (table: xtask/src/tidy/edges.rs)"
            ));
        }
    }
    for to in unit.dev.iter().filter(ours).map(|name| short(name)) {
        // Tests may turn on features of the crate itself.
        if to != name && !allowed.to.contains(&to) && !ALLOWED_IN_TESTS.contains(&to) {
            messages.push(format!(
                "the tests of `{name}` may not depend on `{to}` (table: xtask/src/tidy/edges.rs)"
            ));
        }
    }
    if PURE.contains(&name) {
        let banned = unit.normal.iter().filter(|name| BANNED_FROM_PURE.contains(&name.as_str()));
        messages.extend(banned.map(|banned| {
            format!(
                "`{name}` has no I/O, no async, no serialisation: move what needs `{banned}` up"
            )
        }));
    }
    let finding = |message| Finding { path: unit.manifest.clone(), line: 1, message };
    messages.into_iter().map(finding).collect()
}

/// Whether a package is one of this workspace: `redis` is somebody else's, `tollgate-redis` ours.
fn ours(package: &&String) -> bool {
    let is_tool = FREE.contains(&package.as_str());
    is_tool || *package == "tollgate" || package.starts_with("tollgate-")
}

/// Package `tollgate-core` is the crate `core`; the facade is `tollgate`.
fn short(package: &str) -> &str {
    package.strip_prefix("tollgate-").unwrap_or(package)
}

#[cfg(test)]
mod tests {
    use super::{Crate, check};

    fn unit(name: &str, normal: &[&str], dev: &[&str]) -> Crate {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Crate {
            name: name.to_owned(),
            manifest: "Cargo.toml".to_owned(),
            normal: owned(normal),
            dev: owned(dev),
        }
    }

    fn messages(unit: Crate) -> Vec<String> {
        check(&[unit]).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn the_arrows_of_the_design_are_allowed() {
        let unit = unit(
            "tollgate",
            &["tollgate-core", "tollgate-memory", "thiserror"],
            &["tollgate-testkit"],
        );
        assert!(messages(unit).is_empty());
    }

    #[test]
    fn an_arrow_the_wrong_way_is_a_finding() {
        let found = messages(unit("tollgate-core", &["tollgate-memory"], &[]));
        assert!(found[0].starts_with("`core` may not depend on `memory`"), "{found:?}");
    }

    #[test]
    fn tests_may_use_the_kit_but_not_the_server() {
        let found = messages(unit("tollgate-core", &[], &["tollgate-testkit", "tollgate-server"]));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("the tests of `core` may not depend on `server`"),
            "{found:?}"
        );
    }

    #[test]
    fn the_client_of_redis_is_not_our_store() {
        let client = messages(unit("tollgate-cli", &[], &["redis"]));
        assert!(client.is_empty(), "{client:?}");
        assert_eq!(messages(unit("tollgate-cli", &["tollgate-redis"], &[])).len(), 1);
    }

    #[test]
    fn core_stays_free_of_runtimes_and_formats() {
        let found = messages(unit("tollgate-core", &["thiserror", "serde"], &[]));
        assert!(found[0].contains("move what needs `serde`"), "{found:?}");
    }

    #[test]
    fn a_new_crate_needs_a_row_and_tools_need_none() {
        assert!(messages(unit("tollgate-extra", &[], &[]))[0].contains("has no row"));
        assert!(messages(unit("xtask", &["tollgate-core"], &[])).is_empty());
    }
}
