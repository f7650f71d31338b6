//! `cofferdam serve`: an MCP server that gives any MCP host code mode over the configured servers.

use super::{
    exit::Exit,
    interrupt::Interrupt,
    limits, output,
    progress::Progress,
    setup::{WithConfig, WithPolicy, WithSandbox, connect},
};
use anyhow::Context;
use cofferdam::{
    ServerState,
    config::{parse_duration, parse_size},
    serve::{Http, Options, Resource, Server, Token, asking},
};
use std::{net::SocketAddr, time::Duration};

/// The variable with a token.
const TOKEN: &str = "COFFERDAM_TOKEN";
/// The variable with the key that instances share.
const STATE_KEY: &str = "COFFERDAM_STATE_KEY";
const STATE_KEY_BYTES: usize = 16;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: WithConfig,
    #[command(flatten)]
    policy: WithPolicy,
    /// Serve streamable HTTP at this address, e.g. 127.0.0.1:7777, instead of standard input and
    /// output; the endpoint is /mcp
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// A token that HTTP clients must send (may be given several times; also COFFERDAM_TOKEN, which
    /// other users of this machine cannot see)
    #[arg(long, value_name = "TOKEN", requires = "http")]
    token: Vec<String>,
    /// A name by which HTTP clients reach this server (may be given several times)
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// The origin of web pages that may use this server (may be given several times)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// An authorization server, by its URL as in the `iss` of its access tokens: clients that have
    /// one of these for --resource are let in (may be given several times)
    #[arg(long, value_name = "URL", requires = "resource")]
    oauth_issuer: Vec<String>,
    /// The URL by which clients reach this server, such as https://tools.example/mcp: access tokens
    /// must be for it
    #[arg(long, value_name = "URL", requires_all = ["http", "oauth_issuer"])]
    resource: Option<String>,
    /// A scope that access tokens must have (may be given several times)
    #[arg(long, value_name = "SCOPE", requires = "resource")]
    oauth_scope: Vec<String>,
    /// How long a request waits for its run before it is answered with a handle
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "45s")]
    soft_limit: Duration,
    /// How long a question may wait for its answer
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10m")]
    answer_time: Duration,
    /// How long results are kept
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10m")]
    keep: Duration,
    /// How many runs of one client are under way at once; further ones wait
    #[arg(long, value_name = "COUNT", default_value_t = 8)]
    runs_at_once: usize,
    /// How many runs of one client may wait; one more is refused
    #[arg(long, value_name = "COUNT", default_value_t = 256)]
    runs_waiting: usize,
    /// How many runs one client may begin in a minute; further ones wait
    #[arg(long, value_name = "COUNT", default_value_t = 600)]
    runs_per_minute: u32,
    /// How long runs may take to end after SIGTERM
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "30s")]
    drain: Duration,
    /// The most that one run gives to the model; what is longer loses its middle
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64KiB")]
    budget: usize,
    /// The most that a client is given to keep while it answers a question, for another instance to
    /// go on
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "256KiB")]
    state: usize,
    #[command(flatten)]
    sandbox: WithSandbox,
    #[command(flatten)]
    limits: limits::Given,
}

pub(super) async fn serve(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let mut config = arguments.config.read()?;
    arguments.limits.put_over(&mut config);
    config.sandbox = arguments.sandbox.over(config.sandbox);
    config.policy = arguments.policy.before(config.policy)?;
    let http = arguments.http.map(|address| door(&arguments, address)).transpose()?;
    let options = options(&arguments)?;

    let builder = config.builder().elicitor(asking());
    let Some(sandbox) = connect(builder, &Progress::start(), interrupt).await? else {
        return Ok(Exit::Interrupted);
    };
    // Servers that are not there now may be there later: a host should not lose us for that.
    for server in sandbox.servers() {
        if let ServerState::Failed { error } = &server.state {
            output::warning(&format!("the server `{}` is not available: {error}", server.name));
        }
    }
    let server = Server::new(sandbox.clone(), options);
    let exit = match http {
        Some(http) => {
            let listening = server.listen(http).await?;
            output::note(&format!("serving http://{}/mcp", listening.address()));
            let drain = async {
                interrupt.first().await;
                output::note("draining: no new runs, and those under way come to their end");
                server.drain().await;
            };
            tokio::spawn(warn_of_issuers(listening.prepare()));
            let (served, ()) = tokio::join!(listening.serve(), drain);
            served?;
            Exit::Done
        }
        None => {
            let served = tokio::select! {
                served = server.stdio() => served,
                () = async { interrupt.first().await; server.drain().await } => Ok(()),
            };
            served?;
            Exit::Done
        }
    };
    sandbox.shutdown().await;
    Ok(exit)
}

async fn warn_of_issuers(prepared: impl Future<Output = Vec<(String, String)>>) {
    for (issuer, problem) in prepared.await {
        output::warning(&format!("the keys of `{issuer}` cannot be had: {problem}"));
    }
}

fn options(arguments: &Arguments) -> anyhow::Result<Options> {
    let mut options = Options::default();
    options.soft_limit = arguments.soft_limit;
    options.answer_time = arguments.answer_time;
    options.keep = arguments.keep;
    options.runs_at_once = arguments.runs_at_once;
    options.runs_waiting = arguments.runs_waiting;
    options.runs_per_minute = arguments.runs_per_minute;
    options.drain = arguments.drain;
    options.budget = arguments.budget;
    options.state_bytes = arguments.state;
    options.state_key = variable(STATE_KEY)?;
    if options.state_key.as_ref().is_some_and(|key| key.len() < STATE_KEY_BYTES) {
        anyhow::bail!("{STATE_KEY} must have at least {STATE_KEY_BYTES} characters");
    }
    Ok(options)
}

fn door(arguments: &Arguments, address: SocketAddr) -> anyhow::Result<Http> {
    let mut http = Http::new(address);
    for token in arguments.token.iter().cloned().chain(variable(TOKEN)?) {
        http.tokens.push(Token::new(token)?);
    }
    http.hosts.clone_from(&arguments.allow_host);
    http.origins.clone_from(&arguments.allow_origin);
    if let Some(url) = &arguments.resource {
        let resource = Resource::new(url, &arguments.oauth_issuer)?;
        http.resource = Some(resource.scopes(&arguments.oauth_scope)?);
    }
    Ok(http)
}

/// A variable of the environment, if it is set to something.
fn variable(name: &str) -> anyhow::Result<Option<String>> {
    match std::env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(error) => Err(error).context(name.to_owned()),
    }
}
