//! How an answer is sent.

use tollgate_wire::http1::{After, Reply, Request, Version};

/// What of an answer depends on the request, whatever it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manner {
    version: Version,
    pub(super) after: After,
    shown: Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Body,
    HeadOnly,
}

impl Manner {
    /// For the last answer of a conversation that went wrong.
    pub(super) const LAST: Self = Self {
        version: Version::Http11,
        after: After::Close,
        shown: Shown::Body,
    };

    pub(super) fn of(request: &Request<'_>, after: After) -> Self {
        Self {
            version: request.version,
            after,
            shown: match request.method {
                "HEAD" => Shown::HeadOnly,
                _ => Shown::Body,
            },
        }
    }

    /// Ends an answer.
    pub(super) fn end(self, reply: Reply<'_>, body: &[u8]) {
        let reply = reply.lines(self.connection());
        match self.shown {
            Shown::Body => reply.body(body),
            Shown::HeadOnly => reply.head_only(body),
        }
    }

    /// Ends an answer that can have no body.
    pub(super) fn end_empty(self, reply: Reply<'_>) {
        reply.lines(self.connection()).nothing();
    }

    const fn connection(self) -> &'static [u8] {
        match (self.after, self.version) {
            (After::Close, _) => b"Connection: close\r\n",
            (After::Keep, Version::Http10) => b"Connection: keep-alive\r\n",
            (After::Keep, Version::Http11) => b"",
        }
    }
}
