//! How large a value is.

use std::io;

use serde_json::Value;

/// Size of a value as JSON text, without making the text.
pub(crate) fn size(value: &Value) -> usize {
    let mut count = Count(0);
    // Counting cannot fail, and neither can writing a value whose keys are strings.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
