//! What `cargo metadata` knows of our crates and of those we use.

use std::path::Path;

use anyhow::Context as _;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// The one platform the project is built and checked on.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) crates: Vec<Crate>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A crate of ours, with the packages its manifest names.
#[derive(Debug)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) manifest: String,
    pub(crate) normal: Vec<String>,
    pub(crate) dev: Vec<String>,
}

/// A package we build with, ours included.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) licence: Option<String>,
    /// Where it was fetched from; none for a folder of this repository.
    pub(crate) source: Option<String>,
}

impl Workspace {
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let metadata = MetadataCommand::new()
            .current_dir(root)
            .other_options(vec!["--filter-platform".to_owned(), PLATFORM.to_owned()])
            .exec()
            .context("reading the workspace with `cargo metadata`")?;
        let crates = metadata
            .workspace_packages()
            .into_iter()
            .map(|package| our_crate(root, package));
        Ok(Self {
            crates: crates.collect(),
            dependencies: dependencies(&metadata),
        })
    }
}

fn our_crate(root: &Path, package: &Package) -> Crate {
    let manifest = package
        .manifest_path
        .strip_prefix(root)
        .unwrap_or(&package.manifest_path);
    let names = |dev: bool| {
        let kind = move |kind: DependencyKind| (kind == DependencyKind::Development) == dev;
        let chosen = package
            .dependencies
            .iter()
            .filter(move |dependency| kind(dependency.kind));
        chosen.map(|dependency| dependency.name.clone()).collect()
    };
    Crate {
        name: package.name.to_string(),
        manifest: manifest.to_string(),
        normal: names(false),
        dev: names(true),
    }
}

/// Only what the platform really resolves to; the lock file knows far more.
fn dependencies(metadata: &Metadata) -> Vec<Dependency> {
    let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
    nodes
        .filter_map(|node| {
            metadata
                .packages
                .iter()
                .find(|package| package.id == node.id)
        })
        .map(|package| Dependency {
            name: package.name.to_string(),
            licence: package.license.clone(),
            source: package.source.as_ref().map(|source| source.repr.clone()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Workspace;
    use crate::task::root;

    #[test]
    fn knows_this_crate_and_what_it_uses() {
        let workspace = Workspace::read(&root()).unwrap();
        let xtask = workspace
            .crates
            .iter()
            .find(|unit| unit.name == "xtask")
            .unwrap();
        assert_eq!(xtask.manifest, "xtask/Cargo.toml");
        assert!(xtask.normal.contains(&"anyhow".to_owned()), "{xtask:?}");
        assert!(xtask.dev.contains(&"tempfile".to_owned()), "{xtask:?}");
        assert!(
            workspace
                .dependencies
                .iter()
                .any(|dependency| dependency.name == "anyhow")
        );
    }
}
