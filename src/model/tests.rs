use super::*;
use broker::Secret;
use proptest::prelude::*;
use serde_json::json;

const SECRET: &str = "s3cr3t-t0ken-0001";

fn redactor() -> Redactor {
    Redactor::new([Secret::from(SECRET)])
}

fn read(console: &str, value: Option<&str>, ending: &str, budget: &OutputBudget) -> ModelText {
    let parts = Parts { console: console.to_owned(), value, ending: ending.to_owned() };
    text(&parts, &redactor(), budget)
}

#[test]
fn what_fits_is_whole_and_without_what_must_not_be_in_it() {
    let value = json!([{ "note": format!("\x1b[31mred {SECRET}") }, { SECRET: 1 }]).to_string();
    let console = format!("\x1b]0;x\x07hello {SECRET}\n");
    let seen = read(&console, Some(&value), "", &OutputBudget::bytes(1000));
    let expected = "hello ***\nReturned: [{\"note\":\"red ***\"},{\"***\":1}]\n";
    assert_eq!((seen.text.as_str(), seen.was_cut), (expected, false));
}

#[test]
fn a_cut_text_keeps_all_of_its_parts_and_says_how_to_get_the_rest() {
    let console: String = (0..1000).map(|n| format!("line {n}\n")).collect();
    let rows: Vec<_> = (0..1000).map(|n| json!({ "id": n, "state": "open" })).collect();
    let ending = "The run was cancelled.\nCalls made by this run:\n  #1 a/b: succeeded\n";
    let value = json!(rows).to_string();
    let budget = OutputBudget::bytes(900).rest("cofferdam output 12ab --range A-B");
    insta::assert_snapshot!(read(&console, Some(&value), "", &budget).text);
    insta::assert_snapshot!(read(&console, None, ending, &budget).text);
    insta::assert_snapshot!(read("", Some(&value), "", &OutputBudget::bytes(300)).text);
}

#[test]
fn tokens_are_a_budget_as_well() {
    assert_eq!(estimated_tokens("abcdefgh"), 2);
    assert_eq!(estimated_tokens("日本語x"), 4);
    let console = "日本語".repeat(1000);
    let budget = OutputBudget::bytes(100_000).tokens(500);
    let seen = read(&console, None, "", &budget);
    assert!(seen.was_cut && estimated_tokens(&seen.text) <= 500);
    assert!(estimated_tokens(&seen.text) > 400, "{}", estimated_tokens(&seen.text));
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        r"\PC{0,30}",
        "[\u{1b}\u{9b}\u{9d}\\[\\]0-9;mKJ\u{7}\u{202e}]{0,12}",
        Just(SECRET.to_owned()),
        Just(SECRET[..8].to_owned()),
        Just(SECRET[8..].to_owned()),
        Just(format!("{}\u{1b}[0m{}", &SECRET[..5], &SECRET[5..])),
        Just("x".repeat(200)),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_passes_its_budget_or_keeps_a_credential_or_an_escape(
        console in any_text(), string in any_text(), ending in any_text(), broken in any::<bool>(),
        bytes in 0usize..900, tokens in prop::option::of(0usize..200),
    ) {
        let value = json!({ "a": [string, { &string: 1 }], "b": 2 }).to_string();
        let value = if broken { &value[..value.floor_char_boundary(value.len() / 2)] } else { &value };
        let mut budget = OutputBudget::bytes(bytes).rest("cofferdam output 12ab");
        budget.tokens = tokens;
        let seen = read(&console, Some(value), &ending, &budget);
        prop_assert!(budget.holds(&seen.text), "{} bytes", seen.text.len());
        prop_assert!(!seen.text.contains(SECRET), "{}", seen.text);
        prop_assert!(!seen.text.contains(clean::is_removed), "{:?}", seen.text);
    }
}
