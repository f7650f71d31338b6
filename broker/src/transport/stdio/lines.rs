//! Lines of a bounded length.
//!
//! A line that is too long is skipped, not kept: only its two ends are, because one of them says
//! which request it would have answered.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// How much of each end of a line that is too long is kept.
const END_BYTES: usize = 512;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Complete, without its end.
    Whole(Vec<u8>),
    /// Too long: how it begins and how it ends.
    TooLong { head: Vec<u8>, tail: Vec<u8> },
}

/// Reads the next line; `None` at the end of the stream. A last line without an end does not count:
/// its writer died in the middle of it.
pub(super) async fn next(
    reader: &mut (impl AsyncBufRead + Unpin),
    limit: usize,
) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut skipped: Option<Vec<u8>> = None;
    loop {
        let buffer = reader.fill_buf().await?;
        if buffer.is_empty() {
            return Ok(None);
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (part, consumed) = match end {
            Some(end) => (buffer.get(..end).unwrap_or_default(), end + 1),
            None => (buffer, buffer.len()),
        };
        match &mut skipped {
            Some(tail) => keep_tail(tail, part),
            None if line.len() + part.len() > limit => {
                let mut tail = line.split_off(line.len().min(END_BYTES));
                let room = END_BYTES.saturating_sub(line.len());
                let (head, rest) = part.split_at(part.len().min(room));
                line.extend_from_slice(head);
                keep_tail(&mut tail, rest);
                skipped = Some(tail);
            }
            None => line.extend_from_slice(part),
        }
        reader.consume(consumed);
        if end.is_some() {
            return Ok(Some(match skipped {
                Some(tail) => Line::TooLong { head: line, tail },
                None => Line::Whole(line),
            }));
        }
    }
}

fn keep_tail(tail: &mut Vec<u8>, part: &[u8]) {
    let part = part.get(part.len().saturating_sub(END_BYTES)..).unwrap_or_default();
    tail.extend_from_slice(part);
    let excess = tail.len().saturating_sub(END_BYTES);
    tail.drain(..excess);
}

/// The id in a piece of a message that cannot be read as a whole: servers write it right at the
/// beginning or right at the end.
pub(super) fn id_near_ends(head: &[u8], tail: &[u8]) -> Option<i64> {
    const FRONT_BYTES: usize = 64;
    let front = head.get(..head.len().min(FRONT_BYTES)).unwrap_or_default();
    let front = String::from_utf8_lossy(front);
    let back = String::from_utf8_lossy(if tail.is_empty() { head } else { tail });
    let at_front = front.find(r#""id":"#).and_then(|at| number(front.get(at + 5..)?, ','));
    at_front.or_else(|| back.rfind(r#""id":"#).and_then(|at| number(back.get(at + 5..)?, '}')))
}

fn number(text: &str, end: char) -> Option<i64> {
    let (digits, _) = text.split_once(end)?;
    digits.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;

    use super::*;

    async fn all(input: &[u8], limit: usize) -> Vec<Line> {
        // A tiny buffer: lines arrive in pieces.
        let mut reader = BufReader::with_capacity(7, input);
        let mut lines = Vec::new();
        while let Some(line) = next(&mut reader, limit).await.unwrap() {
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn lines_arrive_whole_up_to_the_limit() {
        let lines = all(b"short\n\n0123456789\n01234567890\nhalf", 10).await;
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(lines[..3], [whole("short"), whole(""), whole("0123456789")]);
        assert_eq!(lines.len(), 4);
        assert!(matches!(&lines[3], Line::TooLong { .. }));
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_keeps_both_ends() {
        let mut input = br#"{"result":{"x":""#.to_vec();
        input.extend(std::iter::repeat_n(b'y', 100_000));
        input.extend(br#""},"jsonrpc":"2.0","id":17}"#);
        input.push(b'\n');
        let lines = all(&input, 1000).await;
        let [Line::TooLong { head, tail }] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(id_near_ends(head, tail), Some(17));
        assert!(head.len() <= END_BYTES && tail.len() <= END_BYTES);
    }

    #[test]
    fn the_id_is_found_where_servers_write_it() {
        assert_eq!(id_near_ends(br#"{"jsonrpc":"2.0","id":3,"result":{"a"#, b"]}}"), Some(3));
        assert_eq!(id_near_ends(br#"{"result":{"a":"#, br#"1},"id": 4 }"#), Some(4));
        assert_eq!(id_near_ends(br#"{"result":{"a":1},"id":5}"#, b""), Some(5));
        assert_eq!(id_near_ends(b"hello", b""), None);
    }
}
