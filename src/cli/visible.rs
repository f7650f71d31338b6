//! Text of strangers, for a person to look at.

pub(super) use cofferdam::visible::{first_line, in_json, one_line, visible};
