//! Cutting text that is only text.

use std::borrow::Cow;

/// `text` itself if it fits, or its head and tail with a mark between them that says how much is
/// missing; never half a character.
pub(crate) fn middle(text: &str, budget: usize) -> Cow<'_, str> {
    if text.len() <= budget {
        return text.into();
    }
    let mark = |cut: usize| format!("\n[... {cut} bytes cut ...]\n");
    // The mark with the largest number it could hold.
    let room = budget.saturating_sub(mark(text.len()).len());
    let head = text.floor_char_boundary(room / 2);
    let tail = text.ceil_char_boundary(text.len() - (room - room / 2));
    let mut short = format!("{}{}{}", &text[..head], mark(tail - head), &text[tail..]);
    // A budget smaller than the mark.
    short.truncate(short.floor_char_boundary(budget));
    short.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_whole() {
        assert_eq!(middle("abc", 3), "abc");
    }

    #[test]
    fn what_does_not_fit_keeps_head_and_tail_and_says_what_is_missing() {
        let text = format!("{}{}", "a".repeat(500), "z".repeat(500));
        let short = middle(&text, 100);
        assert!(short.len() <= 100 && short.starts_with("aaa") && short.ends_with("zzz"));
        let cut = 1000 - short.matches(['a', 'z']).count() + "bytes cut".matches('a').count();
        assert!(short.contains(&format!("[... {cut} bytes cut ...]")), "{short}");
    }

    #[test]
    fn no_budget_cuts_inside_a_character() {
        let text = "äöü€𝄞".repeat(20);
        for budget in 0..=text.len() {
            let short = middle(&text, budget);
            assert!(short.len() <= budget, "{budget}");
        }
    }
}
