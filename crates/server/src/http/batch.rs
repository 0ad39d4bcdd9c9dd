//! Many checks in one request.

use std::sync::Arc;

use tollgate_wire::{
    check::{BodyError, CheckBody, Problem, read_batch},
    http1::Request,
};

use super::{
    answer, handler,
    handler::{HttpHandler, ResponseFraming, decide_in_order},
};
use crate::engine::Refusal;

/// How many are decided at once: enough to fetch their counters together, few enough to stay near.
const TOGETHER: usize = 64;

impl HttpHandler {
    /// Answers each request of a batch on its own. One that is wrong is told so in its place.
    pub(super) async fn batch(
        &mut self,
        request: &Request<'_>,
        framing: ResponseFraming,
        output: &mut Vec<u8>,
    ) {
        let service = Arc::clone(&self.service);
        let has_rules = service.engine.live().with_snapshot(|_| ()).is_some();
        let verbosity = self.verbosity(request);
        let read = handler::of_others(request.query).and_then(|()| {
            let verbosity = verbosity?;
            let batch = read_batch(request.body);
            let batch = batch.map_err(|error| Problem::new(400, error.to_string()))?;
            Ok((batch, verbosity))
        });
        let (batch, verbosity) = match read {
            Ok(_) if !has_rules => {
                let problem = answer::problem(&Refusal::NoSnapshot);
                return self.problem(&problem, framing, output);
            }
            Ok(read) => read,
            Err(problem) => return self.problem(&problem, framing, output),
        };
        let standing = self.standing(request);
        let mut body = std::mem::take(&mut self.scratch);
        body.clear();
        body.extend_from_slice(b"{\"results\":[");
        for some in batch.chunks(TOGETHER) {
            let identify = |read: &Result<CheckBody<'_>, BodyError>| match read {
                Ok(body) => self.identify(body, &standing),
                Err(error) => Err(Problem::new(400, error.to_string())),
            };
            let identified: Vec<_> = some.iter().map(identify).collect();
            let both = some.iter().zip(&identified);
            let asked = both.map(|(read, identified)| match (read, identified) {
                (Ok(body), Ok(identity)) => answer::ask(body, identity, verbosity),
                (_, Err(problem)) => Err(problem.clone()),
                (Err(error), _) => Err(Problem::new(400, error.to_string())),
            });
            let decided = decide_in_order(&service.engine, asked, |answer| {
                match answer {
                    Ok(answer) => {
                        self.id.clear();
                        answer.id.write(&mut self.id);
                        let id = str::from_utf8(&self.id).unwrap_or_default();
                        answer::body(&answer, id, verbosity)
                            .write(answer::limits(&answer, verbosity), &mut body);
                    }
                    Err(problem) => {
                        self.turned_away(&problem);
                        body.extend_from_slice(b"{\"error\":");
                        problem.write(&mut body);
                        body.push(b'}');
                    }
                }
                body.push(b',');
            });
            decided.await;
        }
        // After the last there is no comma.
        body.pop_if(|byte| *byte == b',');
        body.extend_from_slice(b"]}");
        self.scratch = body;
        self.json(verbosity, framing, output);
    }
}
