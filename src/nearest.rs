//! The name that was probably meant.

/// Names less alike than this (Jaro-Winkler) are no help.
const ALIKE: f64 = 0.8;

/// The one of `names` that is most like `wanted`, if one is like it at all.
pub(crate) fn nearest<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(wanted, name), name))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}
