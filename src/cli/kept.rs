//! Outputs that were too long for the model, kept so that the rest can be read.
//!
//! One file for each run, readable by its user alone, in the program's folder of the user's state
//! directory. What is in them was filtered like what was printed. The oldest go when there are too
//! many or when they take too much room.

use anyhow::{Context, bail};
use std::fs::{self, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Outputs that are kept.
const MOST: usize = 50;
/// All of them together.
const MOST_BYTES: u64 = 64 << 20;

/// The folder of kept outputs.
pub(super) struct Kept(PathBuf);

impl Kept {
    /// The user's; `None` on a system that has no place for it.
    pub(super) fn of_user() -> Option<Self> {
        let directories = directories::ProjectDirs::from("", "", "cofferdam")?;
        let state = directories.state_dir().unwrap_or_else(|| directories.data_local_dir());
        Some(Self(state.join("outputs")))
    }

    /// A name that no output has yet.
    pub(super) fn new_id() -> String {
        let random = RandomState::new().hash_one(SystemTime::now());
        format!("{:012x}", random & 0xffff_ffff_ffff)
    }

    /// Keeps an output.
    pub(super) fn keep(&self, id: &str, text: &str) -> anyhow::Result<()> {
        fs::create_dir_all(&self.0)?;
        private(&self.0, 0o700)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(self.file(id)?)?.write_all(text.as_bytes())?;
        self.make_room();
        Ok(())
    }

    /// A kept output.
    pub(super) fn read(&self, id: &str) -> anyhow::Result<String> {
        let file = self.file(id)?;
        fs::read_to_string(file).with_context(|| {
            format!("there is no kept output `{id}`; the last {MOST} that were cut are kept")
        })
    }

    /// Where it is, if that can be the id of one: it comes from a command line that a model may have
    /// written.
    fn file(&self, id: &str) -> anyhow::Result<PathBuf> {
        if id.len() != 12 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            bail!(
                "`{}` is not the id of an output, which has 12 digits",
                super::visible::first_line(id, 40)
            );
        }
        Ok(self.0.join(format!("{id}.txt")))
    }

    /// Removes the oldest until there are not too many. Somebody else may do the same.
    fn make_room(&self) {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = fs::read_dir(&self.0)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
                Some((about.modified().ok()?, about.len(), entry.path()))
            })
            .collect();
        files.sort_by(|a, b| b.cmp(a));
        let mut bytes = 0;
        for (index, (_, size, path)) in files.iter().enumerate() {
            bytes += size;
            // The newest stays, however large.
            if index > 0 && (index >= MOST || bytes > MOST_BYTES) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

#[cfg(unix)]
fn private(path: &Path, mode: u32) -> std::io::Result<()> {
    fs::set_permissions(path, <Permissions as std::os::unix::fs::PermissionsExt>::from_mode(mode))
}

#[cfg(not(unix))]
fn private(_: &Path, _: u32) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn the_newest_are_kept_for_their_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept(folder.path().join("outputs"));
        let ids: Vec<_> = (0..MOST + 5).map(|n| format!("{n:012x}")).collect();
        let old = SystemTime::now() - std::time::Duration::from_secs(3600);
        for (index, id) in ids.iter().enumerate() {
            kept.keep(id, &format!("output {id}")).unwrap();
            let file = fs::File::options().write(true).open(kept.file(id).unwrap()).unwrap();
            file.set_modified(old + std::time::Duration::from_secs(index as u64)).unwrap();
        }
        kept.keep(&Kept::new_id(), "last").unwrap();
        assert!(kept.read(&ids[0]).unwrap_err().to_string().contains("no kept output"));
        assert_eq!(kept.read(&ids[MOST + 4]).unwrap(), format!("output {}", ids[MOST + 4]));
        assert_eq!(fs::read_dir(&kept.0).unwrap().count(), MOST);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&kept.file(&ids[MOST + 4]).unwrap()), 0o600);
            assert_eq!(mode(&kept.0), 0o700);
        }
    }

    #[test]
    fn an_id_is_no_path() {
        let kept = Kept(PathBuf::from("/nowhere"));
        for id in ["../../../etc/passwd", "", "a/b", "12345678901g", "\x1b[2J123456789"] {
            let error = kept.read(id).unwrap_err().to_string();
            assert!(error.contains("is not the id") && !error.contains('\x1b'), "{error}");
        }
    }
}
