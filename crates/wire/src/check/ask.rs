//! Questions, as a client writes them.

use super::{CheckBody, scanner::write_text};

impl CheckBody<'_> {
    /// The facts that are one text each, with the names they are asked by.
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [
            ("user_id", &self.user_id),
            ("org_id", &self.org_id),
            ("api_key", &self.api_key),
            ("token", &self.token),
            ("ip", &self.ip),
            ("tier", &self.tier),
            ("endpoint", &self.endpoint),
            ("method", &self.method),
            ("region", &self.region),
            ("scope", &self.scope),
            ("request_id", &self.request_id),
            ("rule", &self.rule),
        ];
        let there = all.into_iter();
        there.filter_map(|(name, text)| text.as_deref().map(|text| (name, text)))
    }

    /// Appends the question as a JSON object.
    ///
    /// ```
    /// use tollgate_wire::check::CheckBody;
    ///
    /// let body = CheckBody { user_id: Some("ann".into()), cost: Some(3), ..CheckBody::default() };
    /// let mut out = Vec::new();
    /// body.write(&mut out);
    /// assert_eq!(out, br#"{"user_id":"ann","cost":3}"#);
    /// ```
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (name, text) in self.texts() {
            member(name, text, out);
        }
        if !self.attributes.is_empty() {
            out.extend_from_slice(b"\"attributes\":{");
            for (name, value) in &self.attributes {
                member(name, value, out);
            }
            out.pop_if(|byte| *byte == b',');
            out.extend_from_slice(b"},");
        }
        if let Some(cost) = self.cost {
            out.extend_from_slice(b"\"cost\":");
            out.extend_from_slice(itoa::Buffer::new().format(cost).as_bytes());
        }
        out.pop_if(|byte| *byte == b',');
        out.push(b'}');
    }
}

/// Appends many questions as one body.
///
/// ```
/// use tollgate_wire::check::{CheckBody, read_batch, write_batch};
///
/// let ann = CheckBody { user_id: Some("ann".into()), ..CheckBody::default() };
/// let mut out = Vec::new();
/// write_batch([&ann, &ann], &mut out);
/// assert_eq!(read_batch(&out)?.len(), 2);
/// # Ok::<(), tollgate_wire::check::BodyError>(())
/// ```
pub fn write_batch<'b, 'c: 'b>(
    bodies: impl IntoIterator<Item = &'b CheckBody<'c>>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"requests\":[");
    for (place, body) in bodies.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        body.write(out);
    }
    out.extend_from_slice(b"]}");
}

fn member(name: &str, value: &str, out: &mut Vec<u8>) {
    write_text(name, out);
    out.push(b':');
    write_text(value, out);
    out.push(b',');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::{
        super::{Purpose, read_body},
        *,
    };

    proptest! {
        // Proves: U4
        #[test]
        fn what_is_written_is_read_again(
            user in any::<Option<String>>(),
            token in any::<Option<String>>(),
            attributes in proptest::collection::btree_map(any::<String>(), any::<String>(), 0..4),
            cost in any::<Option<u64>>(),
        ) {
            let body = CheckBody {
                user_id: user.map(Into::into),
                token: token.map(Into::into),
                attributes: attributes.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
                cost,
                ..CheckBody::default()
            };
            let mut out = Vec::new();
            body.write(&mut out);
            assert_eq!(read_body(&out, Purpose::Check).as_ref(), Ok(&body));
        }
    }
}
