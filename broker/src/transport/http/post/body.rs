//! Bodies of a bounded size.

use std::io;

use bytes::Bytes;
use futures::Stream;
use futures::stream::{BoxStream, StreamExt, try_unfold};
use reqwest::Response;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::streamable_http_client::{SseError, StreamableHttpError};
use sse_stream::{Sse, SseStream};

/// A whole body; `None` if it is larger than it may be.
pub(super) async fn whole(
    mut response: Response,
    limit: usize,
) -> Result<Option<Vec<u8>>, StreamableHttpError<reqwest::Error>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(super::without_url)? {
        if body.len() + chunk.len() > limit {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// The events of a body; the stream ends with an error at the first that is too large.
pub(super) fn events(
    response: Response,
    limit: usize,
) -> BoxStream<'static, Result<Sse, SseError>> {
    SseStream::from_bytes_stream(bounded(response, limit)).boxed()
}

/// An event that carries a message.
pub(super) fn event(message: &ServerJsonRpcMessage) -> Sse {
    Sse { data: serde_json::to_string(message).ok(), ..Sse::default() }
}

/// Whether this is how [`events`] ends a stream.
pub(super) fn is_too_large(error: &SseError) -> bool {
    let SseError::Body(cause) = error else { return false };
    let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
    kind == Some(io::ErrorKind::FileTooLarge)
}

fn bounded(
    response: Response,
    limit: usize,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    try_unfold((response, Meter::default()), move |(mut response, mut meter)| async move {
        let Some(chunk) =
            response.chunk().await.map_err(|error| io::Error::other(error.without_url()))?
        else {
            return Ok(None);
        };
        meter.pass(&chunk);
        if meter.event_bytes > limit {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        Ok(Some((chunk, (response, meter))))
    })
}

/// Measures the event at the end of a stream; events end with an empty line.
#[derive(Default)]
struct Meter {
    event_bytes: usize,
    line_bytes: usize,
}

impl Meter {
    fn pass(&mut self, chunk: &[u8]) {
        for byte in chunk {
            self.event_bytes += 1;
            match byte {
                b'\n' if self.line_bytes == 0 => self.event_bytes = 0,
                b'\n' => self.line_bytes = 0,
                b'\r' => {}
                _ => self.line_bytes += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_measured_from_empty_line_to_empty_line() {
        let mut meter = Meter::default();
        meter.pass(b"data: 1\r\n\r\ndata: 22\n");
        assert_eq!(meter.event_bytes, 9);
        meter.pass(b"\n");
        meter.pass(b"da");
        meter.pass(b"ta");
        assert_eq!(meter.event_bytes, 4);
    }
}
