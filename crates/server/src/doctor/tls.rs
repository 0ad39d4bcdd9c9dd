//! Certificates and keys.

use tollgate_core::{Clock as _, SystemClock};

use super::{Diagnosis, Grade};
use crate::{
    config::Tls,
    tls::{Material, Standing},
};

const ABOUT: &str = "tls";

pub(super) fn look(tls: &Tls) -> Vec<Diagnosis> {
    let now_s = SystemClock.now().wall.as_micros() / 1_000_000;
    let mut found: Vec<Diagnosis> = Vec::new();
    for (listener, files) in
        [("http", &tls.http), ("grpc", &tls.grpc), ("resp", &tls.resp), ("admin", &tls.admin)]
    {
        let Some(files) = files else { continue };
        let diagnosis = match Material::of(files) {
            Err(error) => Diagnosis::told(ABOUT, Grade::Problem, error.to_string()),
            Ok(material) => {
                let standing = Standing {
                    listeners: listener.to_owned(),
                    certificate: files.certificate.clone(),
                    about: material.about().clone(),
                    trouble: None,
                };
                let fine = || format!("{} can be used", files.certificate.display());
                match standing.ending(now_s) {
                    Some(ending) => Diagnosis::told(ABOUT, Grade::Warning, ending),
                    None => Diagnosis::fine(ABOUT, fine()),
                }
            }
        };
        // Listeners that share a file share what is to be said of it.
        if !found.contains(&diagnosis) {
            found.push(diagnosis);
        }
    }
    found
}
