//! Nothing about one machine or one package mirror in the repository.

use super::finding::Finding;
use super::source::Source;

/// Absolute folders of somebody's machine, put together so that this file passes its own rule.
const FOLDERS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];

const HOSTS: &[&str] = &[
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi", ".org"),
    concat!("registry.", "npmjs.org"),
    concat!("deb.", "debian.org"),
];

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        for folder in FOLDERS.iter().filter(|folder| has_folder(line, folder)) {
            let message =
                format!("`{folder}` is a path of one machine: write it from the repository's top");
            findings.push(Finding::new(&source.path, index + 1, message));
        }
        for host in HOSTS.iter().filter(|host| line.contains(**host)) {
            let message =
                format!("`{host}` is a package host: name the package, the tool knows where it is");
            findings.push(Finding::new(&source.path, index + 1, message));
        }
    }
    findings
}

/// The folder at the start of a path; in the middle of one it may be a route.
fn has_folder(line: &str, folder: &str) -> bool {
    let mut places = line.match_indices(folder);
    places.any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        !before.ends_with(|sign: char| sign.is_alphanumeric() || "._-*}$".contains(sign))
    })
}

#[cfg(test)]
mod tests {
    use super::{FOLDERS, HOSTS, Source, check};

    fn lines(text: String) -> usize {
        check(&Source {
            path: "a.md".to_owned(),
            text,
        })
        .len()
    }

    #[test]
    fn machine_paths_are_findings() {
        for folder in FOLDERS {
            assert_eq!(lines(format!("see {folder}main\n")), 1, "{folder}");
        }
    }

    #[test]
    fn package_hosts_are_findings() {
        for host in HOSTS {
            assert_eq!(lines(format!("https://{host}/x\n")), 1, "{host}");
        }
    }

    #[test]
    fn routes_and_relative_paths_are_fine() {
        for folder in FOLDERS {
            assert_eq!(
                lines(format!("GET /api{folder}main and .{folder}x\n")),
                0,
                "{folder}"
            );
        }
    }
}
