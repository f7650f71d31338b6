use std::time::Instant;

use super::*;

fn command(script: &str) -> CredentialSource {
    CredentialSource::Command { program: "sh".into(), args: vec!["-c".into(), script.into()] }
}

async fn error(source: CredentialSource) -> String {
    source.fetch_within(Duration::from_secs(10)).await.unwrap_err().to_string()
}

struct Scratch(PathBuf);

impl Scratch {
    fn with(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("credential-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[tokio::test]
async fn a_file_gives_what_is_in_it_without_the_line_end() {
    for (name, content) in [("plain", "hunter2"), ("unix", "hunter2\n"), ("windows", "hunter2\r\n")]
    {
        let file = Scratch::with(name, content.as_bytes());
        let secret = CredentialSource::File(file.0.clone()).fetch().await.unwrap();
        assert_eq!(secret.expose(), "hunter2");
    }
    let two = Scratch::with("two", b" a\nb \n");
    assert_eq!(CredentialSource::File(two.0.clone()).fetch().await.unwrap().expose(), " a\nb ");
}

#[tokio::test]
async fn a_file_that_is_no_credential_says_so_without_its_content() {
    let large = Scratch::with("large", &vec![b'x'; BYTES + 1]);
    let message = error(CredentialSource::File(large.0.clone())).await;
    assert!(message.ends_with("gave more than 64 KiB, too much for a credential"), "{message}");
    let empty = Scratch::with("empty", b"\n");
    assert!(error(CredentialSource::File(empty.0.clone())).await.ends_with("gave nothing"));
    let binary = Scratch::with("binary", b"hunter2\xff");
    let message = error(CredentialSource::File(binary.0.clone())).await;
    assert!(message.ends_with("gave something that is not text"), "{message}");
    let message = error(CredentialSource::File("/no/such".into())).await;
    assert!(message.starts_with("the file /no/such cannot be read: No such file"), "{message}");
    let message = error(CredentialSource::File("/dev/zero".into())).await;
    assert!(message.ends_with("it is not a regular file"), "{message}");
}

#[tokio::test]
async fn a_command_gives_what_it_prints() {
    let source =
        CredentialSource::Command { program: "echo".into(), args: vec!["$HOME; hunter2".into()] };
    // No shell has looked at it.
    assert_eq!(source.fetch().await.unwrap().expose(), "$HOME; hunter2");
    assert_eq!(command("printf hunter2").fetch().await.unwrap().expose(), "hunter2");
}

#[tokio::test]
async fn a_command_that_fails_is_quoted_without_the_credential() {
    let message =
        error(command("echo hunter2-hunter2; echo locked: hunter2-hunter2 >&2; exit 3")).await;
    assert_eq!(message, "the command `sh` ended with code 3: locked: ***");
    let message = error(command("kill -9 $$")).await;
    assert_eq!(message, "the command `sh` ended with signal 9");
    let nobody = CredentialSource::Command {
        program: "no-such-program".into(),
        args: vec!["secret".into()],
    };
    let message = error(nobody).await;
    assert_eq!(message, "the command `no-such-program` cannot be started: it was not found");
}

#[tokio::test]
async fn a_command_without_end_is_ended() {
    let began = Instant::now();
    let mark = std::env::temp_dir().join(format!("credential-{}-mark", std::process::id()));
    // What it started itself goes along.
    let slow = command(&format!("(sleep 2; touch {}) & sleep 60", mark.display()));
    let error = slow.fetch_within(Duration::from_millis(200)).await.unwrap_err();
    assert_eq!(error.to_string(), "the command `sh` gave nothing within 0.2s");
    let message = self::error(command("yes hunter2-hunter2")).await;
    assert_eq!(message, "the command `sh` gave more than 64 KiB, too much for a credential");
    assert!(began.elapsed() < Duration::from_secs(30));
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert!(!mark.exists(), "what the command started has outlived it");
}

#[tokio::test]
async fn nothing_that_was_fetched_prints() {
    let template = Template::new(
        "here",
        vec![Part::Text("Bearer-hunter2".into()), Part::From(command("printf hunter2"))],
    );
    let fetched = template.fetch().await.ok().unwrap();
    assert_eq!(fetched.text, "Bearer-hunter2hunter2");
    assert_eq!(format!("{template:?} {:?}", fetched.secrets), "[***, the command `sh`] [***]");
}
