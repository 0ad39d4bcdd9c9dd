//! The packages of this repository, as cargo knows them.

use anyhow::Context as _;
use cargo_metadata::{Metadata, MetadataCommand};

use crate::task::root;

/// Without dependencies: nothing has to be downloaded for this.
pub(crate) fn metadata() -> anyhow::Result<Metadata> {
    MetadataCommand::new()
        .current_dir(root())
        .no_deps()
        .exec()
        .context("reading the workspace with `cargo metadata`")
}
