//! From the parser's events to a tree.

use std::{borrow::Cow, collections::HashMap, rc::Rc};

use granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, ScanError, Span as EventSpan, Tag, options,
};

use super::{
    super::{
        findings::{Finding, Findings},
        span::Span,
    },
    BYTES_MAX, DEPTH_MAX, Entry, NODES_MAX, Node, Style, Value, node,
    node::{entry, unique},
};

/// What could be read.
pub(in crate::document) struct Tree<'t> {
    pub(in crate::document) root: Option<Rc<Node<'t>>>,
    /// False if the reading broke off: what came before it is here all the same.
    pub(in crate::document) is_whole: bool,
}

/// Reads one document.
pub(in crate::document) fn build<'t>(text: &'t str, findings: &mut Findings) -> Tree<'t> {
    if text.len() > BYTES_MAX {
        let bytes = text.len();
        let message = format!("the document has {bytes} bytes, at most {BYTES_MAX} are read");
        findings.error(Span::default(), message);
        return Tree { root: None, is_whole: false };
    }
    let options = options! {
        disallow_directives: true,
        emit_unresolved_aliases: true,
        emit_comments: false,
    };
    let mut builder = Builder { text, tree: Assembly::new(findings), documents: 0 };
    let mut events = Parser::new_from_str_with_options(text, options);
    let read = events.try_for_each(|event| builder.step(event));
    Tree {
        is_whole: read.is_ok(),
        root: match read {
            Ok(()) | Err(Broken::Text) => builder.tree.finish(),
            Err(Broken::Bound) => None,
        },
    }
}

struct Builder<'t, 'f> {
    text: &'t str,
    tree: Assembly<'t, 'f>,
    documents: usize,
}

impl<'t> Builder<'t, '_> {
    fn step(&mut self, event: Result<(Event<'t>, EventSpan), ScanError>) -> Result<(), Broken> {
        match event {
            Ok((event, span)) => self.event(event, span),
            Err(error) => self.syntax(&error),
        }
    }

    fn event(&mut self, event: Event<'t>, at: EventSpan) -> Result<(), Broken> {
        let span = self.span(at);
        match event {
            Event::DocumentStart(..) => self.document(span),
            Event::Scalar(text, style, anchor, tag) => {
                let forced = self.tag(tag.as_deref(), at);
                self.letters(&text, span);
                let value = scalar(text, style, forced);
                self.tree.leaf(Node { span, value }, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.tag(tag.as_deref(), at);
                self.tree.enter(span, anchor, Content::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.tag(tag.as_deref(), at);
                let (entries, name) = (Vec::new(), None);
                self.tree.enter(span, anchor, Content::Map { entries, name })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.tree.leave(span);
                Ok(())
            }
            Event::Alias(anchor) => self.tree.alias(anchor, span),
            Event::UnresolvedAlias(name) => {
                let name: String = name.chars().take(64).collect();
                let message = format!("alias {name:?} has no anchor before it");
                let finding = Finding::error(span, message);
                self.tree.findings.settle(finding.help(
                    "quote the text if the * belongs to it, or name what it stands for with &",
                ));
                self.tree.nothing(span)
            }
            _ => Ok(()),
        }
    }

    fn document(&mut self, span: Span) -> Result<(), Broken> {
        self.documents += 1;
        if self.documents == 1 {
            return Ok(());
        }
        let finding = Finding::error(span, "a second document begins here");
        let finding = finding.help("remove the ---: a file holds one document");
        self.tree.findings.push(finding);
        Err(Broken::Text)
    }

    /// An escape can say what no text may hold: it could be read, but not once it is stored as JSON.
    fn letters(&mut self, text: &str, span: Span) {
        let is_odd = |letter: char| matches!(letter, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
        if let Some(odd) = text.chars().find(|letter| is_odd(*letter)) {
            let finding = Finding::error(span, format!("a text holds {odd:?}, which is no letter"));
            self.tree.findings.settle(finding.help("remove it"));
        }
    }

    /// Whether the tag says that the value is a text, whatever it looks like.
    fn tag(&mut self, tag: Option<&Tag>, at: EventSpan) -> Option<Style> {
        match tag?.core_suffix() {
            Some("str") => Some(Style::Quoted),
            Some(_) => None,
            None => {
                let span = self.span(at.tag_span().unwrap_or(at));
                let message = "a tag that is not one of YAML's own is not read";
                let finding = Finding::error(span, message);
                self.tree.findings.push(finding.help("remove it"));
                None
            }
        }
    }

    fn syntax(&mut self, error: &ScanError) -> Result<(), Broken> {
        let start = error.marker().byte_offset().unwrap_or(self.text.len());
        let span = Span::new(start, start);
        if *error.kind() == ErrorKind::RecursionLimitExceeded {
            return self.tree.too_deep(span);
        }
        let (message, help) = node::explain(error.kind());
        let mut finding = Finding::error(span, message);
        finding.help = help.map(str::to_owned);
        let bracket = self.tree.bracket(self.text);
        let is_above = |bracket: &Span| {
            let between = self.text.get(bracket.start()..start);
            between.is_some_and(|between| between.contains('\n'))
        };
        if let Some(bracket) = bracket.filter(is_above) {
            finding = finding.related(bracket, "inside of what begins here");
        }
        self.tree.findings.push(finding);
        Err(Broken::Text)
    }

    fn span(&self, at: EventSpan) -> Span {
        let end = self.text.len();
        let start = at.start.byte_offset().unwrap_or(end);
        Span::new(start, at.end.byte_offset().unwrap_or(end))
    }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle, forced: Option<Style>) -> Value<'_> {
    let written = match style {
        ScalarStyle::Plain => Style::Plain,
        _ => Style::Quoted,
    };
    match (forced.unwrap_or(written), &*text) {
        (Style::Plain, "" | "~" | "null" | "Null" | "NULL") => Value::Nothing,
        (style, _) => Value::Text(text, style),
    }
}

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
        Self { findings, open: Vec::new(), anchors: HashMap::new(), root: None, nodes: 0 }
    }

    /// A node that holds no others. The parser numbers anchors from 1; 0 is none.
    pub(super) fn leaf(&mut self, node: Node<'t>, anchor: usize) -> Result<(), Broken> {
        self.count(1, node.span)?;
        let part = Part { node: Rc::new(node), nodes: 1, height: 0 };
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
        self.open.push(Frame { start: span.start(), anchor, nodes: 1, height: 0, content });
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
        Part { node: Rc::new(Node { span, value }), nodes: frame.nodes, height: frame.height + 1 }
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
        self.findings.push(finding.help("split the file, or write fewer aliases of aliases"));
        Err(Broken::Bound)
    }
}
