//! The headers of a request, for whoever wants to see more of them than a server needs.

use std::fmt;

/// All headers of a request, as they were sent. Nothing is looked at before somebody asks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Headers<'a> {
    /// A head that was read without objection.
    head: &'a [u8],
}

/// A header that may be there once is there again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again;

impl<'a> Headers<'a> {
    /// Of a head that was read without objection.
    pub(super) const fn of(head: &'a [u8]) -> Self {
        Self { head }
    }

    /// The values of all headers of this name, in the order in which they were sent, without the blanks
    /// around them.
    ///
    /// ```
    /// use tollgate_wire::http1::{Again, Decoded, Decoder, Limits};
    ///
    /// let mut decoder = Decoder::new(Limits::default());
    /// let bytes = b"GET / HTTP/1.1\r\nHost: a\r\nVia:  b \r\nvia: c\r\n\r\n";
    /// let Ok(Decoded::Whole { request, .. }) = decoder.decode(bytes) else { panic!() };
    /// let values: Vec<&[u8]> = request.headers.all("via").collect();
    /// assert_eq!(values, [b"b", b"c"]);
    /// assert_eq!(request.headers.one("host"), Ok(Some(&b"a"[..])));
    /// assert_eq!(request.headers.one("via"), Err(Again));
    /// ```
    pub fn all(self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let lines = self.head.split(|byte| *byte == b'\n').skip(1);
        lines.filter_map(move |line| {
            let colon = line.get(name.len())?;
            let (known, value) = line.split_at_checked(name.len())?;
            let is_it = *colon == b':' && known.eq_ignore_ascii_case(name.as_bytes());
            is_it.then(|| value.get(1..).unwrap_or_default().trim_ascii())
        })
    }

    /// The value of a header that may be there once.
    ///
    /// # Errors
    ///
    /// [`Again`] if it is there more than once: nobody knows which of them was meant.
    pub fn one(self, name: &str) -> Result<Option<&'a [u8]>, Again> {
        let mut all = self.all(name);
        let first = all.next();
        match all.next() {
            Some(_) => Err(Again),
            None => Ok(first),
        }
    }
}

/// Headers hold secrets, so only their size is shown.
impl fmt::Debug for Headers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Headers({} bytes)", self.head.len())
    }
}
