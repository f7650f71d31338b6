//! The digest of a JSON value, whatever the order of its members.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::Hash;
use crate::catalogue::canonical;

/// `sha256:` and the hash of the value with the members of all objects in order.
pub(crate) fn digest_of(value: &Value) -> String {
    let mut text = String::new();
    canonical(value, &mut text);
    format!("sha256:{}", Hash::of(Sha256::digest(text).into()))
}
