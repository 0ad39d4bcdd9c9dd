//! From JSON to bodies.

use super::{
    error::{BodyError, BodyFlaw, Fault, Kind, short},
    fields::{Field, Purpose},
    read::{ATTRIBUTES_MAX, BATCH_MAX, CheckBody},
    scanner::Scanner,
};

/// Reads members one after the other. What is wrong though it is JSON is kept for later, so that the end
/// of a request in a batch is found.
pub(super) struct Reader<'a> {
    text: &'a str,
    scanner: Scanner<'a>,
}

/// What was read of a body so far.
struct Gathered<'b, 'a> {
    body: &'b mut CheckBody<'a>,
    /// A bit for each field that was there.
    seen: u16,
    /// The first thing that is wrong though it is JSON.
    fault: Option<Fault>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        let scanner = Scanner::new(text);
        Self { text, scanner }
    }

    pub(super) fn one(&mut self, purpose: Purpose) -> Result<CheckBody<'a>, Fault> {
        self.something()?;
        let mut body = CheckBody::default();
        let fault = self.body(purpose, 0, &mut body)?;
        self.scanner.end()?;
        fault.map_or(Ok(body), Err)
    }

    pub(super) fn batch(&mut self) -> Result<Vec<Result<CheckBody<'a>, BodyError>>, Fault> {
        self.something()?;
        if let Some(fault) = self.unless_object("the body", 0)? {
            return Err(fault);
        }
        let mut requests = None;
        if !self.scanner.takes(b'}') {
            loop {
                self.scanner.peek();
                let at = self.scanner.at();
                let name = self.scanner.string()?;
                self.scanner.expect(b':', "`:`")?;
                match name.as_ref() {
                    "requests" if requests.is_some() => {
                        return Err(Fault::new(BodyFlaw::Twice("requests"), at));
                    }
                    "requests" => requests = Some(self.requests()?),
                    _ => return Err(Fault::unknown(&name, None, at)),
                }
                if self.scanner.ends(b'}')? {
                    break;
                }
            }
        }
        self.scanner.end()?;
        requests.ok_or(Fault::new(BodyFlaw::NoRequests, 0))
    }

    fn requests(&mut self) -> Result<Vec<Result<CheckBody<'a>, BodyError>>, Fault> {
        let found = self.scanner.kind()?;
        let at = self.scanner.at();
        if found != Kind::Array {
            return Err(Fault::new(wrong("`requests`", "an array", found), at));
        }
        self.scanner.expect(b'[', "`[`")?;
        let likely = self.text.len() / REQUEST_BYTES_LIKELY;
        let mut requests = Vec::with_capacity(likely.min(BATCH_MAX));
        let mut places = Places::new(self.text);
        if self.scanner.takes(b']') {
            return Ok(requests);
        }
        loop {
            if requests.len() == BATCH_MAX {
                let at = self.scanner.at();
                return Err(Fault::new(BodyFlaw::TooManyRequests, at));
            }
            // Read where it stays: bodies are large.
            requests.push(Ok(CheckBody::default()));
            let Some(Ok(body)) = requests.last_mut() else {
                continue;
            };
            if let Some(fault) = self.body(Purpose::Check, 2, body)?
                && let Some(last) = requests.last_mut()
            {
                *last = Err(fault.placed(&mut places));
            }
            if self.scanner.ends(b']')? {
                return Ok(requests);
            }
        }
    }

    fn something(&mut self) -> Result<(), Fault> {
        match self.scanner.peek() {
            Some(_) => Ok(()),
            None => Err(Fault::new(BodyFlaw::Empty, self.scanner.at())),
        }
    }

    /// Steps into an object; what is none is stepped over.
    fn unless_object(&mut self, name: &str, depth: u32) -> Result<Option<Fault>, Fault> {
        let found = self.scanner.kind()?;
        let at = self.scanner.at();
        if found == Kind::Object {
            self.scanner.expect(b'{', "`{`")?;
            return Ok(None);
        }
        self.scanner.skip(depth)?;
        Ok(Some(Fault::new(wrong(name, "an object", found), at)))
    }

    /// Reads a request, and says what is wrong with it though it is JSON.
    fn body(
        &mut self,
        purpose: Purpose,
        depth: u32,
        body: &mut CheckBody<'a>,
    ) -> Result<Option<Fault>, Fault> {
        let name = if depth == 0 { "the body" } else { "a request" };
        if let Some(fault) = self.unless_object(name, depth)? {
            return Ok(Some(fault));
        }
        if self.scanner.takes(b'}') {
            return Ok(None);
        }
        let mut gathered = Gathered { body, seen: 0, fault: None };
        loop {
            self.member(purpose, depth + 1, &mut gathered)?;
            if self.scanner.ends(b'}')? {
                return Ok(gathered.fault);
            }
        }
    }

    /// Reads a name and its value; of several things that are wrong the first is kept.
    fn member(
        &mut self,
        purpose: Purpose,
        depth: u32,
        gathered: &mut Gathered<'_, 'a>,
    ) -> Result<(), Fault> {
        self.scanner.peek();
        let at = self.scanner.at();
        let name = self.scanner.string()?;
        self.scanner.expect(b':', "`:`")?;
        let fault = match Field::of(name.as_bytes()) {
            Some(field) if !field.serves(purpose) => Fault::new(BodyFlaw::Misplaced(field), at),
            Some(field) if gathered.seen & field.bit() != 0 => {
                Fault::new(BodyFlaw::Twice(field.name()), at)
            }
            Some(field) => {
                gathered.seen |= field.bit();
                if let Some(fault) = self.value(gathered.body, field, depth)? {
                    gathered.fault.get_or_insert(fault);
                }
                return Ok(());
            }
            None => Fault::unknown(&name, Some(purpose), at),
        };
        gathered.fault.get_or_insert(fault);
        self.scanner.skip(depth)
    }

    /// Reads the value of a field; one of the wrong kind is stepped over.
    fn value(
        &mut self,
        body: &mut CheckBody<'a>,
        field: Field,
        depth: u32,
    ) -> Result<Option<Fault>, Fault> {
        let found = self.scanner.kind()?;
        let at = self.scanner.at();
        let wanted = match (field, found) {
            (_, Kind::Null) => return self.scanner.literal("null").map(|()| None),
            (Field::Attributes, Kind::Object) => return self.attributes(body, depth),
            (Field::Cost, Kind::Number) => return self.cost(body),
            (Field::Attributes, _) => "an object of strings",
            (Field::Cost, _) => "a whole number",
            (_, Kind::Text) => {
                let text = self.scanner.string()?;
                if let Some(place) = body.place(field) {
                    *place = Some(text);
                }
                return Ok(None);
            }
            _ => "a string",
        };
        self.scanner.skip(depth)?;
        let name = format!("`{}`", field.name());
        Ok(Some(Fault::new(wrong(&name, wanted, found), at)))
    }

    fn cost(&mut self, body: &mut CheckBody<'a>) -> Result<Option<Fault>, Fault> {
        let at = self.scanner.at();
        let number = self.scanner.number()?;
        // A `+` cannot stand here, so whatever parses is digits only.
        body.cost = number.parse().ok();
        Ok(body.cost.is_none().then(|| {
            let given = short(number);
            Fault::new(BodyFlaw::Cost { given }, at)
        }))
    }

    fn attributes(&mut self, body: &mut CheckBody<'a>, depth: u32) -> Result<Option<Fault>, Fault> {
        self.scanner.expect(b'{', "`{`")?;
        let mut first = None;
        if self.scanner.takes(b'}') {
            return Ok(None);
        }
        loop {
            let name = self.scanner.string()?;
            self.scanner.expect(b':', "`:`")?;
            let found = self.scanner.kind()?;
            let at = self.scanner.at();
            match found {
                Kind::Null => self.scanner.literal("null")?,
                Kind::Text if body.attributes.len() < ATTRIBUTES_MAX => {
                    let value = self.scanner.string()?;
                    body.attributes.push((name, value));
                }
                Kind::Text => {
                    self.scanner.string()?;
                    first.get_or_insert(Fault::new(BodyFlaw::TooManyAttributes, at));
                }
                _ => {
                    self.scanner.skip(depth + 1)?;
                    let name = format!("`attributes.{}`", short(&name));
                    let flaw = wrong(&name, "a string", found);
                    first.get_or_insert(Fault::new(flaw, at));
                }
            }
            if self.scanner.ends(b'}')? {
                return Ok(first);
            }
        }
    }
}

