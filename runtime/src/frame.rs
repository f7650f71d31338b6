//! The frames between the host and an isolate, whatever carries them.
//!
//! On a socket a frame is four bytes of length, little-endian, and that many bytes of postcard.
//! Both ends are the same program, so there is one version of the format at a time; the number is
//! sent first all the same, because a host may name a worker program of its own.

use crate::{
    console::{Level, Room},
    hardening::{Attempt, Hardening},
    host::{Failure, Fixed, Function, Reply},
    limits::{Limit, Memory},
    outcome::{Diagnostic, ScriptError},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::time::Duration;

/// The version of everything in this file and of the meaning of its fields.
pub(crate) const VERSION: u32 = 3;

/// From the host to the isolate.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum HostFrame {
    /// The first frame: build an isolate of this size.
    Prepare { version: u32, memory: Memory },
    /// Try what a script must not be able to do, and tell; answered with `Probed`. Only to a
    /// worker process that is ready.
    Probe,
    /// Run this; answered in the end with `Done`.
    Start(Job),
    /// The end of a call, and what time it is then in a run whose clock is fixed.
    CallResult { id: u32, result: Result<Reply, Failure>, time: Option<u64> },
    /// Throw the isolate away and build a new one for the next script; answered with `Ready`. Only
    /// to a worker process that is done.
    Renew,
    /// Give up. Only a thread gets it: a worker process is killed instead.
    Cancel,
}

/// From the isolate to the host.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum WorkerFrame {
    /// The isolate is built.
    Ready { version: u32, hardening: Hardening },
    /// What came of the attempts.
    Probed(Vec<Attempt>),
    /// A call; ids are never used twice.
    Call(NewCall),
    /// The script does not wait for this call any more.
    CallCancelled { id: u32 },
    /// A line of the console.
    Console { level: Level, text: String },
    /// V8 has reached the heap's limit. If the worker dies after this frame, that is why.
    HeapFull,
    /// The last frame.
    Done(Done),
}

/// What an isolate has to run.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) source: String,
    pub(crate) functions: Vec<Function>,
    pub(crate) limits: JobLimits,
    pub(crate) fixed: Option<Fixed>,
}

/// The limits that the isolate itself holds, besides its memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobLimits {
    pub(crate) argument_bytes: usize,
    pub(crate) calls: u32,
    pub(crate) calls_in_flight: u32,
    pub(crate) timers: u32,
    pub(crate) console: Room,
    pub(crate) value_bytes: usize,
    /// For the kernel, which is the host's deputy here.
    pub(crate) cpu: Duration,
}

impl JobLimits {
    /// Allows nothing: what holds until a run begins.
    pub(crate) fn none() -> Self {
        Self {
            argument_bytes: 0,
            calls: 0,
            calls_in_flight: 0,
            timers: 0,
            console: Room::default(),
            value_bytes: 0,
            cpu: Duration::ZERO,
        }
    }
}

/// A call that the script makes.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NewCall {
    pub(crate) id: u32,
    pub(crate) function: String,
    pub(crate) input: String,
    pub(crate) raw: bool,
    /// What the script asked for; the host's own limit holds as well.
    pub(crate) timeout: Option<Duration>,
    pub(crate) line: Option<u32>,
}

/// The isolate's last word.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) ending: Ending,
    pub(crate) heap_bytes: usize,
    /// CPU time of the isolate's thread in this run.
    pub(crate) cpu: Duration,
    /// Console text that was dropped before it was sent.
    pub(crate) dropped_bytes: u64,
}

impl Done {
    /// The last word of a worker that has not run anything.
    pub(crate) fn fault(message: String) -> Self {
        let ending = Ending::Fault(message);
        Self { ending, heap_bytes: 0, cpu: Duration::ZERO, dropped_bytes: 0 }
    }
}

