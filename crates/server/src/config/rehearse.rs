//! What can be found out without starting.

use std::{fs, io, path::Path};

use rustix::fs::{Access, access};

use super::{Owner, Settings};
use crate::{engine::redis_options, identity::Keys, rules, tls::Material};

/// Whether a server would start with these, as far as that can be told without leaving anything behind:
/// the rules file is sound, the certificates and keys can be used, the data folder can be written. Whether the ports are free and the database
/// answers may have changed by then, and is not asked.
///
/// # Errors
///
/// Everything that is in the way.
pub fn rehearse(settings: &Settings) -> Result<(), Vec<String>> {
    let mut obstacles = Vec::new();
    if let Err(why) = folder(&settings.data) {
        let data = settings.data.display();
        obstacles.push(format!(
            "the data folder {data} {why}: make it writable, or name another with --data"
        ));
    }
    if let Owner::File(path) = &settings.owner
        && let Err(error) = rules::FileContents::read(path, settings.counting())
    {
        obstacles.push(error.to_string());
    }
    if let Some(redis) = &settings.redis
        && let Err(error) = redis_options(redis, settings.node.as_str())
    {
        obstacles.push(error.to_string());
    }
    let tls = &settings.tls;
    for files in [&tls.http, &tls.grpc, &tls.resp, &tls.admin] {
        let flaw = files.as_ref().and_then(|files| Material::of(files).err());
        let flaw = flaw.map(|error| error.to_string());
        // Listeners that share a file share what is wrong with it.
        obstacles.extend(flaw.filter(|flaw| !obstacles.contains(flaw)));
    }
    if let Some(jwt) = &settings.identity.jwt
        && let Err(error) = Keys::rehearse(jwt)
    {
        obstacles.push(error.to_string());
    }
    if obstacles.is_empty() { Ok(()) } else { Err(obstacles) }
}

/// A folder that is not there is made at the start, so the one it will be in is asked.
pub(crate) fn folder(path: &Path) -> Result<(), String> {
    let whole = std::path::absolute(path).map_err(|error| error.to_string())?;
    let there = whole.ancestors().find(|folder| fs::symlink_metadata(folder).is_ok());
    let there = there.unwrap_or(&whole);
    if !there.is_dir() {
        return Err(format!("cannot be made: {} is not a folder", there.display()));
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| format!("cannot be written: {}", io::Error::from(error)))?;
    // Some folders can be written by those who may, and still take none: try, and leave nothing behind.
    tempfile::tempdir_in(there).map(drop).map_err(|error| format!("cannot be written: {error}"))
}
