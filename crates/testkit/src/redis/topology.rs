//! Which node has which slots, as one of them knows it.

use super::server::Redis;

/// A node that has slots. Nodes tell each other of slots at once; who follows whom they hear only in turn,
/// which takes seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) port: u16,
    slots: Vec<(u16, u16)>,
}

impl Owner {
    pub(super) fn has(&self, slot: u16) -> bool {
        let is_in = |(from, to): &(u16, u16)| (*from..=*to).contains(&slot);
        self.slots.iter().any(is_in)
    }
}

/// What this node knows, in the order of ports so that the views of several can be compared.
pub(super) fn of(node: &Redis) -> Vec<Owner> {
    let text = node.command(&["CLUSTER", "NODES"]);
    let mut owners: Vec<Owner> = text.lines().filter_map(parse).collect();
    owners.sort_by_key(|owner| owner.port);
    owners
}

/// `id host:port@bus[,name] flags primary ping pong epoch link slot…`; a slot that moves is in brackets.
fn parse(line: &str) -> Option<Owner> {
    let words: Vec<&str> = line.split(' ').collect();
    let [_, address, _, _, _, _, _, _, slots @ ..] = words.as_slice() else {
        return None;
    };
    let port = address.split_once('@')?.0.rsplit_once(':')?.1;
    let range = |word: &&str| {
        let (from, to) = word.split_once('-').unwrap_or((word, word));
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    let slots: Vec<_> = slots.iter().filter_map(range).collect();
    let port = port.parse().ok()?;
    (!slots.is_empty()).then_some(Owner { port, slots })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_line_is_read_with_its_slots() {
        let line =
            parse("ab 127.0.0.1:7001@17001,host myself,master - 0 5 3 connected 0-9 12 [13->-cd]");
        let owner = line.unwrap();
        assert_eq!(owner.port, 7001);
        assert_eq!([9, 10, 12, 13].map(|slot| owner.has(slot)), [true, false, true, false]);
        let replica = parse("cd 127.0.0.1:7002@17002 slave ab 0 5 3 connected");
        assert_eq!(replica, None);
    }
}
