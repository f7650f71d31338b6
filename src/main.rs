//! The program: runs scripts, and shows what they could call.

mod cli;

fn main() -> std::process::ExitCode {
    cofferdam::worker::run_if_requested();
    cli::main()
}
