//! Which server of its order a question goes to.

/// A server may be this much busier than the average, in quarters.
const SLACK_QUARTERS: u64 = 5;

/// The first server of `order` that is up and not much busier than the others; `loads` are the calls under way
/// at each. None only if no server is up.
pub(crate) fn choose(
    order: &[usize],
    loads: &[u32],
    is_up: impl Fn(usize) -> bool,
) -> Option<usize> {
    let load = |server: usize| u64::from(loads.get(server).copied().unwrap_or(0));
    let up = || order.iter().copied().filter(|server| is_up(*server));
    let (servers, total) = up().fold((0_u64, 0_u64), |(servers, total), server| {
        (
            servers.saturating_add(1),
            total.saturating_add(load(server)),
        )
    });
    let bound = load_max(total, servers)?;
    // The mean is within the bound, so somebody is.
    up().find(|server| load(*server) <= bound)
}

/// ⌈1.25 × (calls under way + 1) / servers⌉; none without servers.
fn load_max(total: u64, servers: u64) -> Option<u64> {
    let calls = total.saturating_add(1).saturating_mul(SLACK_QUARTERS);
    (servers > 0).then(|| calls.div_ceil(servers.saturating_mul(4)))
}
