//! Where logins are kept: a folder that only its owner can enter, with a file for each server; if the
//! user wants it so, the file only says that the login is in the system's keychain.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::record::Record;
use crate::credential::{CredentialError, Keychain};

/// The service of our entries in the keychain.
const SERVICE: &str = "cofferdam";
/// No login is larger.
const RECORD_BYTES: u64 = 1024 * 1024;

/// The place of all logins.
#[derive(Clone, Debug)]
pub struct TokenStore {
    folder: PathBuf,
}

/// Why a login cannot be kept or found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file.
    #[error("the logins in {} cannot be used: {problem}", folder.display())]
    Folder {
        /// Where they are.
        folder: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// The keychain.
    #[error(transparent)]
    Keychain(#[from] CredentialError),
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Content {
    Login(Box<Record>),
    InKeychain,
}

impl TokenStore {
    /// A store in a folder, which is made when the first login is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The file of a server. Its name tells nothing of the URL, which may be a secret.
    pub(super) fn path(&self, resource: &str) -> PathBuf {
        self.folder.join(format!("{}.json", name(resource)))
    }

    fn failed(&self, error: impl ToString) -> StoreError {
        StoreError::Folder { folder: self.folder.clone(), problem: error.to_string() }
    }

    /// The login at a server, if there is one.
    pub(super) async fn load(&self, resource: &str) -> Result<Option<Record>, StoreError> {
        let content = match read(&self.path(resource)) {
            Ok(None) => return Ok(None),
            Ok(Some(bytes)) => serde_json::from_slice(&bytes),
            Err(error) => return Err(self.failed(error)),
        };
        let damaged = || self.failed("a file is damaged; log in again");
        let record = match content.map_err(|_| damaged())? {
            Content::Login(record) => *record,
            Content::InKeychain => match keychain(resource).read().await {
                Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| damaged())?,
                Err(CredentialError::NotInKeychain { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            },
        };
        Ok(Some(record).filter(|record| record.resource == resource))
    }

    /// Keeps a login where the one before it was, or where it is wanted.
    pub(super) async fn save(
        &self,
        record: &Record,
        into_keychain: Option<bool>,
    ) -> Result<(), StoreError> {
        let path = self.path(&record.resource);
        let is_there = || {
            let bytes = read(&path).ok().flatten()?;
            Some(matches!(serde_json::from_slice(&bytes).ok()?, Content::InKeychain))
        };
        let content = match into_keychain.or_else(is_there).unwrap_or(false) {
            false => Content::Login(Box::new(record.clone())),
            true => {
                let bytes = serde_json::to_vec(record).map_err(|error| self.failed(error))?;
                keychain(&record.resource).write(bytes).await?;
                Content::InKeychain
            }
        };
        let bytes = serde_json::to_vec(&content).map_err(|error| self.failed(error))?;
        self.write(&path, &bytes).map_err(|error| self.failed(error))
    }

    /// Forgets a login. Whether there was one.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub async fn forget(&self, url: &str) -> Result<bool, StoreError> {
        let resource = canonical(url).unwrap_or_else(|| url.to_owned());
        let path = self.path(&resource);
        let Some(bytes) = read(&path).map_err(|error| self.failed(error))? else {
            return Ok(false);
        };
        if matches!(serde_json::from_slice(&bytes), Ok(Content::InKeychain)) {
            match keychain(&resource).delete().await {
                Ok(()) | Err(CredentialError::NotInKeychain { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        fs::remove_file(&path).map_err(|error| self.failed(error))?;
        let _ = fs::remove_file(path.with_extension("lock"));
        Ok(true)
    }

    /// Waits until no other process works on the login.
    pub(super) fn lock(&self, resource: &str) -> io::Result<File> {
        self.make_folder()?;
        let file = private(File::options().create(true).truncate(false).write(true))
            .open(self.path(resource).with_extension("lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn make_folder(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        // It may have been there before.
        fs::set_permissions(&self.folder, fs::Permissions::from_mode(0o700))
    }

    /// Writes a file as a whole or not at all. The temporary file is its owner's from the start.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.make_folder()?;
        let mut file = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(&self.folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn private(options: &mut fs::OpenOptions) -> &mut fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(RECORD_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn keychain(resource: &str) -> Keychain {
    Keychain::new(SERVICE, &name(resource))
}

fn name(resource: &str) -> String {
    let digest = Sha256::digest(resource.as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// A URL as it is compared with others.
pub(super) fn canonical(url: &str) -> Option<String> {
    let mut url = url::Url::parse(url).ok()?;
    url.set_fragment(None);
    Some(url.into())
}
