//! What a worker gives up, so that code which has taken over V8 has still gained nothing.
//!
//! Twice: [`enter`] before the process has threads, [`seal`] when everything that needs files or
//! new memory mappings of odd kinds is done and before the first word of a script is read. What
//! the kernel does not have is noted as missing; whether that is good enough is the host's to say.
#![allow(unsafe_code, reason = "giving rights up takes system calls")]

#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod probe;

use crate::hardening::{Hardening, Wall};
use std::io;

#[cfg(target_os = "linux")]
pub(super) use probe::probe;

/// What a host may choose about its workers. Known before anything else, so it is in the
/// arguments of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// V8 makes no machine code.
    pub(crate) jitless: bool,
    /// Namespaces of its own.
    pub(crate) namespaces: bool,
}

impl Options {
    const JITLESS: &str = "--jitless";
    const NAMESPACES: &str = "--namespaces";

    /// The arguments that say so.
    pub(super) fn arguments(self) -> impl Iterator<Item = &'static str> {
        let chosen = [(self.jitless, Self::JITLESS), (self.namespaces, Self::NAMESPACES)];
        chosen.into_iter().filter_map(|(is_chosen, name)| is_chosen.then_some(name))
    }

    /// Those of this process.
    pub(super) fn of_this_process() -> Self {
        let mut options = Self::default();
        for argument in std::env::args_os().skip(2) {
            options.jitless |= argument == Self::JITLESS;
            options.namespaces |= argument == Self::NAMESPACES;
        }
        options
    }
}

/// Descriptors that a worker may have open: the socket and its copy, the null device, and what the
/// event loop needs.
const DESCRIPTORS: libc::rlim_t = 32;

/// What a worker has mapped on top of what it uses: stacks of threads, V8's code range, room that
/// its allocators hold ready.
const MAPPED_AHEAD_BYTES: usize = 512 << 20;

/// Gives up descriptors, files, the network, core files and privileges, and ties the process's
/// life to the host's. Must run before the process has other threads.
#[cfg(target_os = "linux")]
pub(super) fn enter(options: Options) -> Hardening {
    let mut hardening = Hardening::default();
    hardening.has(Wall::Process);
    if options.namespaces {
        // First: a new user namespace forgets who is to be killed with whom.
        hardening.note(Wall::Namespaces, own_namespaces());
    }
    hardening.note(Wall::Empty, close_what_was_left_open());
    hardening.note(Wall::Privileges, give_up_privileges());
    hardening.note(Wall::ResourceLimits, bound_resources());
    remember_time_zone();
    hardening.note(Wall::Landlock, filter::no_files_no_network());
    hardening
}

/// Allows only the system calls that V8, the allocator and the socket need from now on, in all
/// threads.
#[cfg(target_os = "linux")]
pub(super) fn seal(options: Options, hardening: &mut Hardening) {
    let sealed = filter::few_system_calls(options.jitless).map_err(|error| error.to_string());
    if options.jitless {
        hardening.note(Wall::NoNewCode, sealed.clone());
    }
    hardening.note(Wall::SystemCalls, sealed);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn enter(_options: Options) -> Hardening {
    const NOT_HERE: &str = "not available on this system";
    let mut hardening = Hardening::default();
    hardening.has(Wall::Process);
    let bounded =
        limit(libc::RLIMIT_CORE, 0).and_then(|()| limit(libc::RLIMIT_FSIZE, 0)).map(|()| {
            // There is no tie between the lives of two processes here.
            "only core files and written files are bounded"
        });
    hardening.lacks(Wall::ResourceLimits, bounded.unwrap_or(NOT_HERE));
    for wall in [Wall::Empty, Wall::Privileges, Wall::Landlock, Wall::SystemCalls] {
        hardening.lacks(wall, NOT_HERE);
    }
    hardening
}

#[cfg(not(target_os = "linux"))]
pub(super) fn seal(_options: Options, _hardening: &mut Hardening) {}

#[cfg(not(target_os = "linux"))]
pub(super) fn probe() -> Vec<crate::hardening::Attempt> {
    Vec::new()
}

/// Lets the kernel refuse memory when a script takes it faster than the host looks.
pub(super) fn bound_data(resident_bytes: usize) {
    let bytes = resident_bytes.saturating_add(MAPPED_AHEAD_BYTES);
    // A second bound behind the host's; without it, the host's still holds.
    let _ = limit(libc::RLIMIT_DATA, bytes as libc::rlim_t);
}

/// Lets the kernel end the process when it has used `seconds` more of CPU time than now, in case
/// the host does not.
#[cfg(target_os = "linux")]
pub(super) fn bound_cpu(more: std::time::Duration) {
    // SAFETY: all-zero is a valid rusage; the call fills it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for one rusage.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    let used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    let bound = libc::rlimit {
        // The next whole second, and one for the host to be first.
        rlim_cur: used.unsigned_abs().saturating_add(more.as_secs()).saturating_add(3),
        // The next run has its own bound.
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the pointer is valid for reading one rlimit. A failure leaves the host's clock.
    unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const bound) };
}

