//! Whom nothing lets pass.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use arc_swap::ArcSwap;
use foldhash::quality::RandomState;
use ipnet::IpNet;
use smallvec::SmallVec;
use tollgate_core::Timestamp;

use super::{Directory, overrides::key_hash, shards::Shards};
use crate::{Field, KeyField, Query, conditions::Facts, normalise};

/// A caller who is denied before any rule is looked at; no `allow` skips it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// Which fact: user, organisation, API key or address.
    pub field: Field,
    /// Its value, in normal form; of an address also a network, `192.0.2.0/24`. An address of IPv6 alone is its /64.
    pub value: Arc<str>,
    /// When the block ends by itself; none is never.
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: Option<Arc<str>>,
}

impl Block {
    /// A block without an end.
    pub const fn new(field: Field, value: Arc<str>) -> Self {
        Self { field, value, until: None, reason: None }
    }

    /// The same block with an end.
    #[must_use]
    pub const fn until(mut self, end: Timestamp) -> Self {
        self.until = Some(end);
        self
    }
}

/// All blocks, found by field and value.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    entries: Shards<Blocked>,
    state: RandomState,
    /// Where each block is; only writers look, one at a time.
    places: Mutex<HashMap<Arc<str>, Place>>,
    lengths: ArcSwap<Lengths>,
}

#[derive(Debug)]
struct Blocked {
    id: Arc<str>,
    place: Place,
    block: Arc<Block>,
}

/// What a block is found by: a mark of the fact, and its value.
type Place = SmallVec<[u8; 36]>;

/// The prefix lengths of all networks that are blocked: an address is looked for under each.
#[derive(Clone, Debug, Default)]
struct Lengths {
    v4: SmallVec<[u8; 8]>,
    v6: SmallVec<[u8; 8]>,
}

impl Directory {
    /// Puts blocks in force, each instead of the one that had its id. One whose value no request can have is not kept.
    pub fn put_blocks(&self, blocks: impl IntoIterator<Item = (Arc<str>, Block)>) {
        let own = &self.blocks;
        let mut places = own.places.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut kept, mut gone) = (Vec::new(), Vec::new());
        for (id, block) in blocks {
            let former = match place_of(&block) {
                Some(place) => {
                    let hash = key_hash(&own.state, &place);
                    let former = places.insert(Arc::clone(&id), place.clone());
                    let former = former.filter(|former| *former != place);
                    let block = Arc::new(block);
                    let id = Arc::clone(&id);
                    kept.push((hash, Arc::new(Blocked { id, place, block })));
                    former
                }
                None => places.remove(&id),
            };
            gone.extend(former.map(|former| (id, former)));
        }
        // Lengths first: what is there is looked for.
        own.lengths.store(Arc::new(Lengths::of(&places)));
        own.entries.put_all(kept, |one, other| one.id == other.id);
        for (id, former) in gone {
            own.drop_from(&former, &id);
        }
    }

    /// Lifts the block of this id.
    pub fn remove_block(&self, id: &str) {
        let own = &self.blocks;
        let mut places = own.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.remove(id) {
            own.drop_from(&place, id);
        }
        own.lengths.store(Arc::new(Lengths::of(&places)));
    }

    /// Lifts every block whose id is not to be kept.
    pub fn retain_blocks(&self, is_kept: impl Fn(&str) -> bool) {
        let own = &self.blocks;
        let mut places = own.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.retain(|id, _| is_kept(id));
        own.entries.retain(|blocked| is_kept(&blocked.id));
        own.lengths.store(Arc::new(Lengths::of(&places)));
    }

    /// Puts a block in force, or another end to one that is.
    pub fn block(&self, block: &Block) {
        self.put_blocks([(id_of(block), block.clone())]);
    }

    /// Lifts a block.
    pub fn unblock(&self, block: &Block) {
        self.remove_block(&id_of(block));
    }

    /// The block with the latest end that is in force for any fact of the request.
    pub(crate) fn blocking(&self, facts: &Facts<'_, '_>, now: Timestamp) -> Option<Arc<Block>> {
        if self.blocks.entries.is_empty() {
            return None;
        }
        self.blocks.find(facts.query, now)
    }
}

