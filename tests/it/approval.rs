//! Approvals as a host and a script see them, in both isolations.

use crate::hosts::{Host, ISOLATIONS, block_on, short};
use cofferdam::{
    ApprovalQueue, Decision, Isolation, Outcome, Policy, Report, Scope, Script,
    broker::{QuestionId, State},
};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// A host that asks about all calls but those of `echo`.
async fn asking(isolation: Isolation, queue: &ApprovalQueue) -> Host {
    Host::with(isolation, short(), |builder| {
        let policy = Policy::default().allow("demo_echo").expect("a pattern");
        builder.policy(policy).approver(Arc::new(queue.clone()))
    })
    .await
}

/// Answers the next so many questions.
async fn answer(queue: &ApprovalQueue, answers: impl IntoIterator<Item = Decision>) {
    for decision in answers {
        queue.asked().await;
        let question = queue.open().remove(0);
        assert!(queue.answer(question.id, decision));
        queue.settled(question.id).await;
    }
}

fn no() -> Decision {
    Decision::Deny { reason: "not today".into() }
}

fn states(report: &Report) -> Vec<&'static str> {
    report.ledger.entries().iter().map(|entry| entry.state.as_str()).collect()
}

fn decisions(report: &Report) -> Vec<String> {
    let said = |entry: &cofferdam::broker::Entry| entry.decision.as_ref().map(ToString::to_string);
    report.ledger.entries().iter().map(|entry| said(entry).unwrap_or_default()).collect()
}

