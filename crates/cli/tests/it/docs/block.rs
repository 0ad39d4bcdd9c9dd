//! The fenced blocks of a page.

/// What stands between two fences.
pub(crate) struct Block<'t> {
    pub(crate) language: &'t str,
    pub(crate) text: String,
    /// The line of the page it begins on.
    pub(crate) line: usize,
}

impl Block<'_> {
    /// The file it is to be put into: `# file: rules.yaml` as the first line, or the same after `//`.
    pub(crate) fn file_name(&self) -> Option<&str> {
        let first = self.text.lines().next()?;
        let comment = first.strip_prefix("# ").or(first.strip_prefix("// "))?;
        comment.strip_prefix("file: ")
    }

    /// Each command with what it prints. A line that ends with `\` goes on.
    pub(crate) fn commands(&self) -> Vec<(String, Vec<&str>)> {
        let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
        for line in self.text.lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
                (None, Some((command, _))) if command.ends_with('\\') => {
                    command.push('\n');
                    command.push_str(line);
                }
                (None, Some((_, output))) => output.push(line),
                (None, None) => {}
            }
        }
        commands
    }
}

pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for (line, text) in (1..).zip(page.lines()) {
        open = match (open, text.strip_prefix("```")) {
            (None, Some(language)) => Some(Block { language, text: String::new(), line: line + 1 }),
            (Some(block), Some(_)) => {
                blocks.push(block);
                None
            }
            (Some(mut block), None) => {
                block.text.push_str(text);
                block.text.push('\n');
                Some(block)
            }
            (None, None) => None,
        };
    }
    blocks
}
