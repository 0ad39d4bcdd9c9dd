//! How rules are filed.

use std::{collections::HashMap, rc::Rc};

use ipnet::IpNet;

use super::{
    Drawer,
    probe::{End, Kind, Side, Split, hash, network_hash},
};
use crate::{AttributeCondition, EndpointPattern, Match, Name, PatternClass, Rule};

/// So many rules are checked one by one faster than they are looked up.
const FEW_MAX: usize = 4;
/// Lists within lists multiply: once a rule lies in more places than this, its other lists are left to
/// the check of each candidate.
const COPIES_MAX: usize = 64;

/// A rule on its way into a drawer, with the conditions it has not been filed under yet.
#[derive(Clone, Debug)]
struct Paper {
    place: u32,
    asks: Vec<Rc<Ask>>,
    /// In how many places the rule lies already.
    copies: usize,
}

/// One condition as a way to find a rule: the hashes of the values that satisfy it.
#[derive(Debug)]
enum Ask {
    Values(Vec<u64>),
    Networks(Vec<IpNet>),
    End(End, u64),
    Pattern(EndpointPattern),
}

impl Ask {
    /// The names under which a rule would be found.
    fn hashes(&self) -> Vec<u64> {
        match self {
            Self::Values(hashes) => hashes.clone(),
            Self::Networks(networks) => {
                let hash = |network: &IpNet| network_hash(network.network(), network.prefix_len());
                networks.iter().map(hash).collect()
            }
            Self::End(_, hash) => vec![*hash],
            Self::Pattern(pattern) => vec![hash(Kind::Path, [pattern.as_str().as_bytes()])],
        }
    }
}

pub(super) fn build<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> Drawer {
    let papers = rules.into_iter().zip(0..).map(|(rule, place)| Paper {
        place,
        asks: asks(&rule.matches),
        copies: 1,
    });
    file(papers.collect())
}

fn file(papers: Vec<Paper>) -> Drawer {
    if papers.len() <= FEW_MAX {
        return Drawer::Few(papers.iter().map(|paper| paper.place).collect());
    }
    let crowds = crowds(&papers);
    let mut split = Split::default();
    let mut by_hash: HashMap<u64, Vec<Paper>> = HashMap::new();
    let mut by_pattern: HashMap<EndpointPattern, Vec<Paper>> = HashMap::new();
    for mut paper in papers {
        let Some(ask) = take_rarest(&mut paper, &crowds) else {
            split.always.push(paper.place);
            continue;
        };
        match &*ask {
            Ask::Pattern(pattern) => {
                by_pattern.entry(pattern.clone()).or_default().push(paper);
                continue;
            }
            Ask::End(end, _) => split.ends.push(end.clone()),
            Ask::Networks(networks) => split.note_prefixes(networks),
            Ask::Values(_) => {}
        }
        let hashes = ask.hashes();
        paper.copies = paper.copies.saturating_mul(hashes.len());
        for hash in hashes {
            by_hash.entry(hash).or_default().push(paper.clone());
        }
    }
    split.ends.sort_unstable();
    split.ends.dedup();
    for (hash, papers) in by_hash {
        split.by_hash.insert(hash, file(papers));
    }
    split.file_patterns(by_pattern);
    Drawer::Many(Box::new(split))
}

impl Split {
    fn note_prefixes(&mut self, networks: &[IpNet]) {
        for network in networks {
            let prefixes = match network {
                IpNet::V4(_) => &mut self.prefixes_v4,
                IpNet::V6(_) => &mut self.prefixes_v6,
            };
            if !prefixes.contains(&network.prefix_len()) {
                prefixes.push(network.prefix_len());
            }
        }
    }

    /// `/a/{x}` and `/a/*` are the same drawer, so papers are put together before they are filed.
    fn file_patterns(&mut self, by_pattern: HashMap<EndpointPattern, Vec<Paper>>) {
        let mut drawers: HashMap<String, (EndpointPattern, Vec<Paper>)> = HashMap::new();
        for (pattern, papers) in by_pattern {
            let shape = shape(&pattern);
            let entry = drawers.entry(shape).or_insert_with(|| (pattern, Vec::new()));
            entry.1.extend(papers);
        }
        for (pattern, papers) in drawers.into_values() {
            *self.paths.place(&pattern) = Some(file(papers));
        }
    }
}

/// The pattern without the names of its parameters.
fn shape(pattern: &EndpointPattern) -> String {
    use crate::Segment;
    let mut shape = String::new();
    for segment in pattern.segments() {
        shape.push('/');
        shape.push_str(match segment {
            Segment::Literal(text) => text,
            Segment::Parameter(_) | Segment::One => "*",
            Segment::Rest => "**",
        });
    }
    shape
}