/// What a request takes, roughly: room is made for as many as there may be.
const REQUEST_BYTES_LIKELY: usize = 64;

fn wrong(name: &str, wanted: &'static str, found: Kind) -> BodyFlaw {
    BodyFlaw::Kind { name: name.to_owned(), wanted, found }
}

/// Turns bytes into lines and columns, going forward only: a thousand mistakes cost one walk.
#[derive(Debug)]
pub(super) struct Places<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Places<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    /// Line and column, from one, of a byte that is not before those asked for so far.
    pub(super) fn of(&mut self, byte: usize) -> (usize, usize) {
        for letter in self.text.get(self.at..byte).unwrap_or_default().chars() {
            self.column += 1;
            if letter == '\n' {
                self.line += 1;
                self.column = 1;
            }
        }
        self.at = self.at.max(byte);
        (self.line, self.column)
    }
}

/// How many bytes at the start are neither a quote, a backslash nor a control character. Looks at eight
/// bytes at a time: this is where most of the time goes.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (eights, rest) = bytes.as_chunks::<8>();
    for (place, eight) in eights.iter().enumerate() {
        let found = special(u64::from_le_bytes(*eight));
        if found != 0 {
            let within = usize::try_from(found.trailing_zeros() / 8).unwrap_or(0);
            return place * 8 + within;
        }
    }
    let is_special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < 0x20;
    let within = rest.iter().position(is_special);
    eights.len() * 8 + within.unwrap_or(rest.len())
}

/// The top bit of each byte that is special; above the lowest one there may be others that are not.
const fn special(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let below = word.wrapping_sub(ONES * 0x20) & !word;
    ((quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash) | below)
        & TOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place() {
        let fillers = [b'a', 0x20, 0x21, 0x23, 0x5b, 0x5d, 0x80, 0xa2, 0xdc, 0xff];
        for byte in 0..=u8::MAX {
            let is_special = byte == b'"' || byte == b'\\' || byte < 0x20;
            for (place, filler) in (0..20).flat_map(|place| fillers.map(|filler| (place, filler))) {
                let mut bytes = [filler; 20];
                bytes[place] = byte;
                let wanted = if is_special { place } else { 20 };
                assert_eq!(plain_length(&bytes), wanted, "{byte} at {place} in {filler}");
            }
        }
    }
}
