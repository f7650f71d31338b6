//! A connection that never repeats the credentials of its server.
//!
//! What a server says of itself is read by people and by scripts: the message of an error, the last
//! lines of a standard error. A server that puts its own token there must not get it shown.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::watch;

use super::notices::Heard;
use super::{Connection, Peer, Raw, SendError, ToolCall};
use crate::secret::Hidden;

/// A connection and what must not be shown of it.
pub(crate) struct Discreet {
    inner: Arc<dyn Connection>,
    secrets: Hidden,
}

impl Discreet {
    pub(crate) fn wrap(inner: Arc<dyn Connection>, secrets: Hidden) -> Arc<dyn Connection> {
        Arc::new(Self { inner, secrets })
    }

    fn hide(&self, text: String) -> String {
        self.secrets.hide(&text)
    }

    fn discreetly(&self, error: SendError) -> SendError {
        match error {
            SendError::Rpc { code, message } => {
                SendError::Rpc { code, message: self.hide(message) }
            }
            SendError::Unreachable { detail } => {
                SendError::Unreachable { detail: self.hide(detail) }
            }
            SendError::Gone { detail } => SendError::Gone { detail: self.hide(detail) },
            SendError::Refused { detail } => SendError::Refused { detail: self.hide(detail) },
            SendError::Odd { detail } => SendError::Odd { detail: self.hide(detail) },
            SendError::TooLarge { limit } => SendError::TooLarge { limit },
        }
    }
}

#[async_trait]
impl Connection for Discreet {
    fn peer(&self) -> &Peer {
        self.inner.peer()
    }

    async fn tools_page(&self, cursor: Option<&str>) -> Result<Value, SendError> {
        self.inner.tools_page(cursor).await.map_err(|error| self.discreetly(error))
    }

    async fn call(&self, call: ToolCall) -> Result<Raw, SendError> {
        self.inner.call(call).await.map_err(|error| self.discreetly(error))
    }

    fn heard(&self) -> Option<watch::Receiver<Heard>> {
        self.inner.heard()
    }

    fn stderr(&self) -> Option<String> {
        self.inner.stderr().map(|text| self.hide(text))
    }

    async fn epitaph(&self) -> String {
        self.hide(self.inner.epitaph().await)
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
