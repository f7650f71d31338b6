//! Where in a text something was found, and whose it is.

use std::collections::BTreeMap;

use super::winnow::{GAP, GRAM};

/// Letters of one text that came from a result, as places from and until.
pub(super) type Span = (usize, usize);

/// Places in a text by the number of a source.
#[derive(Default)]
pub(super) struct Found(BTreeMap<usize, Vec<Span>>);

impl Found {
    /// A substring that ends here. Finds that are near each other are one.
    pub(super) fn gram(&mut self, number: usize, end: usize) {
        let spans = self.0.entry(number).or_default();
        match spans.last_mut() {
            // Shorts may lie between; what overlaps is merged at the end.
            Some(last) if end <= last.1 + GAP => last.1 = last.1.max(end),
            _ => spans.push((end.saturating_sub(GRAM), end)),
        }
    }

    pub(super) fn short(&mut self, number: usize, span: Span) {
        let spans = self.0.entry(number).or_default();
        match spans.last_mut() {
            Some(last) if span.0 < last.1 => *last = (last.0.min(span.0), last.1.max(span.1)),
            _ => spans.push(span),
        }
    }

    pub(super) fn merged(self) -> Vec<(usize, Vec<Span>)> {
        self.0.into_iter().map(|(number, spans)| (number, merge(spans))).collect()
    }
}

/// Spans in order, none overlapping.
fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.0 <= last.1 => last.1 = last.1.max(span.1),
            _ => merged.push(span),
        }
    }
    merged
}
