//! From the parser's events to a tree.

use std::{borrow::Cow, rc::Rc};

use granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, ScanError, Span as EventSpan, Tag, options,
};

use super::{
    super::{
        findings::{Finding, Findings},
        span::Span,
    },
    BYTES_MAX, Node, Style, Value,
    assemble::{Assembly, Broken, Content},
    syntax,
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
        return Tree {
            root: None,
            is_whole: false,
        };
    }
    let options = options! {
        disallow_directives: true,
        emit_unresolved_aliases: true,
        emit_comments: false,
    };
    let mut builder = Builder {
        text,
        tree: Assembly::new(findings),
        documents: 0,
    };
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
                self.tree
                    .enter(span, anchor, Content::Map { entries, name })
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
        let (message, help) = syntax::explain(error.kind());
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
