//! Cutting JSON so that its shape stays: the names of members, the first and last items of lists, the
//! beginning and end of strings, and how much there was of each.

use serde_json::{Map, Value};

/// How much of each kind is shown.
#[derive(Clone, Copy)]
struct Detail {
    /// Items of a list.
    items: usize,
    /// Members of an object. More than items: their names are the shape.
    members: usize,
    /// Characters of a string.
    chars: usize,
    /// Lists and objects within each other.
    depth: usize,
}

/// From much to little.
const DETAILS: [Detail; 14] = [
    detail(2048, 2048, 16384, 64),
    detail(1024, 1024, 8192, 64),
    detail(512, 512, 4096, 32),
    detail(256, 256, 2048, 32),
    detail(128, 128, 1024, 32),
    detail(64, 64, 512, 24),
    detail(32, 48, 256, 16),
    detail(16, 32, 128, 12),
    detail(8, 24, 96, 10),
    detail(4, 16, 64, 8),
    detail(3, 12, 48, 6),
    detail(2, 8, 32, 4),
    detail(2, 6, 24, 2),
    detail(1, 4, 16, 1),
];

const fn detail(items: usize, members: usize, chars: usize, depth: usize) -> Detail {
    Detail { items, members, chars, depth }
}

/// The most detailed text of the value that is at most so long; `None` if there is none.
pub(super) fn within(value: &Value, room: usize) -> Option<String> {
    let text = |detail: Detail| {
        // Nothing that is shown is smaller than its shortest form.
        let text = detail.value(value, 0).to_string();
        (text.len() <= room).then_some(text)
    };
    let (index, found) =
        DETAILS.iter().enumerate().find_map(|(index, detail)| Some((index, text(*detail)?)))?;
    // Between this one and the one before there may be more that fits.
    let (Some(less), Some(more)) =
        (DETAILS.get(index), index.checked_sub(1).and_then(|before| DETAILS.get(before)))
    else {
        return Some(found);
    };
    let between = |quarter: usize| {
        let part = |less: usize, more: usize| less + (more - less) * quarter / 4;
        detail(
            part(less.items, more.items),
            part(less.members, more.members),
            part(less.chars, more.chars),
            more.depth,
        )
    };
    Some([3, 2, 1].into_iter().find_map(|quarter| text(between(quarter))).unwrap_or(found))
}

impl Detail {
    fn value(self, value: &Value, depth: usize) -> Value {
        match value {
            Value::String(text) => self.string(text).into(),
            Value::Array(items) if depth >= self.depth && !items.is_empty() => {
                format!("… list of {}", items.len()).into()
            }
            Value::Object(members) if depth >= self.depth && !members.is_empty() => {
                format!("… object with {} members", members.len()).into()
            }
            Value::Array(items) => self.list(items, depth),
            Value::Object(members) => self.object(members, depth),
            other => other.clone(),
        }
    }

    fn list(self, items: &[Value], depth: usize) -> Value {
        let all = items.len();
        let shown = |item| self.value(item, depth + 1);
        // One more than is shown would be there as a mark.
        if all <= self.items + 1 {
            return items.iter().map(shown).collect();
        }
        let (first, last) = (self.items.div_ceil(2), self.items / 2);
        let mark = Value::from(format!("… {} of {all} items not shown …", all - first - last));
        let head = items.iter().take(first).map(shown);
        let tail = items.iter().skip(all - last).map(shown);
        head.chain([mark]).chain(tail).collect()
    }

    fn object(self, members: &Map<String, Value>, depth: usize) -> Value {
        let all = members.len();
        let most = if all <= self.members + 1 { all } else { self.members };
        let shown = members.iter().take(most);
        let mut cut: Map<String, Value> = Map::new();
        for (name, value) in shown {
            cut.insert(self.string(name), self.value(value, depth + 1));
        }
        if most < all {
            let mark = format!("{} of {all} members not shown", all - most);
            cut.insert("…".to_owned(), mark.into());
        }
        Value::Object(cut)
    }

    fn string(self, text: &str) -> String {
        let all = text.chars().count();
        // The mark has some characters of its own.
        if all <= self.chars + 24 {
            return text.to_owned();
        }
        let (first, last) = (self.chars - self.chars / 3, self.chars / 3);
        let head: String = text.chars().take(first).collect();
        let tail: String = text.chars().skip(all - last).collect();
        format!("{head} … {} characters cut … {tail}", all - first - last)
    }
}

/// The value with its strings and the names of its members put through `change`.
pub(crate) fn map(value: Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => change(&text).into(),
        Value::Array(items) => items.into_iter().map(|item| map(item, change)).collect(),
        Value::Object(members) => {
            let changed =
                members.into_iter().map(|(name, value)| (change(&name), map(value, change)));
            Value::Object(changed.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shape_stays_first_and_last_items_and_counts() {
        let rows: Vec<_> =
            (0..5000).map(|n| json!({ "id": n, "name": "x".repeat(200), "tags": ["a"] })).collect();
        let text = within(&json!({ "rows": rows, "next": null }), 700).unwrap();
        assert!(text.len() <= 700, "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        let rows = value["rows"].as_array().unwrap();
        assert_eq!((&rows[0]["id"], &rows[rows.len() - 1]["id"]), (&json!(0), &json!(4999)));
        let not_shown = format!("… {} of 5000 items not shown …", 5001 - rows.len());
        assert!(rows.contains(&json!(not_shown)), "{text}");
        assert!(text.contains("characters cut"), "{text}");
        assert_eq!(value["next"], json!(null));
    }

    #[test]
    fn what_is_deep_or_wide_is_counted() {
        let deep = (0..100).fold(json!({ "leaf": [1, 2] }), |deep, _| json!({ "in": deep }));
        assert!(within(&deep, 120).unwrap().contains("… object with 1 members"));
        let wide: Map<String, Value> = (0..500).map(|n| (format!("key{n}"), json!(n))).collect();
        assert!(within(&Value::Object(wide), 200).unwrap().contains("of 500 members not shown"));
        assert_eq!(within(&json!({ "aaaaaaaaaaaaaaaa": "bbbbbbbbbbbbbbbbbbb" }), 10), None);
    }
}
