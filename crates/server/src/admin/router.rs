//! From the table of routes to a service.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{MatchedPath, Request, State},
    http::{HeaderValue, Response, StatusCode, header},
    middleware,
    routing::{MethodFilter, on},
};

use super::{
    call::Call,
    guard,
    problem::Problem,
    proposals,
    route::{Route, Verb},
    routes,
    state::AdminState,
};

/// The admin API as a service.
pub(super) fn router(state: AdminState) -> Router {
    let state = Arc::new(state);
    let mut router = Router::new();
    for route in routes::all() {
        let handler = move |State(state): State<Arc<AdminState>>, request: Request| {
            answer(route, state, request)
        };
        router = router.route(route.path, on(filter(route.verb), handler));
    }
    router
        .method_not_allowed_fallback(other_method)
        .fallback(elsewhere)
        .layer(middleware::from_fn_with_state(Arc::clone(&state), guard::guard))
        .with_state(state)
}

const fn filter(verb: Verb) -> MethodFilter {
    match verb {
        Verb::Get => MethodFilter::GET,
        Verb::Post => MethodFilter::POST,
        Verb::Put => MethodFilter::PUT,
        Verb::Delete => MethodFilter::DELETE,
    }
}

async fn answer(route: &'static Route, state: Arc<AdminState>, request: Request) -> Response<Body> {
    let call = match Call::read(route, state, request).await {
        Ok(call) => call,
        Err(problem) => return problem.into_response(),
    };
    let done = match proposals::waits(route, &call) {
        true => proposals::propose(route, call).await,
        false => (route.handler)(call).await,
    };
    match done {
        Ok(reply) => reply.into_response(),
        Err(problem) => problem.into_response(),
    }
}

/// The path is known, and not what is to be done there.
async fn other_method(request: Request) -> Response<Body> {
    let path = request.extensions().get::<MatchedPath>();
    let path = path.map_or(request.uri().path(), MatchedPath::as_str);
    let known = routes::all().filter(|route| route.path == path);
    let allowed: Vec<String> = known.map(|route| route.verb.method().to_string()).collect();
    let allowed = allowed.join(", ");
    let detail = format!("{} is not for this path: {allowed}", request.method());
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", detail);
    let mut response = problem.into_response();
    if let Ok(allowed) = HeaderValue::from_str(&allowed) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

async fn elsewhere(request: Request) -> Response<Body> {
    let problem = match request.uri().path() {
        "/ratelimit/check" => Problem::not_found(
            "decisions are asked for on the decision listener, port 7070 by default",
        ),
        _ => Problem::not_found("there is nothing here: / lists what there is"),
    };
    problem.into_response()
}
