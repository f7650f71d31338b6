//! The turns of a run: results, timers and promises, until the script has ended.

use super::{
    door::{CallEnd, RunDoor},
    realm::Realm,
};
use crate::{
    frame::HostFrame,
    host::{Failure, Reply},
};
use deno_core::{PollEventLoopOptions, v8};
use futures::{Stream, StreamExt};
use std::{
    future::{poll_fn, ready},
    pin::pin,
    task::{Context, Poll},
};

/// Why there is no further turn.
pub(super) enum Last {
    /// The script's promise has settled, and no call is under way.
    Settled,
    /// An error that nothing caught, as JSON text.
    Failed(String),
    /// The script waits, and nothing can happen any more.
    Stuck,
    /// Stopped from outside.
    Stopped,
    /// V8 was interrupted; who did it knows why.
    Interrupted,
}

enum Next {
    Result(CallEnd),
    Last(Last),
}

/// Takes turns until the script has ended. `frames` brings the results of its calls.
pub(super) async fn take(
    realm: &mut Realm,
    door: &RunDoor,
    promise: &v8::Global<v8::Promise>,
    frames: impl Stream<Item = HostFrame>,
) -> Last {
    let mut frames = pin!(frames);
    // A result that has to wait for timers whose time comes before it, in a run with a fixed clock.
    let mut held: Option<(u32, Result<Reply, Failure>, u64)> = None;
    loop {
        let is_held = held.is_some();
        let turn = poll_fn(|context| poll_turn(realm, door, promise, context));
        let done = tokio::select! {
            biased;
            next = turn => match next {
                Next::Result(end) => realm.settle(end),
                Next::Last(last) => return last,
            },
            frame = frames.next(), if !is_held => match frame {
                Some(HostFrame::CallResult { id, result, time: Some(time) }) => {
                    held = Some((id, result, time));
                    Ok(())
                }
                Some(HostFrame::CallResult { id, result, time: None }) => {
                    door.deliver(id, result);
                    Ok(())
                }
                _ => return Last::Stopped,
            },
            () = ready(()), if is_held => match held.take() {
                Some(early) if door.has_alarm_before(early.2) => {
                    held = Some(early);
                    door.ring();
                    realm.tick()
                }
                Some((id, result, time)) => {
                    door.advance(time);
                    door.deliver(id, result);
                    Ok(())
                }
                None => Ok(()),
            },
            () = alarm(door) => {
                door.ring();
                realm.tick()
            }
        };
        if done.is_err() {
            return door.failure().map_or(Last::Interrupted, Last::Failed);
        }
    }
}

/// Lets V8 do what it has to do, and tells what to do next.
fn poll_turn(
    realm: &mut Realm,
    door: &RunDoor,
    promise: &v8::Global<v8::Promise>,
    context: &mut Context<'_>,
) -> Poll<Next> {
    let polled = realm.runtime.poll_event_loop(context, PollEventLoopOptions::default());
    if let Some(error) = door.failure() {
        return Poll::Ready(Next::Last(Last::Failed(error)));
    }
    if let Poll::Ready(Err(_termination)) = polled {
        return Poll::Ready(Next::Last(Last::Interrupted));
    }
    let state = realm.state(promise);
    // After an error nothing is waited for.
    if state == v8::PromiseState::Rejected {
        return Poll::Ready(Next::Last(Last::Settled));
    }
    if let Some(end) = door.next_result() {
        return Poll::Ready(Next::Result(end));
    }
    // Calls that were not awaited are waited for; timers are not.
    let is_idle = door.is_idle();
    match state {
        v8::PromiseState::Pending if is_idle && door.alarm().is_none() && polled.is_ready() => {
            Poll::Ready(Next::Last(Last::Stuck))
        }
        v8::PromiseState::Fulfilled if is_idle => Poll::Ready(Next::Last(Last::Settled)),
        _ => Poll::Pending,
    }
}

/// Ends when the realm's next timer is due. The turn before it may set the alarm anew, so it is
/// looked at each time.
async fn alarm(door: &RunDoor) {
    let mut set = None;
    let mut sleep = None;
    poll_fn(|context| {
        let alarm = door.alarm();
        if set != alarm {
            set = alarm;
            sleep = alarm.map(|alarm| Box::pin(tokio::time::sleep_until(alarm.into())));
        }
        sleep.as_mut().map_or(Poll::Pending, |sleep| sleep.as_mut().poll(context))
    })
    .await;
}
