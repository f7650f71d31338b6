//! What the arguments of a call hold of earlier results.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::found::Span;
use super::held::Held;
use super::leaves::{self, Leaf};
use super::views::{Encoding, views};
use super::winnow::letters;
use super::{Flow, Source};

/// How many are told of one call: the largest. The rules have looked at all of them.
pub(super) const TOLD: usize = 20;

/// How much came from a source, and in which form.
type Found<'a> = BTreeMap<u64, (&'a Source, usize, Encoding)>;

/// All flows of a call of `server`, the largest first.
pub(super) fn flows(held: &Held, arguments: &Map<String, Value>, server: &str) -> Vec<Flow> {
    if held.is_empty() {
        return Vec::new();
    }
    let mut flows = Vec::new();
    let mut apart: BTreeMap<u64, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for (name, value) in arguments {
        let argument = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        let mut texts = Vec::new();
        // The name is the script's as much as the value is, wherever the schema lets it be.
        let mut found = in_text(held, name, server);
        add(&mut found, in_value(held, value, server, &mut texts));
        for (source, characters, form) in found.into_values() {
            *apart.entry(source.call.number()).or_default() += characters;
            let (argument, from) = (argument.clone(), source.clone());
            flows.push(Flow::Carries { argument, characters, form, from });
        }
        all.extend(texts);
    }
    // A text may be split over arguments, in the order in which they stand or another.
    if all.len() > 1 {
        let mut together = Found::new();
        let forth = all.iter().chain(all.iter());
        let forth = forth.flat_map(|text| letters(text)).collect::<Vec<_>>();
        let back = all.iter().rev().flat_map(|text| letters(text)).collect::<Vec<_>>();
        for text in [forth, back] {
            larger(&mut together, held.find_in(&mut text.into_iter(), server), Encoding::Plain);
        }
        for (number, (source, characters, form)) in together {
            // Twice the same texts: what was found in one alone is there twice.
            if characters > 2 * apart.get(&number).copied().unwrap_or(0) {
                let (argument, from) = (String::new(), source.clone());
                flows.push(Flow::Carries { argument, characters, form, from });
            }
        }
    }
    flows.sort_by_key(|flow| match flow {
        Flow::Carries { characters, .. } => std::cmp::Reverse(*characters),
        _ => std::cmp::Reverse(0),
    });
    flows
}

/// What one argument holds. Its texts are kept for looking at them together.
fn in_value<'a>(held: &'a Held, value: &Value, server: &str, texts: &mut Vec<String>) -> Found<'a> {
    let mut found = Found::new();
    let mut own = Vec::new();
    leaves::each(value, &mut |leaf| match leaf {
        Leaf::Name(name) => add(&mut found, in_text(held, name, server)),
        Leaf::Text(text) => {
            add(&mut found, in_text(held, &text, server));
            if let Some(value) = leaves::parsed(&text) {
                let inside = in_value_as_json(held, &value, server);
                keep_larger(&mut found, inside);
            }
            own.push(text.into_owned());
        }
    });
    if own.len() > 1 {
        keep_larger(&mut found, together(held, &own, server, Encoding::Plain));
    }
    texts.append(&mut own);
    found
}

/// What JSON text holds as the values that it is.
fn in_value_as_json<'a>(held: &'a Held, value: &Value, server: &str) -> Found<'a> {
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    leaves::each(value, &mut |leaf| {
        if let Leaf::Text(text) = leaf {
            texts.push(text);
        }
    });
    together(held, &texts, server, Encoding::Json)
}

fn together<'a, T: AsRef<str>>(
    held: &'a Held,
    texts: &[T],
    server: &str,
    form: Encoding,
) -> Found<'a> {
    let mut found = Found::new();
    let mut all = texts.iter().flat_map(|text| letters(text.as_ref()));
    larger(&mut found, held.find_in(&mut all, server), form);
    found
}

fn in_text<'a>(held: &'a Held, text: &str, server: &str) -> Found<'a> {
    let mut found = Found::new();
    for (form, view) in views(text) {
        larger(&mut found, held.find(&view, server), form);
    }
    found
}

/// Keeps for each source the reading in which most of it was found.
fn larger<'a>(found: &mut Found<'a>, spans: Vec<(&'a Source, Vec<Span>)>, form: Encoding) {
    for (source, spans) in spans {
        let characters = spans.iter().map(|(from, until)| until - from).sum();
        keep(found, source, characters, form);
    }
}

fn keep<'a>(found: &mut Found<'a>, source: &'a Source, characters: usize, form: Encoding) {
    let kept = found.entry(source.call.number()).or_insert((source, 0, form));
    if characters > kept.1 {
        *kept = (source, characters, form);
    }
}

fn keep_larger<'a>(found: &mut Found<'a>, more: Found<'a>) {
    for (source, characters, form) in more.into_values() {
        keep(found, source, characters, form);
    }
}

/// Adds what another text holds.
fn add<'a>(found: &mut Found<'a>, more: Found<'a>) {
    for (number, (source, characters, form)) in more {
        let kept = found.entry(number).or_insert((source, 0, form));
        if characters > kept.1 {
            kept.2 = form;
        }
        kept.1 += characters;
    }
}
