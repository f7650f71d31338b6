//! What is on this machine.

use url::{Host, Url};

/// Whether a URL leads to this machine by its name or a loopback address: no proxy knows it by that,
/// and nobody on the way can listen.
pub fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}
