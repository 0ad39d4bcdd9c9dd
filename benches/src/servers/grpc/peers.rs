//! Who else answers: tonic as people use it, with nothing and with limitador behind it.

use std::collections::HashMap;

use ::limitador::RateLimiter;
use tokio::net::TcpListener;
use tollgate_rls::{
    Code, DescriptorStatus, RateLimit, RateLimitRequest, RateLimitResponse, Unit,
    server::{RateLimitService, RateLimitServiceServer},
};
use tonic::{
    Request, Response, Status, async_trait,
    transport::{Server, server::TcpIncoming},
};

use super::super::peers::limitador_by_user;

/// The same answer to everybody.
pub(in crate::servers) async fn fixed(listener: TcpListener) -> anyhow::Result<()> {
    serve(listener, Fixed).await
}

/// A check by limitador's library, with one limit for each user.
pub(in crate::servers) async fn limitador(listener: TcpListener) -> anyhow::Result<()> {
    serve(listener, Limitador(limitador_by_user())).await
}

async fn serve(listener: TcpListener, service: impl RateLimitService) -> anyhow::Result<()> {
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = Server::builder().add_service(RateLimitServiceServer::new(service));
    Ok(server.serve_with_incoming(incoming).await?)
}

struct Fixed;

#[async_trait]
impl RateLimitService for Fixed {
    async fn should_rate_limit(
        &self,
        _: Request<RateLimitRequest>,
    ) -> Result<Response<RateLimitResponse>, Status> {
        Ok(Response::new(answer(Code::Ok)))
    }
}

struct Limitador(RateLimiter);

#[async_trait]
impl RateLimitService for Limitador {
    async fn should_rate_limit(
        &self,
        request: Request<RateLimitRequest>,
    ) -> Result<Response<RateLimitResponse>, Status> {
        let mut facts = HashMap::new();
        for entry in request
            .get_ref()
            .descriptors
            .iter()
            .flat_map(|it| &it.entries)
        {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            facts.insert(text(&entry.key), text(&entry.value));
        }
        let checked = self
            .0
            .check_rate_limited_and_update(&"check".into(), &facts.into(), 1)
            .map_err(|error| Status::internal(error.to_string()))?;
        let code = if checked.limited {
            Code::OverLimit
        } else {
            Code::Ok
        };
        Ok(Response::new(answer(code)))
    }
}

/// Of the size of ours.
fn answer(code: Code) -> RateLimitResponse {
    RateLimitResponse {
        overall_code: code.into(),
        statuses: vec![DescriptorStatus {
            code: code.into(),
            current_limit: Some(RateLimit {
                requests_per_unit: 1_000_000_000,
                unit: Unit::Hour.into(),
                name: "rule-7".to_owned(),
            }),
            limit_remaining: 999_999_999,
            duration_until_reset: None,
        }],
        ..RateLimitResponse::default()
    }
}
