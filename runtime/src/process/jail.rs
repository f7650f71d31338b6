//! What a worker gives up, so that code which has taken over V8 has still gained nothing.
//!
//! Twice: [`enter`] before the process has threads, [`seal`] when everything that needs files or
//! new memory mappings of odd kinds is done and before the first word of a script is read. Landlock
//! and seccomp are held as far as the kernel has them.
#![allow(unsafe_code, reason = "giving rights up takes system calls")]

use std::io;

/// Gives up descriptors, files, the network, core files and new privileges, and ties the process's
/// life to the host's. Must run before the process has other threads.
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
    limit(libc::RLIMIT_FSIZE, 0)?;
    remember_time_zone();
    linux::no_files_no_network().map_err(io::Error::other)
}

/// Allows only the system calls that V8, the allocator and the socket need from now on, in all
/// threads.
#[cfg(target_os = "linux")]
pub(super) fn seal() -> io::Result<()> {
    linux::few_system_calls().map_err(io::Error::other)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn enter() -> io::Result<()> {
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_FSIZE, 0)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn seal() -> io::Result<()> {
    Ok(())
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

#[cfg(target_os = "linux")]
mod linux {
    use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetError, Scope};
    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
        SeccompFilter, SeccompRule, apply_filter_all_threads,
    };
    use std::collections::BTreeMap;

    /// Landlock: every access handled, none granted; what the kernel does not know is left out.
    pub(super) fn no_files_no_network() -> Result<(), RulesetError> {
        let newest = ABI::V6;
        Ruleset::default()
            .handle_access(AccessFs::from_all(newest))?
            .handle_access(AccessNet::from_all(newest))?
            .scope(Scope::from_all(newest))?
            .create()?
            .restrict_self()?;
        Ok(())
    }

    /// What a worker does once it is warm.
    const ALLOWED: &[libc::c_long] = &[
        // The socket.
        libc::SYS_recvfrom,
        libc::SYS_sendto,
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_close,
        // The event loop.
        libc::SYS_epoll_pwait,
        libc::SYS_epoll_ctl,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait,
        // Memory. V8 compiles, so pages have to become executable.
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_pkey_mprotect,
        libc::SYS_madvise,
        libc::SYS_brk,
        // Threads and time.
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_nanosleep,
        libc::SYS_clock_nanosleep,
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_gettimeofday,
        libc::SYS_set_robust_list,
        libc::SYS_rseq,
        libc::SYS_gettid,
        libc::SYS_getpid,
        libc::SYS_prctl,
        libc::SYS_getrandom,
        libc::SYS_getrusage,
        // Signals: only to itself, see below for tgkill.
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_restart_syscall,
    ];

    #[derive(Debug, thiserror::Error)]
    pub(super) enum Unsealed {
        #[error("the filter of system calls could not be made")]
        Filter(#[from] BackendError),
        #[error("the filter of system calls could not be installed")]
        Install(#[from] seccompiler::Error),
    }

    /// Two filters; the stricter answer counts. The first lets the C library fall back from
    /// `clone3`, whose flags no filter can see, to `clone`.
    pub(super) fn few_system_calls() -> Result<(), Unsealed> {
        let arch = std::env::consts::ARCH.try_into()?;
        let no_clone3 = SeccompFilter::new(
            BTreeMap::from([(libc::SYS_clone3, vec![])]),
            SeccompAction::Allow,
            SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
            arch,
        )?;
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            ALLOWED.iter().map(|call| (*call, vec![])).collect();
        rules.insert(libc::SYS_clone3, vec![]);
        // A thread, not a process.
        let thread = libc::CLONE_THREAD as u64;
        rules.insert(libc::SYS_clone, vec![argument(0, SeccompCmpOp::MaskedEq(thread), thread)?]);
        // `abort` signals its own process.
        let ourselves = u64::from(std::process::id());
        rules.insert(libc::SYS_tgkill, vec![argument(0, SeccompCmpOp::Eq, ourselves)?]);
        let allow_list = SeccompFilter::new(
            rules,
            SeccompAction::Errno(libc::EPERM.unsigned_abs()),
            SeccompAction::Allow,
            arch,
        )?;
        for filter in [no_clone3, allow_list] {
            let program: BpfProgram = filter.try_into()?;
            apply_filter_all_threads(&program)?;
        }
        Ok(())
    }

    fn argument(index: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
        let condition = SeccompCondition::new(index, SeccompCmpArgLen::Qword, is, value)?;
        SeccompRule::new(vec![condition])
    }
}
