//! The system's keychain: Keychain Services, the Credential Manager, or a Secret Service.
//!
//! All of its functions block, some until somebody has unlocked it, so each is called on a thread of
//! its own. A machine without a keychain is usual (a server, a container) and no failure of ours: the
//! error says what to use instead.

use keyring::{Entry, Error};

use super::CredentialError;

/// One entry.
#[derive(Clone, Debug)]
pub(crate) struct Keychain {
    service: String,
    account: String,
}

impl Keychain {
    pub(crate) fn new(service: &str, account: &str) -> Self {
        Self { service: service.to_owned(), account: account.to_owned() }
    }

    /// Reads what is kept there.
    pub(crate) async fn read(&self) -> Result<Vec<u8>, CredentialError> {
        self.with(|entry| entry.get_secret()).await
    }

    /// Keeps something there.
    pub(crate) async fn write(&self, value: Vec<u8>) -> Result<(), CredentialError> {
        self.with(move |entry| entry.set_secret(&value)).await
    }

    /// Forgets what is kept there.
    pub(crate) async fn delete(&self) -> Result<(), CredentialError> {
        self.with(|entry| entry.delete_credential()).await
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Entry) -> keyring::Result<T> + Send + 'static,
    ) -> Result<T, CredentialError> {
        let Self { service, account } = self.clone();
        let working = tokio::task::spawn_blocking(move || {
            Entry::new(&service, &account).and_then(|entry| work(&entry))
        });
        let error = match working.await {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => error,
            Err(error) => {
                return Err(CredentialError::NoKeychain { problem: error.to_string() });
            }
        };
        Err(match error {
            Error::NoEntry => CredentialError::NotInKeychain {
                service: self.service.clone(),
                account: self.account.clone(),
            },
            error => CredentialError::NoKeychain { problem: problem(&error) },
        })
    }
}

/// What is wrong, in a few words. Some of these errors carry what is kept, which is never shown.
fn problem(error: &Error) -> String {
    match error {
        Error::NoDefaultStore => {
            let why = Entry::store_status().as_ref().err().map(problem).unwrap_or_default();
            format!(
                "there is none here ({why}); on Linux it takes a Secret Service such as GNOME \
                 Keyring or KWallet, and elsewhere `${{file:…}}` or `${{command:…}}`"
            )
        }
        Error::PlatformFailure(cause) | Error::NoStorageAccess(cause) => {
            let text: String = cause.to_string().chars().filter(|c| !c.is_control()).collect();
            text.trim().to_owned()
        }
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "its entry is damaged".to_owned(),
        Error::Ambiguous(_) => "it has several such entries".to_owned(),
        Error::TooLong(what, limit) => format!("its limit for {what} is {limit} characters"),
        Error::Invalid(what, why) => format!("{what} is not usable: {why}"),
        _ => "it does not say why".to_owned(),
    }
}
