//! Tries, in a sealed worker, what a script that has taken over V8 would try: raw system calls.
//!
//! The host asks for it, never a script. Nothing here has an effect outside of the worker, even if
//! it is allowed.

use crate::hardening::Attempt;
use std::io;

/// Every attempt and whether it was refused.
pub(crate) fn probe() -> Vec<Attempt> {
    // SAFETY: has no preconditions.
    let host = libc::c_long::from(unsafe { libc::getppid() });
    let path = |path: &'static std::ffi::CStr| path.as_ptr() as libc::c_long;
    let here = libc::c_long::from(libc::AT_FDCWD);
    let stream = libc::c_long::from(libc::SOCK_STREAM);
    let mut attempts: Vec<_> = [
        ("open a file", libc::SYS_openat, [here, path(c"/etc/passwd"), 0]),
        ("open a folder", libc::SYS_openat, [here, path(c"/"), 0]),
        // Not a program that exists: if this were allowed, nobody would be left to tell.
        ("run a program", libc::SYS_execve, [path(c"/no-such-program"), 0, 0]),
        ("make an internet socket", libc::SYS_socket, [libc::AF_INET.into(), stream, 0]),
        ("make a local socket", libc::SYS_socket, [libc::AF_UNIX.into(), stream, 0]),
        ("signal the host", libc::SYS_kill, [host, 0, 0]),
        ("trace the host", libc::SYS_ptrace, [libc::PTRACE_ATTACH.into(), host, 0]),
        ("read the host's memory", libc::SYS_process_vm_readv, [host, 0, 0]),
        ("make a file in memory", libc::SYS_memfd_create, [path(c"probe"), 0, 0]),
        ("control a device", libc::SYS_ioctl, [0, 0, 0]),
        ("enter namespaces", libc::SYS_unshare, [libc::CLONE_NEWUSER.into(), 0, 0]),
        ("mount a file system", libc::SYS_mount, [0, 0, 0]),
        ("load a program into the kernel", libc::SYS_bpf, [0, 0, 0]),
        ("use io_uring", libc::SYS_io_uring_setup, [0, 0, 0]),
        ("watch performance counters", libc::SYS_perf_event_open, [0, 0, 0]),
        ("handle page faults", libc::SYS_userfaultfd, [0, 0, 0]),
        ("read keys", libc::SYS_keyctl, [0, 0, 0]),
    ]
    .map(|(what, number, [a, b, c])| {
        // SAFETY: each call gets numbers, null, or a C string where the kernel expects one.
        let result = unsafe { libc::syscall(number, a, b, c, 0_usize, 0_usize, 0_usize) };
        Attempt {
            what: what.to_owned(),
            refused: result < 0 && is_refusal(&io::Error::last_os_error()),
        }
    })
    .into();
    attempts.push(start_a_process());
    attempts
}

fn start_a_process() -> Attempt {
    // SAFETY: the child, if there is one, has a copy of everything and leaves at once.
    let child = unsafe { libc::fork() };
    let refused = child < 0 && is_refusal(&io::Error::last_os_error());
    if child == 0 {
        // SAFETY: ends this process without running anything of it.
        unsafe { libc::_exit(0) }
    }
    Attempt { what: "start a process".into(), refused }
}

/// The answers of the two filters. A call that the kernel does not have is as good.
fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES | libc::ENOSYS))
}
