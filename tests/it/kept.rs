//! Outputs that were cut, and are read in full afterwards.

use crate::place::{Place, told};
use serde_json::json;
use std::fs;

#[test]
fn what_a_model_was_not_shown_is_read_in_parts() {
    let place = Place::new(&json!({}));
    place.script(
        "script.ts",
        "for (let n = 0; n < 500; n++) console.log(`${n} äöü line`); return 'end';",
    );
    let state = place.at("state");
    let play = |args: &[&str]| {
        let mut command = place.command(args);
        told(command.env("XDG_STATE_HOME", &state).env("HOME", place.at("home")).output().unwrap())
    };
    let (code, whole, errors) = play(&["run", "script.ts"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(whole.ends_with("499 äöü line\nReturned: \"end\"\n"), "{whole}");
    assert!(!state.exists(), "something was kept of an output that was not cut");

    let (code, cut, errors) = play(&["run", "script.ts", "--budget", "400"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        cut.len() <= 400 && cut.contains(&format!("the whole has {} bytes", whole.len())),
        "{cut}"
    );
    let (_, rest) = cut.split_once("cofferdam output ").unwrap();
    let run = rest.split(' ').next().unwrap();
    let (code, kept, errors) = play(&["output", run]);
    assert_eq!((code, kept.as_str(), errors.as_str()), (Some(0), whole.as_str(), ""));

    // Parts of any size make the whole again, whatever characters they would cut.
    let mut parts = String::new();
    for at in (0..whole.len()).step_by(1001) {
        let (code, part, errors) =
            play(&["output", run, "--range", &format!("{at}-{}", at + 1000)]);
        assert_eq!(code, Some(0), "{errors}");
        assert!(errors.contains(&format!("({} of {} bytes)", part.len(), whole.len())), "{errors}");
        parts += &part;
    }
    assert_eq!(parts, whole);
    let (_, end, _) = play(&["output", run, "--range", &format!("{}-", whole.len() - 4)]);
    assert_eq!(end, "nd\"\n");
    assert_eq!(play(&["output", run, "--range", "1000000-"]).1, "");
    for wrong in ["5-1", "x", "-", "1-x"] {
        let (code, _, errors) = play(&["output", run, &format!("--range={wrong}")]);
        assert!(code == Some(2) && errors.contains("is not a range"), "{wrong}: {errors}");
    }
    let files = fs::read_dir(state.join("cofferdam/outputs")).unwrap();
    for file in files {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "others can read it");
    }
}
