//! Ctrl-C and SIGTERM: the first asks for an orderly end, the second for an end.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Listens from its creation on.
pub(super) struct Interrupt {
    first: CancellationToken,
    second: CancellationToken,
}

impl Interrupt {
    /// Must be called on a tokio runtime.
    pub(super) fn listen() -> std::io::Result<Self> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let (first, second) = (CancellationToken::new(), CancellationToken::new());
        let told = Self { first: first.clone(), second: second.clone() };
        tokio::spawn(async move {
            for token in [first, second] {
                either(&mut interrupt, &mut terminate).await;
                token.cancel();
            }
        });
        Ok(told)
    }

    /// Cancelled by the first one.
    pub(super) fn token(&self) -> CancellationToken {
        self.first.clone()
    }

    /// Returns at the first one.
    pub(super) async fn first(&self) {
        self.first.cancelled().await;
    }

    /// Returns at the second one.
    pub(super) async fn second(&self) {
        self.second.cancelled().await;
    }

    /// What `work` comes to, or `None` if the first one comes before.
    pub(super) async fn or<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.first.cancelled() => None,
            done = work => Some(done),
        }
    }
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}
