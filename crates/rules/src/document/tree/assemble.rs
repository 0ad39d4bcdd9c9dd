//! Lists and mappings as they are put together, within the bounds.

use std::{collections::HashMap, rc::Rc};

use super::{
    super::{
        findings::{Finding, Findings},
        span::Span,
    },
    DEPTH_MAX, Entry, NODES_MAX, Node, Value,
    entries::{entry, unique},
};

/// Stops the reading; what is wrong has been reported.
pub(super) enum Broken {
    /// The text is wrong from here on: what was read so far can be looked at.
    Text,
    /// There is too much of it.
    Bound,
}

/// A tree that is not finished.
pub(super) struct Assembly<'t, 'f> {
    pub(super) findings: &'f mut Findings,
    open: Vec<Frame<'t>>,
    anchors: HashMap<usize, Part<'t>>,
    root: Option<Rc<Node<'t>>>,
    nodes: usize,
}

/// A finished node, with what it counts for when an alias repeats it.
#[derive(Clone)]
struct Part<'t> {
    node: Rc<Node<'t>>,
    nodes: usize,
    height: usize,
}

/// A list or mapping that is not finished.
struct Frame<'t> {
    start: usize,
    anchor: usize,
    nodes: usize,
    height: usize,
    content: Content<'t>,
}

/// What is in a list or mapping so far.
pub(super) enum Content<'t> {
    List(Vec<Rc<Node<'t>>>),
    Map {
        entries: Vec<Entry<'t>>,
        /// The name whose value comes next.
        name: Option<Rc<Node<'t>>>,
    },
}

impl<'t, 'f> Assembly<'t, 'f> {
    pub(super) fn new(findings: &'f mut Findings) -> Self {
        Self {
            findings,
            open: Vec::new(),
            anchors: HashMap::new(),
            root: None,
            nodes: 0,
        }
    }

    /// A node that holds no others. The parser numbers anchors from 1; 0 is none.
    pub(super) fn leaf(&mut self, node: Node<'t>, anchor: usize) -> Result<(), Broken> {
        self.count(1, node.span)?;
        let part = Part {
            node: Rc::new(node),
            nodes: 1,
            height: 0,
        };
        self.add(part, anchor);
        Ok(())
    }

    pub(super) fn enter(
        &mut self,
        span: Span,
        anchor: usize,
        content: Content<'t>,
    ) -> Result<(), Broken> {
        if self.open.len() >= DEPTH_MAX {
            return self.too_deep(span);
        }
        self.count(1, span)?;
        self.open.push(Frame {
            start: span.start(),
            anchor,
            nodes: 1,
            height: 0,
            content,
        });
        Ok(())
    }

    pub(super) fn leave(&mut self, end: Span) {
        if let Some(frame) = self.open.pop() {
            let anchor = frame.anchor;
            let part = self.closed(frame, end);
            self.add(part, anchor);
        }
    }

    pub(super) fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Broken> {
        let Some(part) = self.anchors.get(&anchor).cloned() else {
            let message = "an alias inside of what it stands for has no end";
            self.findings.settle(Finding::error(span, message));
            return self.nothing(span);
        };
        if self.open.len() + part.height > DEPTH_MAX {
            return self.too_deep(span);
        }
        self.count(part.nodes, span)?;
        self.add(part, 0);
        Ok(())
    }

    pub(super) fn nothing(&mut self, span: Span) -> Result<(), Broken> {
        let value = Value::Nothing;
        self.leaf(Node { span, value }, 0)
    }

    pub(super) fn too_deep(&mut self, span: Span) -> Result<(), Broken> {
        let message = format!("lists and mappings stand in each other more than {DEPTH_MAX} deep");
        self.findings.error(span, message);
        Err(Broken::Bound)
    }

    /// Where the innermost list or mapping began, if it is one in brackets.
    pub(super) fn bracket(&self, text: &str) -> Option<Span> {
        let start = self.open.last()?.start;
        let bracket = text.get(start..)?.starts_with(['[', '{']);
        bracket.then(|| Span::new(start, start + 1))
    }

    /// The root. Of what was not finished, the finished items of lists are kept, but for one that stands
    /// next to the mistake: it may have been cut short by it.
    pub(super) fn finish(mut self) -> Option<Rc<Node<'t>>> {
        if let Some(Content::List(items)) = self.open.last_mut().map(|frame| &mut frame.content) {
            items.pop();
        }
        while let Some(frame) = self.open.pop() {
            let is_kept = self.open.is_empty() || matches!(frame.content, Content::List(_));
            let end = Span::new(frame.start, frame.start);
            let part = self.closed(frame, end);
            if is_kept {
                self.add(part, 0);
            }
        }
        self.root
    }

    fn closed(&mut self, frame: Frame<'t>, end: Span) -> Part<'t> {
        let span = Span::new(frame.start, end.bytes().end);
        let value = match frame.content {
            Content::List(items) => Value::List(items),
            Content::Map { entries, .. } => Value::Map(unique(entries, self.findings)),
        };
        Part {
            node: Rc::new(Node { span, value }),
            nodes: frame.nodes,
            height: frame.height + 1,
        }
    }

    /// Puts a finished node where it belongs.
    fn add(&mut self, part: Part<'t>, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, part.clone());
        }
        let Some(frame) = self.open.last_mut() else {
            self.root.get_or_insert(part.node);
            return;
        };
        frame.nodes = frame.nodes.saturating_add(part.nodes);
        frame.height = frame.height.max(part.height);
        match &mut frame.content {
            Content::List(items) => items.push(part.node),
            Content::Map { entries, name } => match name.take() {
                None => *name = Some(part.node),
                Some(name) => entries.extend(entry(&name, part.node, self.findings)),
            },
        }
    }

    fn count(&mut self, nodes: usize, span: Span) -> Result<(), Broken> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes <= NODES_MAX {
            return Ok(());
        }
        let message = format!(
            "the document has more than {NODES_MAX} values, aliases counted where they stand"
        );
        let finding = Finding::error(span, message);
        self.findings
            .push(finding.help("split the file, or write fewer aliases of aliases"));
        Err(Broken::Bound)
    }
}
