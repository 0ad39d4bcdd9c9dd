//! A page has one title.

use super::finding::Finding;
use super::source::Source;

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    if !source.has_extension("md") {
        return Vec::new();
    }
    match titles(&source.text).as_slice() {
        [_] => Vec::new(),
        [] => vec![Finding::new(
            &source.path,
            1,
            "no title: begin with one `# ` heading",
        )],
        [_, second, ..] => {
            let message = "a second title: a page has one `# ` heading, use `## ` below it";
            vec![Finding::new(&source.path, *second, message)]
        }
    }
}

/// The lines of the first-level headings, outside code fences.
fn titles(text: &str) -> Vec<usize> {
    let mut fence: Option<&str> = None;
    let mut titles = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let start = line.trim_start();
        match fence {
            Some(mark) if start.starts_with(mark) => fence = None,
            Some(_) => {}
            None if line.starts_with("# ") => titles.push(index + 1),
            None => {
                fence = ["```", "~~~"]
                    .into_iter()
                    .find(|mark| start.starts_with(mark))
            }
        }
    }
    titles
}

#[cfg(test)]
mod tests {
    use super::{Source, check};

    fn page(text: &str) -> Vec<usize> {
        let source = Source {
            path: "a.md".to_owned(),
            text: text.to_owned(),
        };
        check(&source).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn one_title_is_right() {
        assert_eq!(page("# A\n\n## B\n\n```sh\n# a comment\n```\n"), [0; 0]);
    }

    #[test]
    fn none_and_two_are_findings() {
        assert_eq!(page("## B\n"), [1]);
        assert_eq!(page("# A\n\n# B\n"), [3]);
    }
}
