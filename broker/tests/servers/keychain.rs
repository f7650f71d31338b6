//! Credentials and logins in a real Secret Service: GNOME Keyring, in a session of its own.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use broker::{CredentialError, CredentialSource, OAuth};

use crate::oauth::{Scene, call};

/// Run by the test below, in a session with an open keychain.
#[tokio::test]
#[ignore = "a part of another test"]
async fn in_the_session_of_the_environment() {
    let source = |account: &str| CredentialSource::Keychain {
        service: "notes".to_owned(),
        account: account.to_owned(),
    };
    let absent = CredentialError::NotInKeychain { service: "notes".into(), account: "me".into() };
    assert_eq!(source("me").fetch().await.map(|_| ()), Err(absent.clone()));
    let set = |account: &'static str, value: &'static str| {
        // It blocks, and must not do so on a thread of the runtime.
        tokio::task::spawn_blocking(move || {
            keyring::Entry::new("notes", account)
                .and_then(|entry| entry.set_secret(value.as_bytes()))
        })
    };
    set("me", "t0ken of the user\n").await.unwrap().unwrap();
    set("you", "").await.unwrap().unwrap();
    let secret = source("me").fetch().await.unwrap();
    assert_eq!(secret.expose(), "t0ken of the user");
    assert!(matches!(source("you").fetch().await, Err(CredentialError::Unusable { .. })));

    let scene = Scene::new("good");
    scene.log_in_and_keep(&OAuth::default(), true).await.unwrap();
    let file = std::fs::read_to_string(scene.file()).unwrap();
    assert_eq!(file, "\"in_keychain\"", "nothing of the login is in the file");
    call(&scene.broker().await, "plain").await.unwrap();
    assert_eq!(scene.store().forget(&scene.url).await, Ok(true));
    let error = call(&scene.broker().await, "plain").await.unwrap_err();
    assert!(error.message.contains("cofferdam login"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_secret_service_keeps_credentials_and_logins() {
    let missing = ["gnome-keyring-daemon", "dbus-run-session"].into_iter().find(|program| {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        !std::env::split_paths(&paths).any(|folder| folder.join(program).exists())
    });
    if let Some(program) = missing {
        // Not by `eprintln!`, which is not shown when the test passes.
        let message = format!("\nNOT TESTED with a Secret Service: {program} is not installed\n");
        let _ = std::io::stderr().write_all(message.as_bytes());
        return;
    }
    let home = tempfile::tempdir().unwrap();
    std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o700)).unwrap();
    // The keychain is opened, and made, with a password; it ends with the session.
    let open =
        "echo -n password | gnome-keyring-daemon --unlock --components=secrets && exec \"$@\"";
    let mut session = Command::new("dbus-run-session");
    session.args(["--", "sh", "-c", open, "sh"]).arg(std::env::current_exe().unwrap());
    session.args(["--ignored", "--exact", "keychain::in_the_session_of_the_environment"]);
    for variable in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"] {
        session.env(variable, home.path());
    }
    let output = session.output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}
