//! The manual's commands are run: what a page shows is what happens.
// Proves: R11

mod elsewhere;
mod samples;
pub(crate) mod shell;

use shell::Shell;

use crate::docs::{block::blocks, pages};

/// Files that carry a name are written, commands are run, in the order of the page.
#[test]
fn what_a_page_shows_is_what_happens() {
    let mut run = 0;
    for (page, text) in pages() {
        let mut shell = Shell::new();
        for block in blocks(&text) {
            match (block.language, block.file_name()) {
                ("yaml" | "sh", Some(name)) => shell.write(name, &block.text),
                ("nginx", Some(name)) => shell.write_mapped(name, &block.text),
                ("python" | "js" | "go", Some(name)) => shell.write_program(name, &block.text),
                ("console", _) => run += shell.play(&page, &block),
                _ => {}
            }
        }
    }
    assert!(run > 30, "only {run} commands were run");
}
