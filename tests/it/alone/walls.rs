//! What stands between a script and the machine, as the sandbox reports it, and as it is.

use crate::hosts::{Host, block_on, short};
use cofferdam::{
    Error, Isolation,
    runtime::{StartError, Wall},
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

#[test]
#[ignore = "runs in a process of its own"]
fn a_worker_has_every_wall_and_is_refused_what_it_tries() {
    block_on(async {
        for jitless in [false, true] {
            let host =
                Host::with(Isolation::Process, short(), |b| b.strict(true).jitless(jitless)).await;
            let hardening = host.sandbox.hardening().await.expect("a worker");
            assert_eq!(hardening.missing().count(), 0, "{hardening}");
            assert_eq!(hardening.holds(Wall::NoNewCode), jitless);
            let attempts = host.sandbox.probe().await.expect("a worker");
            assert!(attempts.len() > 15);
            let allowed: Vec<_> = attempts.iter().filter(|attempt| !attempt.refused).collect();
            assert!(allowed.is_empty(), "{allowed:?}");
            assert!(host.sandbox.run("return 1").await.is_completed());
        }
    });
}

#[test]
#[ignore = "runs in a process of its own"]
fn a_thread_has_no_wall_and_strict_refuses_it() {
    block_on(async {
        let host = Host::new(Isolation::Thread, short()).await;
        let hardening = host.sandbox.hardening().await.expect("a worker");
        assert!(!hardening.holds(Wall::Process));
        assert_eq!(hardening.missing().count(), hardening.walls().len());
        assert!(host.sandbox.probe().await.expect("a worker").is_empty());
        let strict = cofferdam::Sandbox::builder().isolation(Isolation::Thread).strict(true);
        let error = strict.build().await.err();
        assert!(matches!(error, Some(Error::Runtime(StartError::NotHardened(_)))), "{error:?}");
    });
}

#[test]
#[ignore = "runs in a process of its own"]
fn what_the_kernel_lacks_is_told_and_strict_refuses_it() {
    // From now on this process and its workers are on a kernel without Landlock.
    let no_landlock = SeccompFilter::new(
        [(libc::SYS_landlock_create_ruleset, vec![])].into(),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
        std::env::consts::ARCH.try_into().expect("a known processor"),
    );
    let no_landlock: BpfProgram = no_landlock.expect("a filter").try_into().expect("a program");
    apply_filter(&no_landlock).expect("it is installed");
    block_on(async {
        let host = Host::new(Isolation::Process, short()).await;
        let hardening = host.sandbox.hardening().await.expect("a worker");
        assert!(!hardening.holds(Wall::Landlock) && hardening.holds(Wall::SystemCalls));
        let missing = hardening.to_string();
        assert!(missing.contains("landlock (this kernel has no Landlock"), "{missing}");
        assert!(host.sandbox.run("return 1").await.is_completed());

        let strict = cofferdam::Sandbox::builder()
            .worker_program(cofferdam::WorkerProgram::At(env!("CARGO_BIN_EXE_cofferdam").into()))
            .strict(true);
        let error = strict.build().await.err();
        assert!(matches!(error, Some(Error::Runtime(StartError::NotHardened(_)))), "{error:?}");
    });
}
