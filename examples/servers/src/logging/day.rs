//! A made-up day of logs.
//!
//! What was logged in a minute follows from the number of that minute alone: whoever asks again gets
//! the same entries, and those of the minutes that have passed meanwhile. About one entry in a dozen
//! is an error, and errors repeat a few messages very unevenly, as they do in a real service.

use rmcp::schemars;
use serde::{Deserialize, Serialize};

const MINUTE_MS: u64 = 60_000;
const DAY_MINUTES: u64 = 24 * 60;

/// How serious an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Level {
    Error,
    Warn,
    Info,
}

/// One entry, its time in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) at_ms: u64,
    pub(crate) level: Level,
    pub(crate) message: String,
}

/// Errors and how often they occur, in parts of the sum. Few are common, most are rare.
const ERRORS: [(u32, &str); 9] = [
    (30, "checkout: payment gateway timed out after 5000 ms"),
    (18, "orders: deadlock detected while updating stock, transaction rolled back"),
    (12, "search: index replica es-2 is unreachable"),
    (9, "auth: token signature does not match key 2026-11"),
    (7, "mailer: SMTP 421 from relay, message queued"),
    (6, "images: cannot decode upload: unexpected end of JPEG"),
    (5, "checkout: currency rate for CHF is older than 24 h"),
    (4, "orders: invoice PDF exceeds 10 MB"),
    (3, "sessions: redis connection reset by peer"),
];

const WARNINGS: [&str; 4] = [
    "orders: slow query on order_lines",
    "search: falling back to cached results",
    "auth: rate limit reached for one address",
    "images: disk of node img-1 is 85 % full",
];

const ROUTES: [&str; 5] =
    ["GET /", "GET /products", "GET /search", "POST /cart", "POST /checkout/confirm"];

/// The entries of the 24 hours before `now_ms`, oldest first.
pub(crate) fn entries_until(now_ms: u64) -> impl Iterator<Item = Entry> {
    let last = now_ms / MINUTE_MS;
    let first = last.saturating_sub(DAY_MINUTES);
    let kept_from = now_ms.saturating_sub(DAY_MINUTES * MINUTE_MS);
    (first..=last).flat_map(minute).filter(move |entry| (kept_from..=now_ms).contains(&entry.at_ms))
}

/// All entries of one minute, in the order of their times.
fn minute(number: u64) -> Vec<Entry> {
    let mut random = Random::new(number);
    let mut entries = Vec::new();
    // One error a minute on average: an hour has about sixty.
    let errors = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2][random.below(10)];
    for _ in 0..errors {
        entries.push((Level::Error, pick_error(&mut random).to_owned()));
    }
    for _ in 0..random.below(4) {
        let message = WARNINGS[random.below(WARNINGS.len())];
        entries.push((Level::Warn, format!("{message} ({} ms)", 200 + random.below(1800))));
    }
    for _ in 0..6 + random.below(9) {
        let route = ROUTES[random.below(ROUTES.len())];
        entries.push((Level::Info, format!("{route} 200 in {} ms", 4 + random.below(90))));
    }

    let start = number * MINUTE_MS;
    let mut entries: Vec<Entry> = entries
        .into_iter()
        .map(|(level, message)| Entry { at_ms: start + random.next() % MINUTE_MS, level, message })
        .collect();
    entries.sort_by_key(|entry| entry.at_ms);
    entries
}

fn pick_error(random: &mut Random) -> &'static str {
    let sum: u32 = ERRORS.iter().map(|(weight, _)| weight).sum();
    let mut left = random.next() % u64::from(sum);
    for (weight, message) in ERRORS {
        match left.checked_sub(u64::from(weight)) {
            Some(rest) => left = rest,
            None => return message,
        }
    }
    ERRORS[0].1
}

/// A moment as ISO 8601 in UTC, with milliseconds, as JavaScript's `toISOString` writes it.
pub(crate) fn iso_8601(ms: u64) -> String {
    let (mut days, in_day) = (ms / 86_400_000, ms % 86_400_000);
    let mut year = 1970;
    while days >= 365 + leap_day(year) {
        days -= 365 + leap_day(year);
        year += 1;
    }
    let february = 28 + leap_day(year);
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hours, minutes) = (in_day / 3_600_000, in_day / 60_000 % 60);
    let (seconds, millis) = (in_day / 1000 % 60, in_day % 1000);
    let day = days + 1;
    format!("{year}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

fn leap_day(year: u64) -> u64 {
    let every = |years| year.is_multiple_of(years);
    u64::from(every(4) && (!every(100) || every(400)))
}

/// Numbers that look random and are the same for the same seed: a counter, scrambled.
struct Random {
    state: u64,
}

impl Random {
    fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0xD6E8_FEB8_6659_FD93) }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        for _ in 0..3 {
            mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        }
        mixed ^ (mixed >> 32)
    }

    /// A number below `bound`, which is small and not zero.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or_default() % bound
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const NOW: u64 = 1_796_054_400_000; // 2026-11-30T16:00:00Z

    #[test]
    fn every_hour_has_a_working_number_of_errors_of_a_few_kinds() {
        for hour in 0..48 {
            let now = NOW + hour * 60 * MINUTE_MS + 12_345;
            let errors: Vec<Entry> = entries_until(now)
                .filter(|e| e.level == Level::Error && e.at_ms >= now - 60 * MINUTE_MS)
                .collect();
            let kinds: HashSet<&str> = errors.iter().map(|e| e.message.as_str()).collect();
            assert!((36..=84).contains(&errors.len()), "{} errors", errors.len());
            assert!((5..=9).contains(&kinds.len()), "{} kinds", kinds.len());
        }
    }

    #[test]
    fn asking_again_later_adds_entries_and_changes_none() {
        let before: Vec<Entry> = entries_until(NOW).collect();
        let later: Vec<Entry> = entries_until(NOW + 5 * MINUTE_MS).collect();
        let kept = before.iter().position(|entry| *entry == later[0]).unwrap();
        assert_eq!(before[kept..], later[..before.len() - kept]);
        assert!(later.len() > before.len() - kept);
    }

    #[test]
    fn entries_are_a_day_in_order_up_to_now() {
        let entries: Vec<Entry> = entries_until(NOW).collect();
        assert!(entries.is_sorted_by_key(|entry| entry.at_ms));
        assert!(entries.iter().all(|e| e.at_ms <= NOW && e.at_ms >= NOW - DAY_MINUTES * MINUTE_MS));
        assert!((12_000..25_000).contains(&entries.len()), "{} entries", entries.len());
    }

    #[test]
    fn times_are_written_as_javascript_does() {
        assert_eq!(iso_8601(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso_8601(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(iso_8601(1_798_761_599_999), "2026-12-31T23:59:59.999Z");
        assert_eq!(iso_8601(NOW), "2026-11-30T16:00:00.000Z");
    }
}
