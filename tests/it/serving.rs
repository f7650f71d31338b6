//! `cofferdam serve`, driven by the official clients of both eras, over standard input and over HTTP.
//!
//! `tests/clients/` has the clients; `scripts/test-servers.sh` installs what they need.

mod access;
mod approvals;
mod clients;
mod demand;
mod http;
mod load;
mod runs;
pub(crate) mod scene;
