//! What a model reads of a run: without what it must not see, and no longer than it should be.
//!
//! All of it is a stranger's text. Control sequences are taken out, credentials that the broker knows
//! are replaced, and what does not fit is cut so that its shape stays: the first and last lines of the
//! console, the first and last items of lists, with how much there was. The text says at its end that
//! it was cut, and how to get the rest.

mod clean;
mod cut;
mod json;

pub(crate) use cut::middle;
pub(crate) use json::map as map_json;

use broker::Redactor;
use std::borrow::Cow;

/// How much a model reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OutputBudget {
    /// Bytes of text.
    pub bytes: usize,
    /// Tokens, by [`estimated_tokens`].
    pub tokens: Option<usize>,
    /// How whoever reads it gets what was cut, if it can be got: a command, for example.
    pub rest: Option<String>,
}

/// What a model reads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelText {
    /// The text, within its budget.
    pub text: String,
    /// Whether something was cut.
    pub was_cut: bool,
}

impl OutputBudget {
    /// So many bytes, however many tokens these are.
    pub fn bytes(bytes: usize) -> Self {
        Self { bytes, tokens: None, rest: None }
    }

    /// Sets the most tokens.
    #[must_use]
    pub fn tokens(mut self, tokens: usize) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Says how to get the rest: `cofferdam output 3f2a91 --range A-B`.
    #[must_use]
    pub fn rest(mut self, how: impl Into<String>) -> Self {
        self.rest = Some(how.into());
        self
    }

    fn holds(&self, text: &str) -> bool {
        text.len() <= self.bytes && self.tokens.is_none_or(|most| estimated_tokens(text) <= most)
    }
}

/// Tokens that a text takes, as an estimate that no model's vocabulary is needed for: one for every
/// four ASCII characters, and one for every other character.
pub fn estimated_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().count() - ascii;
    ascii.div_ceil(4) + others
}

/// What a report says to a model, part by part.
pub(crate) struct Parts<'a> {
    /// What was printed, and what is said about it.
    pub(crate) console: String,
    /// The returned value as JSON text.
    pub(crate) value: Option<&'a str>,
    /// How the run ended, if not well, and what it had done by then.
    pub(crate) ending: String,
}

/// Cuts the parts to the budget.
pub(crate) fn text(parts: &Parts<'_>, redactor: &Redactor, budget: &OutputBudget) -> ModelText {
    let clean = Clean::of(parts, redactor);
    let whole = clean.within(usize::MAX);
    if budget.holds(&whole) {
        return ModelText { text: whole, was_cut: false };
    }
    let note = note(whole.len(), budget);
    let mut room = budget.bytes;
    loop {
        let for_note = if note.len() <= room / 2 { note.as_str() } else { "" };
        let mut text = clean.within(room - for_note.len());
        text.push_str(for_note);
        // A piece that was cut out may have had a credential's beginning and end around it.
        let mut text = redactor.redact(&text).into_owned();
        text.truncate(text.floor_char_boundary(room));
        if room == 0 || budget.holds(&text) {
            return ModelText { text, was_cut: true };
        }
        // Too many tokens: as many bytes as they would allow, or a little fewer.
        let tokens = estimated_tokens(&text).max(1);
        let most = budget.tokens.unwrap_or(tokens);
        room = (room.saturating_mul(most) / tokens).min(room - room.div_ceil(50));
    }
}

/// Everything that the text would say without a budget: for keeping.
pub(crate) fn whole(parts: &Parts<'_>, redactor: &Redactor) -> String {
    Clean::of(parts, redactor).within(usize::MAX)
}

fn note(bytes: usize, budget: &OutputBudget) -> String {
    let rest = match &budget.rest {
        Some(how) => format!("; the rest: {how}"),
        None => String::new(),
    };
    format!("[Cut: the whole has {bytes} bytes. Print or return less{rest}]\n")
}

/// The parts without what no model must see.
struct Clean {
    console: String,
    /// The value as text, and as JSON if it can be read.
    value: Option<(String, Option<serde_json::Value>)>,
    ending: String,
}

const RETURNED: &str = "Returned: ";

impl Clean {
    fn of(parts: &Parts<'_>, redactor: &Redactor) -> Self {
        let filter = |text: &str| filter(text, redactor).into_owned();
        let value = parts.value.map(|text| {
            let parsed = serde_json::from_str::<serde_json::Value>(text).ok();
            let cleaned = parsed.map(|value| filter_json(value, redactor));
            let text = match &cleaned {
                Some(value) => filter(&value.to_string()),
                None => filter(text),
            };
            (text, cleaned)
        });
        Self { console: filter(&parts.console), value, ending: filter(&parts.ending) }
    }

    /// All of it in about so many bytes. The ending comes first: a model that does not know what was
    /// done does it again.
    fn within(&self, room: usize) -> String {
        let ending = cut::middle(&self.ending, room.max(1) / 2);
        let room = room.saturating_sub(ending.len());
        let value_bytes =
            self.value.as_ref().map_or(0, |(text, _)| RETURNED.len() + text.len() + 1);
        let all = self.console.len().saturating_add(value_bytes);
        let for_console = if all <= room {
            self.console.len()
        } else {
            (room / 2).max(room.saturating_sub(value_bytes)).min(self.console.len())
        };
        let mut text = cut::middle(&self.console, for_console).into_owned();
        if let Some((value, parsed)) = &self.value {
            let room = room.saturating_sub(text.len() + RETURNED.len() + 1);
            let cut: Cow<'_, str> = if value.len() <= room {
                value.into()
            } else {
                let shaped = parsed.as_ref().and_then(|value| json::within(value, room));
                shaped.map_or_else(|| cut::middle(value, room), Cow::Owned)
            };
            text.push_str(RETURNED);
            text.push_str(&cut);
            text.push('\n');
        }
        text + &ending
    }
}

/// JSON for programs, without credentials.
pub(crate) fn redact_json(value: serde_json::Value, redactor: &Redactor) -> serde_json::Value {
    map_json(value, &|text| redactor.redact(text).into_owned())
}

/// A stranger's JSON as a model may read it. In JSON text a control character is an escape, which is
/// plain text, so this must be done before it is written.
pub(crate) fn filter_json(value: serde_json::Value, redactor: &Redactor) -> serde_json::Value {
    map_json(value, &|text| filter(text, redactor).into_owned())
}

/// A stranger's text as a model may read it.
pub(crate) fn filter<'a>(text: &'a str, redactor: &Redactor) -> Cow<'a, str> {
    match clean::clean(text) {
        Cow::Borrowed(text) => redactor.redact(text),
        Cow::Owned(text) => Cow::Owned(redactor.redact(&text).into_owned()),
    }
}

#[cfg(test)]
mod tests;
