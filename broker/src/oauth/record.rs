//! What is kept of a login.

use rmcp::transport::auth::StoredCredentials;
use serde::{Deserialize, Serialize};

/// The login at one server.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// The server. A record that got under another name is not used.
    pub(super) resource: String,
    /// The token, and the issuer it is from.
    pub(super) credentials: Option<StoredCredentials>,
    /// The secret that the authorization server gave us when we registered.
    pub(super) client_secret: Option<String>,
    /// Rights that the server wanted and that the token does not have.
    #[serde(default)]
    pub(super) wanted: Vec<String>,
}

impl Record {
    pub(super) fn new(resource: &str) -> Self {
        let resource = resource.to_owned();
        Self { resource, credentials: None, client_secret: None, wanted: Vec::new() }
    }
}
