//! URIs, as far as identifiers of schemas need them.

/// Resolves a relative URI against a base; enough of RFC 3986 for identifiers of schemas.
pub(super) fn join(base: &str, uri: &str) -> String {
    let scheme =
        |text: &str| text.find(':').filter(|at| !text.get(..*at).unwrap_or("/").contains('/'));
    if scheme(uri).is_some() || base.is_empty() {
        return uri.to_owned();
    }
    let authority = base.find("://").map_or(0, |at| at + 3);
    let path = base.get(authority..).and_then(|rest| rest.find('/')).map(|at| authority + at);
    let kept = if uri.starts_with('/') {
        path.unwrap_or(base.len())
    } else {
        base.rfind('/').filter(|at| *at >= authority).map_or(0, |at| at + 1)
    };
    let uri = uri.strip_prefix("./").unwrap_or(uri);
    format!("{}{uri}", base.get(..kept).unwrap_or_default())
}

/// A fragment of a URI as the text that it stands for.
pub(crate) fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = (first == b'%').then(|| tail.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_uris_are_joined() {
        assert_eq!(join("https://a.b/c/d", "e"), "https://a.b/c/e");
        assert_eq!(join("https://a.b/c/d", "/e"), "https://a.b/e");
        assert_eq!(join("https://a.b/c/d", "urn:x"), "urn:x");
        assert_eq!(join("", "e"), "e");
    }

    #[test]
    fn broken_percent_signs_stay() {
        assert_eq!(percent_decoded("a%25b%c"), "a%b%c");
    }
}
