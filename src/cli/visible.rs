//! Text of strangers, for a person to look at.

pub(super) use cofferdam::visible::{first_line, visible};
