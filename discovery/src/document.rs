//! A tool taken apart: which words are in which of its fields, and how often.

use crate::tool::{Tool, first_sentence};
use crate::words::{HashMap, Stems, words};

/// Words of one field that are counted: a description can be as long as its server likes.
const FIELD_WORDS: usize = 500;

/// The parts of a tool that have a weight of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field {
    Server,
    Name,
    Title,
    /// The first sentence of the description.
    Summary,
    /// The rest of it.
    Description,
    /// Names and values of parameters.
    Parameters,
    /// What parameters say of themselves.
    About,
}

pub(crate) const FIELDS: usize = 7;

/// A number for each field.
pub(crate) type PerField<T> = [T; FIELDS];

/// A tool's words.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// How often each word is in each field.
    pub(crate) words: HashMap<String, PerField<u8>>,
    /// How many words each field has.
    pub(crate) lengths: PerField<u16>,
}

impl Document {
    pub(crate) fn of(tool: &Tool, stems: &mut Stems) -> Self {
        let mut document = Self::default();
        document.name(stems, Field::Server, &tool.server);
        document.name(stems, Field::Name, &tool.name);
        document.text(stems, Field::Title, tool.title.as_deref());
        let description = tool.description.as_deref().unwrap_or_default();
        let summary = first_sentence(description);
        let rest = description.split_once(summary).map_or("", |(_, rest)| rest);
        document.text(stems, Field::Summary, [summary]);
        document.text(stems, Field::Description, [rest]);
        let parameters = &tool.parameters;
        document.text(stems, Field::Parameters, &parameters.names);
        document.text(stems, Field::Parameters, &parameters.values);
        document.text(stems, Field::About, &parameters.about);
        document
    }

    /// Names are also known by what their words are together: `getMe` by "getme", and `pull_request`
    /// by "pullrequest".
    fn name(&mut self, stems: &mut Stems, field: Field, name: &str) {
        let words = words(name);
        let pairs: Vec<String> = words.windows(2).map(<[String]>::concat).collect();
        let whole = (words.len() > 2).then(|| words.concat());
        words.into_iter().for_each(|word| self.count(field, stems.of(word)));
        // They are not counted as its length: they are no further words.
        pairs.into_iter().chain(whole).for_each(|word| self.mention(field, stems.of(word)));
    }

    fn text<T: AsRef<str>>(
        &mut self,
        stems: &mut Stems,
        field: Field,
        texts: impl IntoIterator<Item = T>,
    ) {
        for text in texts {
            for word in words(text.as_ref()) {
                self.count(field, stems.of(word));
            }
        }
    }

    fn count(&mut self, field: Field, stem: &str) {
        if let Some(length) = self.lengths.get_mut(field as usize) {
            if usize::from(*length) >= FIELD_WORDS {
                return;
            }
            *length += 1;
        }
        self.mention(field, stem);
    }

    fn mention(&mut self, field: Field, stem: &str) {
        if !self.words.contains_key(stem) {
            self.words.insert(stem.to_owned(), PerField::default());
        }
        let counts = self.words.get_mut(stem);
        if let Some(count) = counts.and_then(|counts| counts.get_mut(field as usize)) {
            *count = count.saturating_add(1);
        }
    }
}
