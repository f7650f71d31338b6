//! What a client keeps for us while it answers a question: sealed, so that it can neither read nor
//! change it, and of use for a time only.
//!
//! In it is what any instance with the same key needs to go on. It holds results of calls that the
//! script has not chosen to show, so a signature would not be enough.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const NONCE_BYTES: usize = 24;
const EXPIRY_BYTES: usize = 8;

/// Seals and opens.
pub(super) struct Seal(XChaCha20Poly1305);

/// Why something cannot be opened. No more is said: whoever sent it may have made it up.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unsealed {
    #[error("the answer came too late: what it answers has expired")]
    Expired,
    #[error("the `requestState` is not one of ours, or belongs to another client or instance")]
    Foreign,
}

impl Seal {
    /// With a key made of this text, or a random one.
    pub(super) fn new(key: Option<&str>) -> Self {
        let mut bytes = [0; 32];
        match key {
            Some(text) => bytes.copy_from_slice(&Sha256::digest(text.as_bytes())),
            None => random(&mut bytes),
        }
        Self(XChaCha20Poly1305::new(&bytes.into()))
    }

    /// Seals a value for whoever `about` names. `None` if it is longer than `limit`.
    pub(super) fn seal(
        &self,
        value: &impl Serialize,
        about: &str,
        time: Duration,
        limit: usize,
    ) -> Option<String> {
        let expiry = u64::try_from((now() + time).as_millis()).ok()?;
        let mut text = expiry.to_be_bytes().to_vec();
        serde_json::to_writer(&mut text, value).ok()?;
        if text.len() > limit {
            return None;
        }
        let mut sealed = [0; NONCE_BYTES];
        random(&mut sealed);
        let payload = Payload { msg: &text, aad: about.as_bytes() };
        let body = self.0.encrypt(XNonce::from_slice(&sealed), payload).ok()?;
        Some(URL_SAFE_NO_PAD.encode([&sealed[..], &body].concat()))
    }

    /// Opens what was sealed for `about`.
    pub(super) fn open<T: DeserializeOwned>(&self, text: &str, about: &str) -> Result<T, Unsealed> {
        let sealed = URL_SAFE_NO_PAD.decode(text).map_err(|_| Unsealed::Foreign)?;
        let (nonce, body) = sealed.split_at_checked(NONCE_BYTES).ok_or(Unsealed::Foreign)?;
        let payload = Payload { msg: body, aad: about.as_bytes() };
        let opened = self.0.decrypt(XNonce::from_slice(nonce), payload);
        let opened = opened.map_err(|_| Unsealed::Foreign)?;
        let (expiry, value) = opened.split_at_checked(EXPIRY_BYTES).ok_or(Unsealed::Foreign)?;
        let expiry = expiry.try_into().map(u64::from_be_bytes).map_err(|_| Unsealed::Foreign)?;
        if now() > Duration::from_millis(expiry) {
            return Err(Unsealed::Expired);
        }
        serde_json::from_slice(value).map_err(|_| Unsealed::Foreign)
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Whether a secret is what somebody says it is. Digests are compared: how long that takes says
/// nothing about the secret.
pub(super) fn is_same(secret: &str, given: &str) -> bool {
    Sha256::digest(secret) == Sha256::digest(given)
}

/// Fills the bytes. A system without randomness cannot keep a secret, so this does not go on then.
#[allow(clippy::expect_used, reason = "there is nothing safe to do without it")]
pub(super) fn random(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the system has random bytes");
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(60);

    #[test]
    fn what_was_sealed_is_opened_by_whoever_has_the_key() {
        let sealed = Seal::new(Some("k")).seal(&"secret", "alice", TIME, 100).unwrap();
        assert!(!sealed.contains("secret"));
        assert_eq!(Seal::new(Some("k")).open::<String>(&sealed, "alice"), Ok("secret".into()));
        let foreign = Err(Unsealed::Foreign);
        assert_eq!(Seal::new(Some("other")).open::<String>(&sealed, "alice"), foreign);
        assert_eq!(Seal::new(None).open::<String>(&sealed, "alice"), foreign);
        assert_eq!(Seal::new(Some("k")).open::<String>(&sealed, "bob"), foreign);
        assert_eq!(Seal::new(Some("k")).open::<String>("bm90IGl0", "alice"), foreign);
    }

    #[test]
    fn every_changed_character_is_noticed() {
        let seal = Seal::new(None);
        let sealed = seal.seal(&1, "", TIME, 100).unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(seal.open::<u8>(&changed, ""), Err(Unsealed::Foreign), "{at}");
        }
    }

    #[test]
    fn it_expires_and_has_a_size() {
        let seal = Seal::new(None);
        let sealed = seal.seal(&1, "", Duration::ZERO, 100).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(seal.open::<u8>(&sealed, ""), Err(Unsealed::Expired));
        assert_eq!(seal.seal(&"x".repeat(100), "", TIME, 100), None);
    }
}
