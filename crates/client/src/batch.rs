//! Many checks at once.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
};

use tollgate_wire::check::{BATCH_MAX, CheckBody};

use crate::{
    Answer, Check, Client, Error, facts, fleet::Again, inner::Inner, route::Order,
    transport::Question,
};

/// A message of more bytes is not begun another check with: servers take a mebibyte.
const BATCH_BYTES_MAX: usize = 512 * 1024;

/// Those of a batch that one server is asked at once.
struct Share {
    /// The first is the same for all; on whom it falls over does not matter much.
    order: Order,
    bytes: usize,
    places: Vec<usize>,
}

type Answered = Vec<(usize, Result<Answer, Error>)>;

impl Client {
    /// Checks many requests, each on its own, and answers in their order. Those that one server is asked go in one
    /// message; all ends within the deadline.
    ///
    /// ```no_run
    /// # async fn serve(client: &tollgate_client::Client) {
    /// use tollgate_client::Check;
    ///
    /// let checks = [Check::new().user("ann"), Check::new().user("bob").cost(3)];
    /// for answer in client.check_all(&checks).await {
    ///     println!("{:?}", answer.map(|answer| answer.is_allowed()));
    /// }
    /// # }
    /// ```
    pub async fn check_all(&self, checks: &[Check<'_>]) -> Vec<Result<Answer, Error>> {
        let inner = &*self.inner;
        let mut answers: Vec<Option<Result<Answer, Error>>> = Vec::new();
        let mut shares: Vec<Share> = Vec::new();
        for (place, check) in checks.iter().enumerate() {
            let ready = match check.is_sound() {
                Ok(()) => inner.ready(check, facts::fingerprint(check)).map(Ok),
                Err(error) => {
                    inner.counts.refused();
                    Some(Err(error))
                }
            };
            if ready.is_none() {
                let order = inner.fleet.order(check);
                put(&mut shares, order, (place, check.bytes()));
            }
            answers.push(ready);
        }
        let asked = shares.iter().map(|share| ask(inner, checks, share));
        for (place, answer) in join(asked).await {
            if let Some(slot) = answers.get_mut(place) {
                *slot = Some(answer);
            }
        }
        let missing = || Err(Inner::nothing_said());
        let whole = answers.into_iter();
        whole.map(|answer| answer.unwrap_or_else(missing)).collect()
    }
}

/// Puts a check where others for the same server are.
fn put(shares: &mut Vec<Share>, order: Order, (place, bytes): (usize, usize)) {
    let has_room = |share: &&mut Share| {
        share.order.first() == order.first()
            && share.places.len() < BATCH_MAX
            && share.bytes < BATCH_BYTES_MAX
    };
    // Full ones stand before those with room.
    match shares.iter_mut().rev().find(has_room) {
        Some(share) => {
            share.bytes += bytes;
            share.places.push(place);
        }
        None => shares.push(Share { order, bytes, places: vec![place] }),
    }
}

async fn ask(inner: &Inner, checks: &[Check<'_>], share: &Share) -> Answered {
    let of_share = || {
        let places = share.places.iter();
        places.filter_map(|place| Some((*place, checks.get(*place)?)))
    };
    let bodies: Vec<CheckBody<'_>> = of_share().map(|(_, check)| check.body.clone()).collect();
    let question = Question::Batch(&bodies);
    // What has a name may be asked again, but only if all have.
    let can = of_share().all(|(_, check)| Again::of(check) == Again::Can);
    let again = if can { Again::Can } else { Again::Cannot };
    let clock = &*inner.clock;
    let said = inner.fleet.ask(question, &share.order, again, clock).await;
    let each = of_share().enumerate().map(|(at, (place, check))| {
        let facts = facts::fingerprint(check);
        let told = match &said {
            Err(error) => Err(error.clone()),
            // One problem for all of them.
            Ok(said) if said.told.len() != bodies.len() => inner.one(check, facts, said),
            Ok(said) => match said.told.get(at) {
                Some(told) => inner.told(check, facts, told, None),
                None => Err(Inner::nothing_said()),
            },
        };
        (place, inner.settled(check, facts, told))
    });
    each.collect()
}

/// Waits for all of them at once. There are no more than servers and full batches.
async fn join<F: Future<Output = Answered>>(futures: impl Iterator<Item = F>) -> Answered {
    let mut running: Vec<Pin<Box<F>>> = futures.map(Box::pin).collect();
    let mut answered = Vec::new();
    poll_fn(move |context| {
        running.retain_mut(|future| match future.as_mut().poll(context) {
            Poll::Ready(some) => {
                answered.extend(some);
                false
            }
            Poll::Pending => true,
        });
        if running.is_empty() { Poll::Ready(std::mem::take(&mut answered)) } else { Poll::Pending }
    })
    .await
}