impl Blocks {
    fn find(&self, query: &Query<'_>, now: Timestamp) -> Option<Arc<Block>> {
        let texts = [
            (&Field::User, query.user_name()),
            (&Field::Org, query.org_name()),
            (&Field::ApiKey, query.api_key_id()),
        ];
        let texts = texts.into_iter().filter_map(|(field, value)| Some(named(field, value?)));
        let lengths = self.lengths.load();
        let networks = query.ip_address().into_iter().flat_map(|address| {
            let lengths = match address {
                IpAddr::V4(_) => &lengths.v4,
                IpAddr::V6(_) => &lengths.v6,
            };
            let network = move |length: &u8| IpNet::new(address, *length).ok();
            lengths.iter().filter_map(network).map(within)
        });
        let found = texts.chain(networks).filter_map(|place| self.at(&place, now));
        found.max_by_key(|block| block.until.unwrap_or(Timestamp::MAX))
    }

    /// Of the blocks of one place that with the latest end.
    fn at(&self, place: &Place, now: Timestamp) -> Option<Arc<Block>> {
        let latest = |blocked: &[Arc<Blocked>]| {
            let same = blocked.iter().filter(|one| one.place == *place);
            let in_force = same.filter(|one| one.block.until.is_none_or(|until| now < until));
            let latest = in_force.max_by_key(|one| one.block.until.unwrap_or(Timestamp::MAX));
            latest.map(|one| Arc::clone(&one.block))
        };
        self.entries.find(key_hash(&self.state, place), latest)?
    }

    fn drop_from(&self, place: &Place, id: &str) {
        let hash = key_hash(&self.state, place);
        self.entries.remove(hash, |blocked| &*blocked.id == id);
    }
}

impl Lengths {
    fn of(places: &HashMap<Arc<str>, Place>) -> Self {
        let mut lengths = Self::default();
        for place in places.values() {
            let (of_family, length) = match place.as_slice() {
                [tag, 4, length, ..] if *tag == Field::Ip.tag() => (&mut lengths.v4, *length),
                [tag, 6, length, ..] if *tag == Field::Ip.tag() => (&mut lengths.v6, *length),
                _ => continue,
            };
            if !of_family.contains(&length) {
                of_family.push(length);
            }
        }
        lengths
    }
}

/// A block that has no id of its own has that of what it is about.
fn id_of(block: &Block) -> Arc<str> {
    format!("{}={}", block.field, block.value).into()
}

/// None if no request can have the value.
fn place_of(block: &Block) -> Option<Place> {
    match &block.field {
        field @ (Field::User | Field::Org | Field::ApiKey) => {
            let value = normalise::identifier(&block.value).ok()??;
            Some(named(field, value))
        }
        Field::Ip => {
            let network = block.value.parse::<IpNet>().ok();
            let alone = || normalise::address(&block.value).ok().and_then(alone);
            network.or_else(alone).map(folded).map(within)
        }
        _ => None,
    }
}

fn named(field: &Field, value: &str) -> Place {
    let mut place = Place::new();
    place.push(field.tag());
    place.extend_from_slice(value.as_bytes());
    place
}

/// An address that is named alone: of IPv6 its network, as rules count, since whoever has one has all of it.
fn alone(address: IpAddr) -> Option<IpNet> {
    match address {
        IpAddr::V4(_) => Some(IpNet::from(address)),
        IpAddr::V6(_) => IpNet::new(address, KeyField::IPV6_PREFIX_DEFAULT).ok(),
    }
}

/// A network of addresses of IPv4 that are written as of IPv6 is one of IPv4.
fn folded(network: IpNet) -> IpNet {
    const MAPPED_BITS: u8 = 96;
    let IpNet::V6(mapped) = network else {
        return network;
    };
    let length = mapped.prefix_len().checked_sub(MAPPED_BITS);
    let folded = length.and_then(|length| {
        let address = mapped.addr().to_ipv4_mapped()?;
        IpNet::new(address.into(), length).ok()
    });
    folded.unwrap_or(network)
}

fn within(network: IpNet) -> Place {
    let mut place = Place::new();
    place.push(Field::Ip.tag());
    match network.trunc() {
        IpNet::V4(network) => {
            place.extend([4, network.prefix_len()]);
            place.extend(network.addr().octets());
        }
        IpNet::V6(network) => {
            place.extend([6, network.prefix_len()]);
            place.extend(network.addr().octets());
        }
    }
    place
}
