//! Which comment belongs where.
//!
//! A comment goes with a line. One behind something belongs to the entry on that line; one on a line of
//! its own belongs to the entry that comes next, unless it is indented like what just ended: then it is
//! the last word of that.

use super::tree::Comment;

pub(super) struct Remarks<'t> {
    text: &'t str,
    /// Where the comments stand that were not reached yet, the next one last.
    ahead: Vec<(usize, usize)>,
    /// Those that belong to what comes next.
    pending: Vec<Pending>,
    /// Where the last thing ended that a comment can stand behind.
    pub(super) end: usize,
}

struct Pending {
    comment: Comment,
    /// The column, if it has a line of its own.
    column: Option<usize>,
}

impl<'t> Remarks<'t> {
    pub(super) fn new(text: &'t str, mut places: Vec<(usize, usize)>) -> Self {
        places.sort_unstable();
        places.reverse();
        Self {
            text,
            ahead: places,
            pending: Vec::new(),
            end: 0,
        }
    }

    /// Goes on to `offset`; the comments behind the last thing are returned.
    pub(super) fn reach(&mut self, offset: usize) -> Vec<Comment> {
        let mut behind = Vec::new();
        while let Some((start, end)) = self.ahead.pop_if(|(start, _)| *start < offset) {
            let column = self.column_of(start);
            let gap = self.text.get(self.end..start).unwrap_or("\n");
            let text = self.text.get(start..end).unwrap_or_default();
            let comment = Comment {
                text: text.trim_end().to_owned(),
                after_blank: column.is_some() && self.is_after_blank(start),
            };
            if column.is_none() && !gap.contains('\n') {
                behind.push(comment);
            } else {
                self.pending.push(Pending { comment, column });
            }
        }
        behind
    }

    /// These are behind nothing after all.
    pub(super) fn put_back(&mut self, comments: Vec<Comment>) {
        let pending = comments.into_iter().map(|comment| Pending {
            comment,
            column: None,
        });
        self.pending.splice(0..0, pending);
    }

    /// All that belong to what comes now.
    pub(super) fn take(&mut self) -> Vec<Comment> {
        let pending = self.pending.drain(..);
        pending.map(|pending| pending.comment).collect()
    }

    /// Those that belong to what ends now: the first ones, as long as they stand in this column or
    /// further to the right.
    pub(super) fn take_from(&mut self, column: usize) -> Vec<Comment> {
        let is_in = |pending: &&Pending| pending.column.is_some_and(|own| own >= column);
        let count = self.pending.iter().take_while(is_in).count();
        let taken = self.pending.drain(..count);
        taken.map(|pending| pending.comment).collect()
    }

    /// Whether the line before that of `offset` is blank.
    pub(super) fn is_after_blank(&self, offset: usize) -> bool {
        let before = self.text.get(..offset).unwrap_or_default();
        let mut lines = before.rsplit('\n').skip(1);
        lines.next().is_some_and(|line| line.trim().is_empty())
    }

    fn column_of(&self, offset: usize) -> Option<usize> {
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.trim_start_matches('\u{feff}')
            .trim()
            .is_empty()
            .then(|| line.chars().count())
    }
}
