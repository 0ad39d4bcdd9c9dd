//! Flags over environment over file over defaults; everything that is wrong is told at once.
// Proves: O6

mod identity;
mod layers;
mod problems;

use std::collections::BTreeMap;

use super::{ConfigFile, Loaded, Sources, load};

const TOKEN: &str = "correct-horse-battery-staple";

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

fn sources(flags: &[(&str, &str)], environment: &[(&str, &str)], file: &str) -> Sources {
    Sources {
        flags: map(flags),
        environment: map(environment),
        file: Some(ConfigFile::new("tollgate.toml", file)),
    }
}

fn loaded(flags: &[(&str, &str)], environment: &[(&str, &str)], file: &str) -> Loaded {
    load(&sources(flags, environment, file)).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn wrong(flags: &[(&str, &str)], environment: &[(&str, &str)], file: &str) -> String {
    let error = load(&sources(flags, environment, file));
    error.expect_err("something is wrong").to_string()
}