#[cfg(not(target_os = "linux"))]
pub(super) fn bound_cpu(_more: std::time::Duration) {}

/// A host that opens files without close-on-exec has handed them to us.
#[cfg(target_os = "linux")]
fn close_what_was_left_open() -> io::Result<()> {
    // SAFETY: this process has not opened anything yet, so nothing of ours is closed.
    check(unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) })
}

#[cfg(target_os = "linux")]
fn give_up_privileges() -> io::Result<()> {
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1)?;
    drop_capabilities()?;
    // No process of the same user reads its memory.
    prctl(libc::PR_SET_DUMPABLE, 0)
}

/// For a host that runs as the superuser.
#[cfg(target_os = "linux")]
fn drop_capabilities() -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: libc::c_int,
    }
    /// `_LINUX_CAPABILITY_VERSION_3`, whose sets are two times three words.
    const VERSION: u32 = 0x2008_0522;
    let header = Header { version: VERSION, pid: 0 };
    let none = [0_u32; 6];
    // SAFETY: the pointers are to a header and to the sets that this version has.
    check(unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) })
}

#[cfg(target_os = "linux")]
fn bound_resources() -> io::Result<()> {
    // The worker ends when the thread that started it does, however that ends.
    prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)?;
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_FSIZE, 0)?;
    limit(libc::RLIMIT_NOFILE, DESCRIPTORS)
}

#[cfg(target_os = "linux")]
fn own_namespaces() -> io::Result<()> {
    // SAFETY: takes flags only, and there is only this thread yet.
    let failed =
        unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWIPC) };
    check(failed.into())
}

/// V8 asks the system for the time zone when a script first wants to know; by then the file is out
/// of reach. It asks the environment before.
#[cfg(target_os = "linux")]
fn remember_time_zone() {
    let link = std::fs::read_link("/etc/localtime").unwrap_or_default();
    let zone = link.to_str().and_then(|link| link.split_once("zoneinfo/"));
    let zone = zone.map_or("UTC", |(_, zone)| zone);
    // SAFETY: there are no other threads that could read the environment meanwhile.
    unsafe { std::env::set_var("TZ", zone) };
}

#[cfg(target_os = "linux")]
fn prctl(option: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the options used here take a number, no pointer.
    check(unsafe { libc::prctl(option, value, 0, 0, 0) }.into())
}

#[cfg(target_os = "linux")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_os = "linux"))]
type Resource = libc::c_int;

fn limit(resource: Resource, value: libc::rlim_t) -> io::Result<()> {
    let bound = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the pointer is valid for reading one rlimit.
    check(unsafe { libc::setrlimit(resource, &raw const bound) }.into())
}

/// The C convention for failures.
fn check(failed: libc::c_long) -> io::Result<()> {
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
