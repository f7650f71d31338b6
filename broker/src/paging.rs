//! Lists that come in pages, with an end to everything that a server could let grow.

use std::collections::HashSet;

use serde_json::Value;

/// Pages that are asked for, and entries that are taken from them.
const PAGES: usize = 100;
const ENTRIES: usize = 10_000;

/// Why the pages of a list do not become one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PagingError {
    #[error("a page of its list has no array `{member}`")]
    NoArray { member: &'static str },
    #[error("its list of {member} repeats the cursor of an earlier page")]
    RepeatedCursor { member: &'static str },
    #[error("its list of {member} has more than {PAGES} pages")]
    Pages { member: &'static str },
    #[error("it lists more than {ENTRIES} {member}")]
    Entries { member: &'static str },
    #[error("its list of {member} has more than {limit} bytes")]
    Bytes { member: &'static str, limit: usize },
}

/// One list on its way. Take page after page until there is no cursor to the next.
pub(crate) struct Paging {
    /// Where in a page the entries are.
    member: &'static str,
    most_bytes: usize,
    pages: usize,
    entries: usize,
    bytes: usize,
    cursors: HashSet<String>,
}

impl Paging {
    pub(crate) fn new(member: &'static str, most_bytes: usize) -> Self {
        Self { member, most_bytes, pages: 0, entries: 0, bytes: 0, cursors: HashSet::new() }
    }

    /// The size of all pages so far.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The entries of a page of so many bytes, and the cursor of the next page, if there is one. An
    /// empty cursor is a cursor like any other; only its absence ends the list.
    ///
    /// # Errors
    /// [`PagingError`] if the page is none, or the list has no end.
    pub(crate) fn take(
        &mut self,
        page: &mut Value,
        bytes: usize,
    ) -> Result<(Vec<Value>, Option<String>), PagingError> {
        let member = self.member;
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.most_bytes {
            return Err(PagingError::Bytes { member, limit: self.most_bytes });
        }
        let Some(Value::Array(entries)) = page.get_mut(member).map(Value::take) else {
            return Err(PagingError::NoArray { member });
        };
        self.entries += entries.len();
        if self.entries > ENTRIES {
            return Err(PagingError::Entries { member });
        }
        self.pages += 1;
        let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        if let Some(next) = &next {
            if !self.cursors.insert(next.clone()) {
                return Err(PagingError::RepeatedCursor { member });
            }
            if self.pages >= PAGES {
                return Err(PagingError::Pages { member });
            }
        }
        Ok((entries, next))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(entries: usize, next: Option<&str>) -> Value {
        let mut page = json!({ "things": vec![json!({}); entries] });
        if let Some(next) = next {
            page["nextCursor"] = next.into();
        }
        page
    }

    /// How a list of endless pages of this kind ends.
    fn end(mut make: impl FnMut(usize) -> Value) -> PagingError {
        let mut paging = Paging::new("things", 1_000_000);
        for number in 0.. {
            match paging.take(&mut make(number), 1_000) {
                Ok((_, next)) => assert!(next.is_some()),
                Err(error) => return error,
            }
        }
        unreachable!("an endless list has ended")
    }

    #[test]
    fn a_list_without_an_end_is_given_up() {
        let member = "things";
        let numbered = |entries| move |number: usize| page(entries, Some(&number.to_string()));
        assert_eq!(end(numbered(1)), PagingError::Pages { member });
        assert_eq!(end(numbered(1_000)), PagingError::Entries { member });
        assert_eq!(end(|_| page(1, Some(""))), PagingError::RepeatedCursor { member });
        let mut paging = Paging::new(member, 999);
        let limit = 999;
        let much = paging.take(&mut page(1, None), 1_000);
        assert_eq!(much, Err(PagingError::Bytes { member, limit }));
    }

    #[test]
    fn a_list_may_fill_its_bounds() {
        let mut paging = Paging::new("things", 100_000);
        for number in 0..PAGES {
            let next = (number + 1 < PAGES).then(|| number.to_string());
            let (entries, cursor) =
                paging.take(&mut page(ENTRIES / PAGES, next.as_deref()), 1_000).unwrap();
            assert_eq!((entries.len(), cursor), (ENTRIES / PAGES, next));
        }
        assert_eq!(paging.bytes(), 100_000);
    }

    #[test]
    fn a_page_without_its_list_is_none() {
        for odd in [json!({}), json!([]), json!(null), json!({ "things": {} })] {
            let mut paging = Paging::new("things", 1_000);
            let read = paging.take(&mut odd.clone(), 1);
            assert_eq!(read, Err(PagingError::NoArray { member: "things" }), "{odd}");
        }
    }
}
