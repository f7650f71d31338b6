//! A credential in a file of its own, as container platforms mount them.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use super::{BYTES, CredentialError};

/// Reads the file, and a little more than it may have if it has too much.
pub(super) async fn read(path: PathBuf) -> Result<Vec<u8>, CredentialError> {
    let failed = {
        let path = path.clone();
        move |problem: String| CredentialError::File { path, problem }
    };
    let reading = tokio::task::spawn_blocking(move || {
        let file = File::open(path)?;
        // A device may never end, and a pipe may never begin.
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match reading.await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}
