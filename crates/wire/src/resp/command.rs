//! A command that has arrived whole.

/// Where an argument lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    /// `None` for what lies further than a command can reach.
    #[inline]
    pub(super) fn new(start: usize, end: usize) -> Option<Self> {
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        Some(Self { start, end })
    }

    #[inline]
    fn of(self, bytes: &[u8]) -> &[u8] {
        let range = self.start as usize..self.end as usize;
        bytes.get(range).unwrap_or_default()
    }
}

/// One command: its name and its arguments, where they arrived.
///
/// ```
/// use tollgate_wire::resp::{Decoded, Decoder};
///
/// let mut decoder = Decoder::new();
/// let input = b"*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n";
/// let Decoded::Command(command) = decoder.decode(input)? else { panic!() };
/// assert_eq!((command.name(), command.arg(0)), (&b"ECHO"[..], Some(&b"hi"[..])));
/// assert_eq!(command.taken(), 22);
/// # Ok::<(), tollgate_wire::resp::ProtocolError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Command<'d, 'i: 'd> {
    pub(super) bytes: Bytes<'d, 'i>,
    pub(super) spans: &'d [Span],
    pub(super) taken: usize,
}

/// What the spans of a command are of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bytes<'d, 'i> {
    Input(&'i [u8]),
    /// Words that were quoted, without their quotes.
    Unquoted(&'d [u8]),
}

impl<'d, 'i> Command<'d, 'i> {
    /// How many bytes of the input it took.
    pub const fn taken(&self) -> usize {
        self.taken
    }

    /// The first word, as it was written.
    #[inline]
    pub fn name(&self) -> &'d [u8] {
        self.word(0).unwrap_or_default()
    }

    /// How many words follow the name.
    #[inline]
    pub const fn args_len(&self) -> usize {
        self.spans.len().saturating_sub(1)
    }

    /// A word after the name.
    #[inline]
    pub fn arg(&self, index: usize) -> Option<&'d [u8]> {
        self.word(index.saturating_add(1))
    }

    /// The words after the name.
    pub fn args(&self) -> impl ExactSizeIterator<Item = &'d [u8]> + use<'d, 'i> {
        let bytes = match self.bytes {
            Bytes::Input(bytes) => bytes,
            Bytes::Unquoted(bytes) => bytes,
        };
        let spans = self.spans.get(1..).unwrap_or_default();
        spans.iter().map(|span| span.of(bytes))
    }

    /// The words after the name, for as long as the input stays; none if some of them are not in the
    /// input as they are meant, since they were quoted.
    #[inline]
    pub fn args_in_input(&self) -> Option<impl ExactSizeIterator<Item = &'i [u8]> + use<'d, 'i>> {
        let Bytes::Input(bytes) = self.bytes else {
            return None;
        };
        let spans = self.spans.get(1..).unwrap_or_default();
        Some(spans.iter().map(|span| span.of(bytes)))
    }

    #[inline]
    fn word(&self, index: usize) -> Option<&'d [u8]> {
        let span = self.spans.get(index)?;
        Some(match self.bytes {
            Bytes::Input(bytes) => span.of(bytes),
            Bytes::Unquoted(bytes) => span.of(bytes),
        })
    }
}
