//! What a node thinks of all nodes.

use super::server::Redis;

/// A line of `CLUSTER NODES`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) port: u16,
    pub(super) is_primary: bool,
    /// Whom it follows.
    pub(super) primary: Option<String>,
    slots: Vec<(u16, u16)>,
}

impl Line {
    pub(super) fn has_slots(&self) -> bool {
        !self.slots.is_empty()
    }

    pub(super) fn has(&self, slot: u16) -> bool {
        let is_in = |(from, to): &(u16, u16)| (*from..=*to).contains(&slot);
        self.slots.iter().any(is_in)
    }
}

/// What this node thinks, in the order of ports so that the thoughts of several can be compared.
pub(super) fn of(node: &Redis) -> Vec<Line> {
    let text = node.command(&["CLUSTER", "NODES"]);
    let mut lines: Vec<Line> = text.lines().filter_map(parse).collect();
    lines.sort_by_key(|line| line.port);
    lines
}

/// `id host:port@bus[,name] flags primary ping pong epoch link slot…`; a slot that moves is in brackets.
fn parse(line: &str) -> Option<Line> {
    let words: Vec<&str> = line.split(' ').collect();
    let [id, address, flags, primary, _, _, _, _, slots @ ..] = words.as_slice() else {
        return None;
    };
    let port = address.split_once('@')?.0.rsplit_once(':')?.1;
    let range = |word: &&str| {
        let (from, to) = word.split_once('-').unwrap_or((word, word));
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    Some(Line {
        id: (*id).to_owned(),
        port: port.parse().ok()?,
        is_primary: flags.split(',').any(|flag| flag == "master"),
        primary: (*primary != "-").then(|| (*primary).to_owned()),
        slots: slots.iter().filter_map(range).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_line_is_read_with_its_slots() {
        let line =
            parse("ab 127.0.0.1:7001@17001,host myself,master - 0 5 3 connected 0-9 12 [13->-cd]");
        let line = line.unwrap();
        assert_eq!((line.id.as_str(), line.port), ("ab", 7001));
        assert!(line.is_primary && line.primary.is_none());
        assert_eq!(
            [9, 10, 12, 13].map(|slot| line.has(slot)),
            [true, false, true, false]
        );
        let line = parse("cd 127.0.0.1:7002@17002 slave ab 0 5 3 connected").unwrap();
        assert_eq!(line.primary.as_deref(), Some("ab"));
        assert!(!line.is_primary && !line.has(0));
    }
}
