//! No server outlives us, however we end.
//!
//! A host that is killed cannot end its servers, and those that do not care about the end of their
//! input would go on for ever. So a shell waits beside us: it reads the process groups of our servers
//! from a pipe that only we hold the other end of, and when that pipe breaks, for whatever reason,
//! it ends those that are left. There is one per process, from the first server on.
//!
//! Linux can do this by itself (`PR_SET_PDEATHSIG`), but binds it to the thread that started the
//! server rather than to the process, and the threads of an asynchronous runtime come and go.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use nix::unistd::Pid;

/// Keeps a list; when its input ends, asks those on it to end, and shortly after leaves no choice.
/// A signal meant for us, such as Ctrl-C, must not end it before us.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
left=' '
while read -r what group; do
  case $what in
    add) left="$left$group " ;;
    del) case $left in *" $group "*) left="${left%% $group *} ${left#* $group }" ;; esac ;;
  esac
done
[ -n "${left# }" ] || exit 0
for group in $left; do kill -s TERM -- "-$group"; done
sleep 2
for group in $left; do kill -s KILL -- "-$group"; done
"#;

static WARDEN: Mutex<Option<ChildStdin>> = Mutex::new(None);

/// Ends the group when we end.
pub(super) fn add(group: Pid) {
    let mut warden = WARDEN.lock().unwrap_or_else(PoisonError::into_inner);
    if warden.is_none() {
        match start() {
            Ok(stdin) => *warden = Some(stdin),
            Err(error) => {
                tracing::warn!(%error, "no shell: servers may outlive a host that is killed");
            }
        }
    }
    tell(&mut warden, "add", group);
}

/// The group has ended; its number may belong to somebody else soon.
pub(super) fn remove(group: Pid) {
    let mut warden = WARDEN.lock().unwrap_or_else(PoisonError::into_inner);
    tell(&mut warden, "del", group);
}

fn tell(warden: &mut Option<ChildStdin>, what: &str, group: Pid) {
    if let Some(stdin) = warden
        && writeln!(stdin, "{what} {group}").is_err()
    {
        // Somebody killed it. The next server gets a new one.
        *warden = None;
    }
}

fn start() -> std::io::Result<ChildStdin> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT]).env_clear().env("PATH", "/usr/bin:/bin").current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut shell = command.spawn()?;
    // Nobody waits for it: it ends after us.
    shell.stdin.take().ok_or_else(|| std::io::ErrorKind::BrokenPipe.into())
}
