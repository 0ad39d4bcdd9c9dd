//! The file and its rights.

use std::{
    fs::{DirBuilder, OpenOptions},
    io::{self, ErrorKind},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
};

use crate::CatalogError;

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Creates folder and file where they are missing, for their owner only: rules and reasons are nobody
/// else's business. SQLite gives its side files the same rights.
pub(super) fn prepare(path: &Path) -> Result<(), CatalogError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder);
        made.map_err(|error| refused(path, &error))?;
    }
    let created = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path);
    match created {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(refused(path, &error)),
        _ => Ok(()),
    }
}

fn refused(path: &Path, error: &io::Error) -> CatalogError {
    let source = format!("{}: {error}", path.display()).into();
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => CatalogError::Full(source),
        ErrorKind::ReadOnlyFilesystem => CatalogError::ReadOnly(source),
        _ => CatalogError::Denied(source),
    }
}
