//! What a worker gives up before it does anything else.
#![allow(unsafe_code, reason = "giving rights up takes system calls")]

use std::io;

/// Gives up descriptors, limits and rights. Must run before the process has other threads.
#[cfg(target_os = "linux")]
pub(super) fn enter() -> io::Result<()> {
    // A host that opens files without close-on-exec has handed them to us. Kernels before 5.9 do
    // not know the call; there, such a host keeps its leak.
    // SAFETY: this process has not opened anything yet, so nothing of ours is closed.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
    // The worker ends when the thread that started it does, however that ends.
    prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)?;
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1)?;
    // No process of the same user reads its memory.
    prctl(libc::PR_SET_DUMPABLE, 0)?;
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_FSIZE, 0)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn enter() -> io::Result<()> {
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_FSIZE, 0)
}

#[cfg(target_os = "linux")]
fn prctl(option: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the options used here take a number, no pointer.
    let failed = unsafe { libc::prctl(option, value, 0, 0, 0) };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(target_os = "linux")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_os = "linux"))]
type Resource = libc::c_int;

fn limit(resource: Resource, value: libc::rlim_t) -> io::Result<()> {
    let bound = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the pointer is valid for reading one rlimit.
    let failed = unsafe { libc::setrlimit(resource, &raw const bound) };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
