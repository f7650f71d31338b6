//! The browser comes back: one request to a port of this machine that nobody else can reach.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// The path of the redirect.
pub(super) const PATH: &str = "/callback";
/// A request line is no longer than this, or it is none of ours.
const REQUEST_BYTES: usize = 16 * 1024;
/// How long one connection may take to say what it wants.
const TIME: Duration = Duration::from_secs(10);

const DONE: &str = "You can close this page and go back to the terminal.";
const OTHER: &str = "This is not the page that was waited for.";

/// Waits for the redirect that belongs to `state`, and returns its whole URL. Whatever else comes
/// by, a picture that a browser wants or a page that guesses, changes nothing.
pub(super) async fn wait(listener: &TcpListener, base: &Url, state: &str) -> std::io::Result<Url> {
    loop {
        let (mut stream, _) = listener.accept().await?;
        let target = tokio::time::timeout(TIME, request(&mut stream)).await.ok().flatten();
        let url = target.and_then(|target| base.join(&target).ok());
        let url = url.filter(|url| belongs(url, state));
        let (status, text) =
            if url.is_some() { ("200 OK", DONE) } else { ("404 Not Found", OTHER) };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
             Cache-Control: no-store\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        // The browser may be gone; what it brought is here.
        let _ = tokio::time::timeout(TIME, stream.write_all(answer.as_bytes())).await;
        let _ = stream.shutdown().await;
        if let Some(url) = url {
            return Ok(url);
        }
    }
}

/// Whether a URL is the redirect of the login with this state.
pub(super) fn belongs(url: &Url, state: &str) -> bool {
    url.path() == PATH && url.query_pairs().any(|(key, value)| key == "state" && value == state)
}

/// The target of a GET request: a path with a query.
async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 2048];
    while !bytes.contains(&b'\n') {
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(buffer.get(..read)?);
        if bytes.len() > REQUEST_BYTES {
            return None;
        }
    }
    let line = String::from_utf8(bytes.split(|byte| *byte == b'\n').next()?.to_vec()).ok()?;
    let mut words = line.split_ascii_whitespace();
    let target = words.next().filter(|method| *method == "GET").and_then(|_| words.next())?;
    // Never another host.
    (target.starts_with('/') && !target.starts_with("//")).then(|| target.to_owned())
}