/// How a script ended, as far as its isolate can know.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ending {
    Completed(Option<String>),
    Threw(ScriptError),
    SyntaxError(Vec<Diagnostic>),
    HeapFull,
    Limit {
        limit: Limit,
        message: String,
        error: Option<ScriptError>,
    },
    /// Stopped from outside; the host knows why.
    Stopped,
    /// The isolate could not do its work.
    Fault(String),
}

impl Ending {
    /// Whether the script came to an end of its own, and nothing had to stop it.
    pub(crate) fn is_well(&self) -> bool {
        matches!(self, Self::Completed(_) | Self::Threw(_) | Self::SyntaxError(_))
    }
}

/// Bytes that are not a frame.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("a frame of {bytes} bytes, at most {limit} are allowed")]
    TooLong { bytes: usize, limit: usize },
    #[error("bytes that are not a frame")]
    NotAFrame(#[source] postcard::Error),
}

/// `frame` with its length in front.
pub(crate) fn encode(frame: &impl Serialize) -> Result<Vec<u8>, Malformed> {
    let mut bytes = postcard::to_extend(frame, vec![0; 4]).map_err(Malformed::NotAFrame)?;
    let body = bytes.len() - 4;
    let length = u32::try_from(body)
        .map_err(|_| Malformed::TooLong { bytes: body, limit: u32::MAX as usize })?;
    if let Some(header) = bytes.first_chunk_mut() {
        *header = length.to_le_bytes();
    }
    Ok(bytes)
}

/// Bytes as they come from a socket, taken apart into frames.
pub(crate) struct Decoder {
    limit: usize,
    bytes: Vec<u8>,
    /// Where the first frame that was not taken yet starts.
    start: usize,
}

impl Decoder {
    /// Refuses frames whose body is longer than `limit` bytes, before any of it is stored.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new(), start: 0 }
    }

    /// Changes the limit for the frames to come.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Adds bytes that have arrived.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.start == self.bytes.len() {
            self.bytes.clear();
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes the next frame, if all of it has arrived.
    ///
    /// # Errors
    /// If the bytes are not a frame of this type, or one that is too long. Nothing that follows
    /// can be understood then.
    pub(crate) fn next<F: DeserializeOwned>(&mut self) -> Result<Option<F>, Malformed> {
        let waiting = self.bytes.get(self.start..).unwrap_or_default();
        let Some((header, rest)) = waiting.split_first_chunk() else { return Ok(None) };
        let length = u32::from_le_bytes(*header) as usize;
        if length > self.limit {
            return Err(Malformed::TooLong { bytes: length, limit: self.limit });
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let frame = postcard::from_bytes(body).map_err(Malformed::NotAFrame)?;
        self.start += 4 + length;
        if self.start > 1024 * 1024 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        Ok(Some(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn console(text: &str) -> WorkerFrame {
        WorkerFrame::Console { level: Level::Log, text: text.into() }
    }

    proptest! {
        #[test]
        fn frames_survive_any_splitting(texts: Vec<String>, step in 1..20_usize) {
            let frames: Vec<_> = texts.iter().map(|text| console(text)).collect();
            let bytes: Vec<u8> = frames.iter().flat_map(|f| encode(f).unwrap()).collect();
            let mut decoder = Decoder::new(1 << 20);
            let mut seen = Vec::new();
            for part in bytes.chunks(step) {
                decoder.push(part);
                while let Some(frame) = decoder.next::<WorkerFrame>().unwrap() {
                    seen.push(frame);
                }
            }
            prop_assert_eq!(seen, frames);
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(parts: Vec<Vec<u8>>) {
            let mut decoder = Decoder::new(64);
            for part in parts {
                decoder.push(&part);
                while let Ok(Some(_)) = decoder.next::<HostFrame>() {}
            }
        }
    }

    #[test]
    fn a_long_frame_is_refused_by_its_length_alone() {
        let mut decoder = Decoder::new(100);
        decoder.push(&101_u32.to_le_bytes());
        assert!(matches!(
            decoder.next::<HostFrame>(),
            Err(Malformed::TooLong { bytes: 101, limit: 100 })
        ));
    }
}
