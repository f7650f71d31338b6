//! Times and sizes as a person writes them.

use std::time::Duration;

/// Clocks are added to the current time, which has an end; nobody means longer ones.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A text that is not a time or not a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// Not a time.
    #[error("`{0}` is not a time; write for example `30s`, `500ms` or `2m`")]
    Time(String),
    /// A time that is too long to be meant.
    #[error("`{0}` is too long; a year is the longest time")]
    TooLong(String),
    /// Not a size.
    #[error("`{0}` is not a size; write a number of bytes, or for example `512KiB` or `256MiB`")]
    Size(String),
}

/// Reads a time such as `30s`, `500ms`, `2m` or `1m 30s`. The longest is a year.
///
/// # Errors
/// [`QuantityError`] for anything else, a number without a unit included.
pub fn parse_duration(text: &str) -> Result<Duration, QuantityError> {
    let duration =
        humantime::parse_duration(text.trim()).map_err(|_| QuantityError::Time(text.to_owned()))?;
    if duration > LONGEST {
        return Err(QuantityError::TooLong(text.to_owned()));
    }
    // Plain `0` is a time to the parser; here every time has a unit.
    if text.trim().chars().all(|char| char.is_ascii_digit()) {
        return Err(QuantityError::Time(text.to_owned()));
    }
    Ok(duration)
}

/// Reads a size in bytes such as `1048576`, `512KiB`, `256MiB` or `1MB` (a million).
///
/// # Errors
/// [`QuantityError`] for anything else.
pub fn parse_size(text: &str) -> Result<usize, QuantityError> {
    let wrong = || QuantityError::Size(text.to_owned());
    let size: bytesize::ByteSize = text.trim().parse().map_err(|_| wrong())?;
    // The parser takes what is too large for the largest number.
    let bytes = usize::try_from(size.as_u64()).ok().filter(|bytes| *bytes < usize::MAX);
    bytes.ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_an_end() {
        assert_eq!(parse_duration("1m 30s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        for text in ["", "0", "30", "-1s", "soon"] {
            assert_eq!(parse_duration(text), Err(QuantityError::Time(text.into())));
        }
        assert_eq!(parse_duration("500years"), Err(QuantityError::TooLong("500years".into())));
    }

    #[test]
    fn sizes_are_bytes_or_have_units() {
        assert_eq!(parse_size("4096"), Ok(4096));
        assert_eq!(parse_size("256MiB"), Ok(256 << 20));
        assert_eq!(parse_size("1MB"), Ok(1_000_000));
        for text in ["", "-1", "1 lot", "99999999EiB"] {
            assert_eq!(parse_size(text), Err(QuantityError::Size(text.into())));
        }
    }
}
