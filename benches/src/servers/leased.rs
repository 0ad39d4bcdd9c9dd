//! Our server twice: counters in its memory, and shared through a Redis by leases.

use super::{contest::Stage, script::Script, shape::Shape, shape::TG_CHECK, tollgate::Ours};
use crate::depth::Depth;

/// Decisions per second over RESP.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) what: &'static str,
    pub(crate) memory: f64,
    pub(crate) leased: f64,
}

const LEASED: &str = "leased";
const PIPELINE: usize = 16;

pub(crate) fn leased(redis: &str, depth: Depth) -> anyhow::Result<Vec<Beside>> {
    let ours = Ours::start()?;
    let flags = ["--redis", redis, "--redis-deadline", "1s"];
    let Ours { process, resp, folder: _folder, .. } = Ours::start_in(tempfile::tempdir()?, &flags)?;
    let mut stage = Stage::default();
    stage.adopt(process);
    let mut found = Vec::new();
    for (what, script) in [("one key", Script::one_tg_check()), ("4,096 keys", Script::tg_check())]
    {
        stage.enter(TG_CHECK, ours.resp, script.clone(), usize::MAX);
        stage.enter(LEASED, resp, script, 0);
        let contest = stage.play(Shape::Resp(PIPELINE), depth, &ours)?;
        let rate = |who| contest.of(who).map_or(f64::NAN, |measured| measured.rate);
        found.push(Beside { what, memory: rate(TG_CHECK), leased: rate(LEASED) });
        stage.leave();
    }
    Ok(found)
}
