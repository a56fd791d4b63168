//! The network servers of the scheduler and the executors, with token authentication in front of them.

use super::config;
use super::token::Token;
use super::watchdog::Server;
use arrow_flight::flight_service_server::FlightServiceServer;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ballista_core::error::BallistaError;
use ballista_core::extension::BallistaConfigGrpcEndpoint;
use ballista_core::flight_proxy_service::BallistaFlightProxyService;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_core::utils::create_grpc_server;
use ballista_executor::ArrowFlightServerProvider;
use ballista_executor::flight_service::BallistaFlightService;
use ballista_scheduler::api::get_routes;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tonic::service::RoutesBuilder;
use tonic::service::interceptor::InterceptedService;
use tonic::{Request as GrpcRequest, Status};

/// Runs the scheduler's server: gRPC, the REST API, health checks and, if configured, the rows of results.
/// It replaces the engine's own server, which offers no hook for authentication.
///
/// # Errors
/// If the listener fails.
pub(super) async fn serve(
    listener: TcpListener,
    server: Server,
    token: Option<Token>,
) -> std::io::Result<()> {
    let mut services = RoutesBuilder::default();
    services.add_service(
        SchedulerGrpcServer::new(server.clone())
            .max_encoding_message_size(config::MESSAGE_BYTES)
            .max_decoding_message_size(config::MESSAGE_BYTES),
    );
    if server.state.config.enable_embedded_flight_proxy {
        let endpoint = token.as_ref().map(Token::endpoint);
        let proxy = BallistaFlightProxyService::new(
            config::MESSAGE_BYTES,
            config::MESSAGE_BYTES,
            false,
            endpoint.map(|endpoint| Arc::new(BallistaConfigGrpcEndpoint::new(endpoint))),
        );
        services.add_service(
            FlightServiceServer::new(proxy)
                .max_encoding_message_size(config::MESSAGE_BYTES)
                .max_decoding_message_size(config::MESSAGE_BYTES),
        );
    }
    let services = services.routes().into_axum_router();
    let services = services.fallback(|| async { StatusCode::NOT_FOUND });
    let health = Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .with_state(server.clone());
    let mut all = get_routes(Arc::new(server)).merge(services).merge(health);
    if let Some(token) = token {
        all = all.layer(from_fn_with_state(token, authenticate));
    }
    axum::serve(
        listener,
        all.into_make_service_with_connect_info::<SocketAddr>(),
    )
    .await
}

async fn ready(State(server): State<Server>) -> Response {
    match server.is_ready() {
        true => "ready\n".into_response(),
        false => (
            StatusCode::SERVICE_UNAVAILABLE,
            "no executor is registered\n",
        )
            .into_response(),
    }
}

/// Middleware: answers a request without the token with an error instead of passing it on.
async fn authenticate(State(token): State<Token>, request: Request, next: Next) -> Response {
    let Err(refusal) = token.check(request.headers()) else {
        return next.run(request).await;
    };
    let kind = request.headers().get(CONTENT_TYPE);
    let is_grpc = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
    match is_grpc {
        true => Status::unauthenticated(refusal.text()).into_http(),
        false => (StatusCode::UNAUTHORIZED, format!("{}\n", refusal.text())).into_response(),
    }
}

/// The Flight server through which an executor serves its rows.
pub(super) fn flight_service(token: Option<Token>) -> Arc<ArrowFlightServerProvider> {
    Arc::new(move |work_dir, address, mut shutdown, settings| {
        let token = token.clone();
        let check = move |request: GrpcRequest<()>| {
            let refused = token
                .as_ref()
                .and_then(|token| token.check(request.metadata().as_ref()).err());
            match refused {
                None => Ok(request),
                Some(refusal) => Err(Status::unauthenticated(refusal.text())),
            }
        };
        tokio::spawn(async move {
            let service = FlightServiceServer::new(BallistaFlightService::new(work_dir))
                .max_encoding_message_size(config::MESSAGE_BYTES)
                .max_decoding_message_size(config::MESSAGE_BYTES);
            create_grpc_server(&settings)
                .add_service(InterceptedService::new(service, check))
                .serve_with_shutdown(address, shutdown.recv())
                .await
                .map_err(BallistaError::TonicError)
        })
    })
}