/// How many rules share each name.
fn crowds(papers: &[Paper]) -> HashMap<u64, usize> {
    let mut crowds = HashMap::new();
    for hash in papers.iter().flat_map(|paper| &paper.asks).flat_map(|ask| ask.hashes()) {
        *crowds.entry(hash).or_default() += 1;
    }
    crowds
}

/// The condition whose names are shared by the fewest; ties go to the first, which is the cheapest.
fn take_rarest(paper: &mut Paper, crowds: &HashMap<u64, usize>) -> Option<Rc<Ask>> {
    let crowd = |ask: &Rc<Ask>| {
        let hashes = ask.hashes();
        let sizes = hashes.iter().map(|hash| crowds.get(hash).copied().unwrap_or(0));
        let is_affordable = paper.copies == 1
            || hashes.len() == 1
            || paper.copies.saturating_mul(hashes.len()) <= COPIES_MAX;
        is_affordable.then(|| sizes.max().unwrap_or(0))
    };
    let (place, _) = paper
        .asks
        .iter()
        .enumerate()
        .filter_map(|(place, ask)| Some((place, crowd(ask)?)))
        .min_by_key(|(_, crowd)| *crowd)?;
    Some(paper.asks.remove(place))
}

/// The conditions of a rule, cheapest to look up first.
fn asks(matches: &Match) -> Vec<Rc<Ask>> {
    let mut asks = Vec::new();
    let texts = [
        (Kind::User, &matches.users),
        (Kind::ApiKey, &matches.api_keys),
        (Kind::Org, &matches.orgs),
        (Kind::Region, &matches.regions),
    ];
    for (kind, texts) in texts {
        let hashes = texts.iter().map(|text| hash(kind, [text.as_bytes()]));
        add_values(&mut asks, hashes.collect());
    }
    match &matches.endpoint {
        Some(pattern) if pattern.class() == PatternClass::Exact => {
            add_values(&mut asks, vec![hash(Kind::Path, [pattern.as_str().as_bytes()])]);
        }
        Some(pattern) => asks.push(Ask::Pattern(pattern.clone())),
        None => {}
    }
    for (name, condition) in &matches.attributes {
        asks.push(attribute(name, condition));
    }
    asks.extend(descriptor(matches));
    if !matches.networks.is_empty() {
        asks.push(Ask::Networks(matches.networks.clone()));
    }
    let tiers = matches.tiers.iter().map(Name::as_str);
    add_values(&mut asks, tiers.map(|tier| hash(Kind::Tier, [tier.as_bytes()])).collect());
    let methods = matches.methods.iter();
    let method =
        |method: &crate::normalise::Method| hash(Kind::Method, [method.as_str().as_bytes()]);
    add_values(&mut asks, methods.map(method).collect());
    asks.into_iter().map(Rc::new).collect()
}

fn add_values(asks: &mut Vec<Ask>, mut hashes: Vec<u64>) {
    hashes.sort_unstable();
    hashes.dedup();
    if !hashes.is_empty() {
        asks.push(Ask::Values(hashes));
    }
}

fn attribute(name: &str, condition: &AttributeCondition) -> Ask {
    let exact = |value: &str| hash(Kind::Attribute, [name.as_bytes(), value.as_bytes()]);
    let end = |side, text: &str| {
        let end = End { name: name.into(), side, len: text.len() };
        let hash = end.hash_of(text.as_bytes()).unwrap_or_default();
        Ask::End(end, hash)
    };
    match condition {
        AttributeCondition::Exact(value) => Ask::Values(vec![exact(value)]),
        AttributeCondition::OneOf(values) => {
            let mut hashes: Vec<u64> = values.iter().map(|value| exact(value)).collect();
            hashes.sort_unstable();
            hashes.dedup();
            Ask::Values(hashes)
        }
        AttributeCondition::Prefix(text) => end(Side::Prefix, text),
        AttributeCondition::Suffix(text) => end(Side::Suffix, text),
    }
}

fn descriptor(matches: &Match) -> Option<Ask> {
    let entries = matches.descriptor.as_ref()?;
    let pairs: Option<Vec<[&[u8]; 2]>> = entries
        .iter()
        .map(|entry| Some([entry.key.as_bytes(), entry.value.as_ref()?.as_bytes()]))
        .collect();
    let hash = match pairs {
        Some(pairs) => hash(Kind::Descriptor, pairs.into_iter().flatten()),
        None => hash(Kind::DescriptorKeys, entries.iter().map(|entry| entry.key.as_bytes())),
    };
    Some(Ask::Values(vec![hash]))
}
