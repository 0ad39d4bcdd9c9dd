//! How tokens leave the purses of a key, and come back.

use std::sync::atomic::Ordering::Relaxed;

use tollgate_core::Charge;

use super::{
    decide::{Got, until},
    holder::Holder,
    holdings::Holdings,
    line::{Line, Take, tag},
    purse::{Taken, Until},
    shown::shown,
    table::Place,
    wallet::Wallet,
};

impl Holdings {
    /// Whether Redis may have denied a charge only because of what it has granted to this node, or is about to.
    pub(crate) fn is_in_the_way(&self, charge: &Charge<'_>) -> bool {
        let cost = charge.cost.get();
        if !self.is_leased(charge) || cost > charge.limit.law().capacity() {
            return false;
        }
        let Some((place, line)) = self.table.find(self.print(charge)) else {
            return false;
        };
        let holder = self.table.try_holder(place);
        let is_under_way = |holder: &Holder| holder.is_under_way;
        line.purse.tokens() > 0
            || holder.is_none_or(|holder| holder.as_deref().is_some_and(is_under_way))
    }

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

    /// Takes what there is for a charge that costs more than that.
    pub(crate) fn take_some(&self, charge: &Charge<'_>) -> Option<Got> {
        let whole = charge.cost.get();
        if !self.is_leased(charge) || whole < 2 || whole > charge.limit.law().capacity() {
            return None;
        }
        let print = self.print(charge);
        let (place, line) = self.table.find(print)?;
        let cost = line.purse.tokens().min(whole.saturating_sub(1));
        if cost == 0 || line.is_split() {
            return None;
        }
        let ids = (print, tag(charge.limit));
        let Take::Got(taken, at) = line.take(ids, cost, &self.clock) else {
            return None;
        };
        let decision = shown(charge.limit, line, taken.left, at.boot);
        Some(Got {
            place,
            taken,
            cost,
            until: until(charge.limit),
            decision,
            untaken: decision,
        })
    }

    /// Undoes what was taken for a request that does not pass.
    pub(crate) fn put_back<'g>(&self, got: impl IntoIterator<Item = &'g Got>) {
        for one in got {
            let spot = self.table.line(one.place).zip(self.table.margin(one.place));
            if let Some((line, margin)) = spot {
                Wallet::of(line, margin).put_back(one.taken, one.cost, one.until);
            }
        }
    }
}
