//! The command line: what was asked for, who does it, and how the program ends.

mod exit;
mod logging;
#[cfg(feature = "otel")]
mod traces;
mod output;
mod visible;
mod interrupt;
mod progress;
mod sheet;
mod question;
mod answer;
mod approver;
mod form;
mod setup;
mod limits;
mod ledger;
mod kept;
mod kept_output;
mod run;
mod types;
mod tools;
mod servers;
mod audit;
mod events;
mod replay;
mod dry;
mod doctor;
mod init;
mod policy;
mod call;
mod login;
mod serve;

use clap::{Parser, Subcommand};
use exit::Exit;
use interrupt::Interrupt;
use logging::Logging;
use std::process::ExitCode;

/// Runs TypeScript that a language model wrote, against the tools of MCP servers.
///
/// The script runs in a V8 isolate without network, files or environment. Each of its calls is
/// judged by a policy, shown to you if the policy does not decide it, and written into a ledger.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Configuration: --config FILE, or else ./.mcp.json, or else cofferdam/config.json in your
configuration directory. Set COFFERDAM_LOG=debug for log lines on standard error.

Exit codes: 0 done; 1 the script or the call failed; 2 wrong usage or configuration;
3 a limit ended the run; 4 a server could not be reached; 5 crashed; 130 interrupted.";

#[derive(Subcommand)]
enum Command {
    /// Run a script
    Run(Box<run::Arguments>),
    /// Run a script against a recording, without any server
    Replay(replay::Arguments),
    /// Check the audit log, or print what is in it
    Audit(audit::Arguments),
    /// Print the declarations that a model reads before it writes a script
    Types(types::Arguments),
    /// List or search tools, and say what the policy makes of them
    Tools(tools::Arguments),
    /// Connect to the servers and report what became of each
    Servers(servers::Arguments),
    /// Explain what the policy makes of a call, or test it
    Policy(policy::Arguments),
    /// Write a first configuration, of the servers that other MCP hosts have on this machine
    Init(init::Arguments),
    /// Check the configuration, the servers, and what stands between a script and this machine
    Doctor(doctor::Arguments),
    /// Make one call, by the same way as a script's calls
    Call(call::Arguments),
    /// Print what was cut of the output of a run
    Output(kept_output::Arguments),
    /// Be an MCP server that gives any MCP host code mode over these servers
    Serve(Box<serve::Arguments>),
    /// Log in at a server that wants it, with your browser
    Login(login::Arguments),
    /// Forget the login at a server
    Logout(login::OutArguments),
}

/// The whole program, apart from being a worker.
pub(crate) fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are among these "errors"; nothing can be done if that does not print.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    let exit = Logging::start().and_then(|logging| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let exit = runtime.block_on(dispatch(arguments.command));
        // A thread may still wait for somebody to type.
        runtime.shutdown_background();
        logging.end();
        exit
    });
    exit.unwrap_or_else(|error| {
        output::error(&format!("{error:#}"));
        Exit::Usage
    })
    .into()
}

async fn dispatch(command: Command) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::listen()?;
    let work = async {
        match command {
            Command::Run(arguments) => run::run(*arguments, &interrupt).await,
            Command::Replay(arguments) => replay::replay(arguments, &interrupt).await,
            Command::Audit(arguments) => audit::audit(arguments),
            Command::Types(arguments) => types::types(arguments, &interrupt).await,
            Command::Tools(arguments) => tools::tools(arguments, &interrupt).await,
            Command::Servers(arguments) => servers::servers(arguments, &interrupt).await,
            Command::Policy(arguments) => policy::policy(arguments),
            Command::Init(arguments) => init::init(&arguments),
            Command::Doctor(arguments) => doctor::doctor(arguments, &interrupt).await,
            Command::Call(arguments) => call::call(arguments, &interrupt).await,
            Command::Output(arguments) => kept_output::print(&arguments),
            Command::Serve(arguments) => serve::serve(*arguments, &interrupt).await,
            Command::Login(arguments) => login::login(arguments, &interrupt).await,
            Command::Logout(arguments) => login::logout(arguments).await,
        }
    };
    tokio::select! {
        exit = work => exit,
        () = interrupt.second() => Ok(Exit::Interrupted),
    }
}
