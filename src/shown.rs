//! What a script chose to show, beside what it prints: images and other content for whoever reads the
//! result of its run.
//!
//! The isolate has looked at a block when it comes here, and is not believed: this is the shape that
//! goes out, with the members that it may have and no others.

use runtime::Failure;
use serde_json::{Map, Value};
use std::sync::{Mutex, PoisonError};

/// The function of the isolate; no tool's function can have this name.
pub(crate) const FUNCTION: &str = "mcp.show";

/// How many blocks a run may show.
const BLOCKS: usize = 32;
/// How many bytes all of them may have, as JSON text.
const BYTES: usize = 8 << 20;

/// The blocks of a run.
#[derive(Default)]
pub(crate) struct Shown(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    blocks: Vec<Value>,
    bytes: usize,
}

impl Shown {
    /// Keeps a block, given as JSON text.
    pub(crate) fn show(&self, text: &str) -> Result<(), Failure> {
        let block = serde_json::from_str(text).ok().and_then(|block: Value| clean(&block));
        let block =
            block.ok_or_else(|| Failure::new("invalid_input", "that is no content block"))?;
        let kept = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.blocks.len() == BLOCKS {
            return Err(Failure::new("limit", format!("a run may show {BLOCKS} blocks")));
        }
        let bytes = kept.bytes + text.len();
        if bytes > BYTES {
            return Err(Failure::new("limit", format!("what a run shows may have {BYTES} bytes")));
        }
        kept.bytes = bytes;
        kept.blocks.push(block);
        Ok(())
    }

    pub(crate) fn take(&self) -> Vec<Value> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).blocks
    }
}

/// The block with what belongs to its type; `None` if something is missing or is not what it should be.
fn clean(block: &Value) -> Option<Value> {
    let kind = block.get("type")?.as_str()?;
    let (texts, others): (&[&str], &[&str]) = match kind {
        "text" => (&["text"], &[]),
        "image" | "audio" => (&["data", "mimeType"], &[]),
        "resource_link" => (&["uri", "name"], &["title", "description", "mimeType"]),
        "resource" => return clean_resource(block.get("resource")?),
        _ => return None,
    };
    let mut clean = fields(block, texts, others)?;
    if let Some(data) = clean.get("data").and_then(Value::as_str)
        && !is_base64(data)
    {
        return None;
    }
    clean.insert("type".into(), kind.into());
    Some(clean.into())
}

fn clean_resource(resource: &Value) -> Option<Value> {
    let has = |name: &str| resource.get(name).is_some_and(Value::is_string);
    // The one or the other.
    let content = match (has("text"), has("blob")) {
        (true, false) => "text",
        (false, true) => "blob",
        _ => return None,
    };
    let clean = fields(resource, &["uri", content], &["mimeType"])?;
    if let Some(blob) = clean.get("blob").and_then(Value::as_str)
        && !is_base64(blob)
    {
        return None;
    }
    Some(serde_json::json!({ "type": "resource", "resource": clean }))
}

/// Members that are text: those that must be there, and those that may be.
fn fields(of: &Value, must: &[&str], may: &[&str]) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    for name in must {
        fields.insert((*name).into(), of.get(name)?.as_str()?.into());
    }
    for name in may {
        if let Some(value) = of.get(name) {
            fields.insert((*name).into(), value.as_str()?.into());
        }
    }
    Some(fields)
}

/// Whether this could be base64; what it stands for is for whoever shows it to judge.
fn is_base64(text: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body.as_bytes().iter().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_block_keeps_what_belongs_to_it_and_nothing_else() {
        let image = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png", "_meta": 1 });
        let clean_image = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" });
        assert_eq!(clean(&image), Some(clean_image));
        let link = json!({ "type": "resource_link", "uri": "a:b", "name": "n", "title": "t" });
        assert_eq!(clean(&link), Some(link));
        let resource = json!({ "type": "resource", "resource": { "uri": "a:b", "text": "t" } });
        assert_eq!(clean(&resource), Some(resource));
    }

    #[test]
    fn what_is_no_block_is_refused() {
        for block in [
            json!(1),
            json!({ "type": "text" }),
            json!({ "type": "text", "text": 1 }),
            json!({ "type": "image", "data": "a", "mimeType": "image/png" }),
            json!({ "type": "image", "data": "<svg>", "mimeType": "image/svg+xml" }),
            json!({ "type": "tool_use", "name": "x" }),
            json!({ "type": "resource", "resource": { "uri": "a:b" } }),
            json!({ "type": "resource", "resource": { "uri": "a:b", "text": "", "blob": "" } }),
            json!({ "type": "resource_link", "uri": "a:b", "name": "n", "title": [] }),
        ] {
            assert_eq!(clean(&block), None, "{block}");
        }
    }

    #[test]
    fn count_and_bytes_are_bounded() {
        let shown = Shown::default();
        let block = json!({ "type": "text", "text": "x" }).to_string();
        let kept = (0..BLOCKS + 3).filter(|_| shown.show(&block).is_ok()).count();
        assert_eq!((kept, shown.take().len()), (BLOCKS, BLOCKS));
        let shown = Shown::default();
        let block = json!({ "type": "text", "text": "x".repeat(BYTES / 2) }).to_string();
        assert!(shown.show(&block).is_ok());
        let refused = shown.show(&block).err().map(|failure| failure.kind);
        assert_eq!(refused.as_deref(), Some("limit"));
    }
}
