//! wip
fn main() {
    cofferdam::worker::run_if_requested();
}
