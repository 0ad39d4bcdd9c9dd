//! What can be found out without starting.

use std::{fs, io, path::Path};

use rustix::fs::{Access, access};
use tollgate_rules::document;

use super::{Owner, Settings};
use crate::{counting::Counting, identity::Keys, tls::Material};

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
        && let Err(why) = rules(path, settings.counting())
    {
        obstacles.push(why);
    }
    let authorities = settings.redis.as_ref().and_then(|redis| redis.ca.as_ref());
    if let Some(path) = authorities
        && let Err(error) = fs::read(path)
    {
        let path = path.display();
        obstacles.push(format!(
            "cannot read {path} (--redis-ca): {error}; name a file with certificates in PEM"
        ));
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
    if obstacles.is_empty() {
        Ok(())
    } else {
        Err(obstacles)
    }
}

/// A folder that is not there is made at the start, so the one it will be in is asked.
pub(crate) fn folder(path: &Path) -> Result<(), String> {
    let whole = std::path::absolute(path).map_err(|error| error.to_string())?;
    let there = whole
        .ancestors()
        .find(|folder| fs::symlink_metadata(folder).is_ok());
    let there = there.unwrap_or(&whole);
    if !there.is_dir() {
        return Err(format!(
            "cannot be made: {} is not a folder",
            there.display()
        ));
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| format!("cannot be written: {}", io::Error::from(error)))?;
    // Some folders can be written by those who may, and still take none: try, and leave nothing behind.
    tempfile::tempdir_in(there)
        .map(drop)
        .map_err(|error| format!("cannot be written: {error}"))
}

fn rules(path: &Path, counting: Counting) -> Result<(), String> {
    let name = path.display().to_string();
    let length = fs::metadata(path).map(|metadata| metadata.len());
    let length = length.map_err(|error| format!("cannot read the rules file {name}: {error}"))?;
    if usize::try_from(length).is_ok_and(|length| length > document::BYTES_MAX) {
        return Err(format!(
            "the rules file {name} is longer than {} bytes",
            document::BYTES_MAX
        ));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| format!("cannot read the rules file {name}: {error}"))?;
    let reading = match counting {
        Counting::Alone => document::read(&name, &text),
        Counting::Shared(_) => document::read_for_redis(&name, &text),
    };
    match reading.document {
        Some(_) => Ok(()),
        None => Err(format!(
            "the rules file {name} cannot be used\n{}",
            reading.report
        )),
    }
}
