//! What TLS costs: the same server twice, in clear and over TLS.

use super::{
    contest::Stage,
    measured::Contest,
    names::{CHECK, CHECK_TLS, TG_CHECK, TG_CHECK_TLS},
    script::Script,
    seal::Seal,
    shape::Shape,
    tollgate::Ours,
};
use crate::depth::Depth;

pub(super) fn run(depth: Depth, ours: &Ours) -> anyhow::Result<Contest> {
    let folder = tempfile::tempdir()?;
    let seal = Seal::of(folder.path());
    let flags = ["--tls-cert", "server.pem", "--tls-key", "server.key"];
    let Ours {
        process,
        http,
        resp,
        folder: _folder,
        ..
    } = Ours::start_in(folder, &flags)?;
    let mut stage = Stage::default();
    stage.adopt(process);
    stage.enter(TG_CHECK, ours.resp, Script::tg_check(), usize::MAX);
    stage.enter_sealed(TG_CHECK_TLS, resp, Script::tg_check(), &seal);
    stage.enter(CHECK, ours.http, Script::check(), usize::MAX);
    stage.enter_sealed(CHECK_TLS, http, Script::check(), &seal);
    stage.play(Shape::Sealed, depth, ours)
}
