//! Calls and answers on their way: lost, doubled, late, in any order.

use tollgate_core::Limit;
use tollgate_sim::pool::{Call, Pool, Reply};

use super::{calls::START, node::Holds, world::World};

/// Something under way.
#[derive(Clone)]
pub(super) enum Message {
    Request { to: u64, attempt: u64, call: Call, limit: Limit },
    Answer { attempt: u64, call: Call, reply: Reply, told_at: u64 },
}

impl<P: Pool, H: Holds> World<P, H> {
    pub(super) fn deliver(&mut self, name: String, message: Message) {
        match message {
            Message::Request { to, attempt, call, limit } => {
                let now = self.now;
                self.keep_copy();
                let Some(server) = self.server(to) else {
                    return;
                };
                let reply = server.lease(now, &limit, &call);
                self.tell(|| format!("server {to} on {call:?}: {reply:?}"));
                let answer = Message::Answer { attempt, call, reply, told_at: now };
                self.send(&name, &answer);
            }
            Message::Answer { attempt, call, reply, told_at } => {
                let Some(place) = self.nodes.iter().position(|node| node.name == name) else {
                    return;
                };
                if self.nodes[place].paused_until > self.now {
                    let later = self.nodes[place].paused_until;
                    let message = Message::Answer { attempt, call, reply, told_at };
                    self.messages.push((later, name, message));
                    return;
                }
                self.hear(place, attempt, (&call, &reply), told_at);
            }
        }
    }

    fn hear(&mut self, place: usize, attempt: u64, told: (&Call, &Reply), told_at: u64) {
        let node = &mut self.nodes[place];
        let (call, reply) = told;
        // Whoever stopped waiting hears nothing any more.
        let Some((_, sent)) = node.attempt.take_if(|(awaited, _)| *awaited == attempt) else {
            return;
        };
        if let Reply::Heard(figures) = reply {
            let debited = (figures.granted, figures.total);
            node.totals.note(&node.limit, told_at, debited);
        }
        let now = node.clock.at(self.now);
        node.holder.hear(call, reply, sent, now);
        let until = node.clock.when(node.holder.deadline()).saturating_sub(START);
        self.tell(|| format!("{} hears {}, until {until}", call.node, call.sequence));
    }

    /// Puts a message on its way, or not, or twice.
    pub(super) fn send(&mut self, name: &str, message: &Message) {
        let rng = &mut self.rng;
        let copies = match (self.faults.network, rng.below(10)) {
            (true, 0) => 0,
            (true, 1) => 2,
            _ => 1,
        };
        for _ in 0..copies {
            let delay = match (self.faults.network, rng.below(8)) {
                (_, 0..=2) => 0,
                (_, 3 | 4) => rng.below(1_000),
                (true, 5) => rng.below(100_000),
                (true, 6) => rng.below(3_000_000),
                _ => rng.below(15_000),
            };
            self.messages.push((self.now + delay, name.to_owned(), message.clone()));
        }
    }
}