#[test]
fn calls_that_wait_are_seen_together_while_others_go_on() {
    block_on(async {
        for isolation in ISOLATIONS {
            let queue = ApprovalQueue::new();
            let host = asking(isolation, &queue).await;
            let script = "
                const asked = [demo_text({ n: 1 }), demo_count({ many: 1 }), demo_strict({ level: 'low' })];
                for (let n = 0; n < 20; n++) await demo_echo({ n });
                console.log('the others are done');
                return (await Promise.allSettled(asked)).map(({ status, reason }) => reason?.message ?? status);";
            let answering = async {
                // All three wait, and all of the others have come through.
                while queue.open().len() < 3 || host.calls() < 20 {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                let open = queue.open();
                let tools: Vec<_> = open.iter().map(|question| &*question.call.tool).collect();
                assert_eq!(tools, ["text", "count", "strict"]);
                let waiting: Vec<_> =
                    open.iter().map(|question| question.call.calls_waiting).collect();
                assert_eq!(waiting, [0, 1, 2]);
                assert_eq!(open[0].call.line, Some(2));
                assert!(queue.answer(open[2].id, Decision::Allow(Scope::Once)));
                assert!(queue.answer(open[0].id, no()));
                assert!(queue.answer(open[1].id, Decision::Allow(Scope::Once)));
            };
            let (report, ()) = tokio::join!(host.sandbox.run(script), answering);
            let value = r#"["denied: not today","fulfilled","fulfilled"]"#.to_owned();
            assert_eq!(report.outcome, Outcome::Completed { value: Some(value) }, "{isolation:?}");
        }
    });
}

#[test]
fn whoever_is_asked_can_stop_the_run() {
    block_on(async {
        for isolation in ISOLATIONS {
            let queue = ApprovalQueue::new();
            let host = asking(isolation, &queue).await;
            let script = "console.log('kept'); demo_sleep({ ms: 60000 });
                try { await demo_text({}); } catch { console.log('it goes on'); }
                await demo_echo({}); console.log('it goes on');";
            let stop = Decision::Stop { reason: "this goes wrong".into() };
            let answers = answer(&queue, [Decision::Allow(Scope::Once), stop]);
            let (report, ()) = tokio::join!(host.sandbox.run(script), answers);
            assert_eq!(report.outcome, Outcome::Cancelled, "{isolation:?}");
            assert_eq!(report.stopped.as_deref(), Some("this goes wrong"));
            assert_eq!(report.to_json()["outcome"]["message"], "this goes wrong");
            assert_eq!(
                report.to_model_text(1000),
                "kept\nThe run was stopped by whoever was asked: this goes wrong\n\
                 Calls made by this run:\n  \
                 #1 demo/sleep: unknown (it was under way; it may have taken effect)\n  \
                 #2 demo/text: refused (cancelled: the run was stopped: this goes wrong)\n"
            );
            assert_eq!(host.calls(), 1);
            assert!(host.sandbox.run("return 1").await.is_completed());
        }
    });
}

#[test]
fn one_denial_more_than_a_run_may_have_ends_it() {
    block_on(async {
        for isolation in ISOLATIONS {
            let host = Host::with(isolation, short(), |builder| builder.denials(3)).await;
            let script = "let caught = 0;
                for (;;) try { await demo_denied({}); } catch (error) { console.log(++caught, error.kind); }";
            let report = host.sandbox.run(script).await;
            let Outcome::LimitExceeded { limit, message, .. } = &report.outcome else {
                panic!("{isolation:?}: {:?}", report.outcome)
            };
            assert_eq!(limit.as_str(), "denials");
            assert_eq!(
                message,
                "more than 3 calls were denied (`denials`), the last: denied by the rule `deny demo_denied`"
            );
            let lines: Vec<_> = report.console.lines.iter().map(|line| &*line.text).collect();
            assert_eq!(lines, ["1 denied", "2 denied", "3 denied"]);
            assert_eq!((states(&report), host.calls()), (vec!["refused"; 4], 0));
        }
    });
}

#[test]
fn a_question_that_nobody_answers_in_time_is_a_denial() {
    block_on(async {
        for isolation in ISOLATIONS {
            let queue = ApprovalQueue::new();
            let host = Host::with(isolation, short(), |builder| {
                let builder = builder.approval_wait(Duration::from_millis(300));
                builder.policy(Policy::default()).approver(Arc::new(queue.clone()))
            })
            .await;
            let script = "try { await demo_echo({}); } catch (error) { return [error.kind, error.message]; }";
            let report = host.sandbox.run(script).await;
            let value = r#"["denied","denied: nobody answered within 300ms (`approval_wait`)"]"#;
            assert_eq!(report.outcome, Outcome::Completed { value: Some(value.into()) });
            assert!(report.usage.waiting >= Duration::from_millis(290), "{:?}", report.usage);
            assert_eq!((queue.open().len(), host.calls()), (0, 0));
        }
    });
}

#[test]
fn a_script_that_gives_a_call_up_takes_its_question_back() {
    block_on(async {
        for isolation in ISOLATIONS {
            let queue = ApprovalQueue::new();
            let host = asking(isolation, &queue).await;
            let script = "const signal = AbortSignal.timeout(300);
                try { await mcp.callTool('demo_text', {}, { signal }); } catch (error) { return error.name; }";
            let watching = async {
                queue.asked().await;
                let question = queue.open().remove(0);
                queue.settled(question.id).await;
                queue.answer(question.id, Decision::Allow(Scope::Session))
            };
            let (report, is_answered) = tokio::join!(host.sandbox.run(script), watching);
            assert!(report.is_completed() && !is_answered, "{isolation:?}: {:?}", report.outcome);
            assert_eq!((states(&report), host.calls()), (vec!["refused"], 0));
            assert!(host.sandbox.grants().is_empty(), "the late answer has granted nothing");
        }
    });
}

#[test]
fn a_run_that_is_cancelled_while_it_waits_takes_its_questions_back() {
    block_on(async {
        for isolation in ISOLATIONS {
            let queue = ApprovalQueue::new();
            let host = asking(isolation, &queue).await;
            let cancel = CancellationToken::new();
            let script = Script::new("await Promise.all([demo_text({}), demo_text({})])");
            let run = host.sandbox.run(script.cancel(cancel.clone()));
            let cancelling = async {
                while queue.open().len() < 2 {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                let ids: Vec<QuestionId> =
                    queue.open().iter().map(|question| question.id).collect();
                cancel.cancel();
                ids
            };
            let (report, ids) = tokio::join!(run, cancelling);
            assert_eq!((&report.outcome, &report.stopped), (&Outcome::Cancelled, &None));
            assert!(ids.iter().all(|id| !queue.is_open(*id)));
            assert_eq!((states(&report), host.calls()), (vec!["refused"; 2], 0));
        }
    });
}

#[test]
fn a_grant_of_the_session_covers_later_runs_until_it_is_revoked() {
    block_on(async {
        let queue = ApprovalQueue::new();
        let host = asking(Isolation::Process, &queue).await;
        let script =
            "try { return (await demo_text({})).text } catch (error) { return error.kind }";
        let session = answer(&queue, [Decision::Allow(Scope::Session)]);
        let (first, ()) = tokio::join!(host.sandbox.run(script), session);
        assert_eq!(decisions(&first), ["approved for the session, grant g1"]);
        let second = host.sandbox.run(script).await;
        assert_eq!(decisions(&second), ["covered by the grant g1 for the session"]);
        let grants = host.sandbox.grants();
        assert_eq!(grants[0].to_string(), "g1: demo/text for the session");
        assert!(host.sandbox.revoke(grants[0].id) && host.sandbox.grants().is_empty());
        let (third, ()) = tokio::join!(host.sandbox.run(script), answer(&queue, [no()]));
        assert!(matches!(third.ledger.entries()[0].state, State::Refused { .. }));
        assert_eq!(
            (third.outcome, host.calls()),
            (Outcome::Completed { value: Some("\"denied\"".into()) }, 2,)
        );
    });
}

#[test]
fn a_grant_of_a_run_under_way_is_listed_and_revoked_by_the_host() {
    block_on(async {
        for isolation in ISOLATIONS {
            let queue = ApprovalQueue::new();
            let host = asking(isolation, &queue).await;
            let script = "await demo_text({}); await demo_text({}); await demo_count({ many: 1 });
                try { await demo_text({}); } catch (error) { return error.kind; }";
            let answering = async {
                answer(&queue, [Decision::Allow(Scope::Run)]).await;
                queue.asked().await;
                let [grant] = host.sandbox.grants().try_into().expect("one grant");
                assert_eq!(grant.to_string(), "g1: demo/text for the run");
                assert!(grant.run.is_some());
                let is_revoked = [grant.id; 2].map(|id| host.sandbox.revoke(id));
                assert_eq!((is_revoked, host.sandbox.grants().len()), ([true, false], 0));
                answer(&queue, [Decision::Allow(Scope::Run), no()]).await;
            };
            let (report, ()) = tokio::join!(host.sandbox.run(script), answering);
            let denied = Outcome::Completed { value: Some("\"denied\"".into()) };
            assert_eq!(report.outcome, denied, "{isolation:?}");
            assert_eq!(
                decisions(&report)[..3],
                [
                    "approved for the run, grant g1",
                    "covered by the grant g1 for the run",
                    "approved for the run, grant g2"
                ]
            );
            assert!(host.sandbox.grants().is_empty(), "what was granted for the run is over");
        }
    });
}
