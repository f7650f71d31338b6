//! The clock and the randomness of a run that is to be the same each time.

use crate::host::Fixed;
use sha2::{Digest, Sha256};

/// How far the clock goes each time it is read, in milliseconds: so that a loop that waits for it ends.
const READ: f64 = 0.001;

/// What is fixed, and how far it has come.
pub(super) struct FixedClock {
    from: Fixed,
    /// Milliseconds since the run began.
    pub(super) now: f64,
    /// How many blocks of random bytes were made.
    blocks: u64,
    rest: Vec<u8>,
}

impl FixedClock {
    pub(super) fn new(from: Fixed) -> Self {
        Self { from, now: 0.0, blocks: 0, rest: Vec::new() }
    }

    /// A Unix time by this clock.
    pub(super) fn at(&self, unix_ms: u64) -> f64 {
        // A run does not last for the 285,000 years in which this is not exact.
        u32::try_from(unix_ms.saturating_sub(self.from.unix_ms))
            .map_or(f64::from(u32::MAX), f64::from)
    }

    /// The clock never goes back.
    pub(super) fn advance(&mut self, to: f64) {
        self.now = self.now.max(to);
    }

    pub(super) fn read(&mut self) -> f64 {
        self.now += READ;
        (self.now * 10.0).floor() / 10.0
    }

    /// Bytes that nobody can tell from random ones without the seed: a hash of it and a counter.
    pub(super) fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            if self.rest.is_empty() {
                let block = Sha256::new_with_prefix(self.from.seed);
                self.rest = block.chain_update(self.blocks.to_le_bytes()).finalize().to_vec();
                self.blocks += 1;
            }
            *byte = self.rest.pop().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> FixedClock {
        FixedClock::new(Fixed { unix_ms: 1000, seed: [7; 32] })
    }

    #[test]
    fn the_clock_goes_on_with_what_happens_and_with_looking_at_it() {
        let mut clock = clock();
        assert_eq!(clock.read(), 0.0);
        clock.advance(clock.at(1250));
        assert_eq!(clock.read(), 250.0);
        clock.advance(clock.at(900));
        assert_eq!(clock.read(), 250.0, "never back");
        for _ in 0..1000 {
            clock.read();
        }
        assert_eq!(clock.read(), 251.0);
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_however_they_are_asked_for() {
        let (mut one, mut other) = ([0; 100], [0; 100]);
        clock().fill(&mut one);
        let mut second = clock();
        other.chunks_mut(7).for_each(|part| second.fill(part));
        assert_eq!(one, other);
        FixedClock::new(Fixed { unix_ms: 1000, seed: [8; 32] }).fill(&mut other);
        assert_ne!(one, other);
    }
}
