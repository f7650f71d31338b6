//! The two filters of the kernel: Landlock for what can be named, seccomp for what can be asked.

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetError,
    RulesetStatus, Scope,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, apply_filter_all_threads,
};
use std::collections::BTreeMap;

/// Why Landlock does not hold all of its part.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unlocked {
    #[error("this kernel has no Landlock, or has it switched off")]
    Absent,
    #[error("this kernel's Landlock is older than what is asked of it: {0:?}")]
    Partly(LandlockStatus),
    #[error("Landlock could not be set up: {0}")]
    Ruleset(#[from] RulesetError),
}

/// Every access handled, none granted; what the kernel does not know is left out.
pub(super) fn no_files_no_network() -> Result<(), Unlocked> {
    let newest = ABI::V6;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(newest))?
        .handle_access(AccessNet::from_all(newest))?
        .scope(Scope::from_all(newest))?
        .create()?
        .restrict_self()?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(()),
        RulesetStatus::PartiallyEnforced => Err(Unlocked::Partly(status.landlock)),
        RulesetStatus::NotEnforced => Err(Unlocked::Absent),
    }
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
    // Memory; see below for mappings.
    libc::SYS_munmap,
    libc::SYS_mremap,
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

/// V8 compiles, so pages have to become executable, unless it was told not to.
const MAPS: &[libc::c_long] = &[libc::SYS_mmap, libc::SYS_mprotect, libc::SYS_pkey_mprotect];

#[derive(Debug, thiserror::Error)]
pub(super) enum Unsealed {
    #[error("the filter of system calls could not be made: {0}")]
    Filter(#[from] BackendError),
    #[error("the filter of system calls could not be installed: {0}")]
    Install(#[from] seccompiler::Error),
}

/// Two filters; the stricter answer counts. The first lets the C library fall back from `clone3`,
/// whose flags no filter can see, to `clone`.
pub(super) fn few_system_calls(no_new_code: bool) -> Result<(), Unsealed> {
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
    // Its own limits: hard ones only go down, since it has no capabilities.
    rules.insert(libc::SYS_prlimit64, vec![argument(0, SeccompCmpOp::Eq, 0)?]);
    for call in MAPS {
        let executable = libc::PROT_EXEC as u64;
        let rule = match no_new_code {
            true => vec![argument(2, SeccompCmpOp::MaskedEq(executable), 0)?],
            false => vec![],
        };
        rules.insert(*call, rule);
    }
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
