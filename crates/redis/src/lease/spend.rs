//! How tokens leave the purses of a key, and come back.

use std::sync::atomic::Ordering::Relaxed;

use super::{
    decide::Got,
    holdings::Holdings,
    line::{Line, Take},
    purse::{Taken, Until},
    table::Place,
    wallet::Wallet,
};

impl Holdings {
    #[inline]
    pub(super) fn take_tokens(
        &self,
        place: Place,
        line: &Line,
        ids: (u64, u64),
        cost: u64,
    ) -> Take {
        match line.is_split() {
            true => self.take_part(place, line, ids, cost),
            false => line.take(ids, cost, &self.clock),
        }
    }

    /// The same of a hot key, whose tokens are in several purses.
    fn take_part(&self, place: Place, line: &Line, ids: (u64, u64), cost: u64) -> Take {
        let Some(margin) = self.table.margin(place) else {
            return Take::Foreign;
        };
        let (deadline, wallet) = (line.deadline(), Wallet::of(line, margin));
        let fill = |fill: &dyn Fn()| {
            // While its holder is held nobody reports, and nothing is moved unseen.
            if let Some(_held) = self.table.try_holder(place) {
                fill();
            }
            if wallet.in_stock() < line.low.load(Relaxed) {
                self.want(place);
            }
        };
        let Some(taken) = wallet.take(cost, fill) else {
            return line.short(ids);
        };
        match line.check(ids, taken, deadline, &self.clock) {
            Take::Got(taken, at) => {
                // What is left of it is what others can still take, and what this thread has.
                let left = taken.left.saturating_add(wallet.in_stock());
                Take::Got(Taken { left, ..taken }, at)
            }
            take => {
                wallet.put_back(taken, cost, Until::Report);
                take
            }
        }
    }

    /// Undoes what was taken for a request that does not pass.
    pub(super) fn put_back<'g>(&self, got: impl IntoIterator<Item = &'g Got>) {
        for one in got {
            let spot = self.table.line(one.place).zip(self.table.margin(one.place));
            if let Some((line, margin)) = spot {
                Wallet::of(line, margin).put_back(one.taken, one.cost, one.until);
            }
        }
    }
}
