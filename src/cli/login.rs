//! `cofferdam login` and `cofferdam logout`: the user's browser logs in at a server, and what comes of
//! it is kept.

use super::{exit::Exit, interrupt::Interrupt, output, setup::WithConfig};
use anyhow::{Context, bail};
use cofferdam::{
    broker::{Login, LoginError, OAuth},
    config::{Config, tokens},
};
use std::io::BufRead;
use tokio::sync::mpsc;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The server, by its name in the configuration
    #[arg(value_name = "SERVER")]
    server: String,
    #[command(flatten)]
    config: WithConfig,
    /// Keep the login in the system's keychain instead of a file that only you can read
    #[arg(long)]
    keychain: bool,
    /// Ask for this right, beside those of the configuration (may be given several times)
    #[arg(long, value_name = "SCOPE")]
    scope: Vec<String>,
}

#[derive(clap::Args)]
pub(super) struct OutArguments {
    /// The server, by its name in the configuration
    #[arg(value_name = "SERVER")]
    server: String,
    #[command(flatten)]
    config: WithConfig,
}

pub(super) async fn login(arguments: Arguments, interrupt: &Interrupt) -> anyhow::Result<Exit> {
    let name = &arguments.server;
    let (url, mut oauth) = server(&arguments.config.read()?, name).await?;
    oauth.scopes.extend(arguments.scope);
    let store = tokens().context("you have no data directory in which a login could be kept")?;
    let Some(begun) = interrupt.or(Login::begin(&url, &oauth, store)).await else {
        return Ok(Exit::Interrupted);
    };
    let login = match begun {
        Ok(login) => login,
        Err(error) => return Ok(failed(&error)),
    };
    output::note(&format!("To log in at `{name}`, open this page in a browser:"));
    output::print(&format!("{}\n", login.url()))?;
    output::note(
        "Waiting for the browser to come back. If it runs on another machine, it ends at a page that \
         does not load: paste the address of that page here.",
    );
    let mut typed = lines();
    loop {
        let redirected = tokio::select! {
            redirected = login.wait() => redirected,
            Some(line) = typed.recv() => Ok(line),
            () = interrupt.first() => return Ok(Exit::Interrupted),
        };
        let finished = match redirected {
            Ok(redirected) => login.finish(&redirected, arguments.keychain).await,
            Err(error) => Err(error),
        };
        match finished {
            Ok(()) => break,
            Err(error @ LoginError::NotTheRedirect) => output::warning(&error.to_string()),
            Err(error) => return Ok(failed(&error)),
        }
    }
    output::note(&format!("You are logged in at `{name}`."));
    Ok(Exit::Done)
}

pub(super) async fn logout(arguments: OutArguments) -> anyhow::Result<Exit> {
    let name = &arguments.server;
    let (url, _) = server(&arguments.config.read()?, name).await?;
    let forgotten = match tokens() {
        Some(store) => store.forget(&url).await?,
        None => false,
    };
    output::note(&if forgotten {
        format!("The login at `{name}` is forgotten.")
    } else {
        format!("There was no login at `{name}`.")
    });
    Ok(Exit::Done)
}

/// Where the server is and how to log in there.
async fn server(config: &Config, name: &str) -> anyhow::Result<(String, OAuth)> {
    let Some(server) = config.servers.get(name) else {
        let known: Vec<&str> = config.servers.keys().map(String::as_str).collect();
        bail!(
            "there is no server `{name}` in {}; there are {}",
            config.path.display(),
            known.join(", ")
        );
    };
    match server.url().await? {
        Some(url) => Ok((url, server.oauth.clone())),
        None => bail!("the server `{name}` is a program; its credentials are set under `env`"),
    }
}

fn failed(error: &LoginError) -> Exit {
    output::error(&error.to_string());
    Exit::Failed
}

/// What is typed, line by line, for as long as there is anything.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (tell, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if !line.trim().is_empty() && tell.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
