//! Logging in with the program, as a person with a browser does, and without one.

#![allow(clippy::unwrap_used, reason = "a scene that cannot be set up fails its test")]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

struct Scene {
    folder: tempfile::TempDir,
    server: Child,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut server = Command::new("python3")
            .arg(root.join("broker/tests/fixtures/oauth_server.py"))
            .arg("good")
            .arg(folder.path().join("notes"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let config = format!(
            r#"{{ "mcpServers": {{ "web": {{ "url": "http://127.0.0.1:{}/mcp" }} }},
                  "policy": [{{ "action": "allow", "tools": "*" }}] }}"#,
            port.trim()
        );
        fs::write(folder.path().join(".mcp.json"), config).unwrap();
        Self { folder, server }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.args(args).current_dir(self.folder.path()).env("HOME", self.folder.path());
        command.env_remove("XDG_DATA_HOME").env_remove("XDG_CONFIG_HOME");
        command.env("COFFERDAM_LOG", "trace");
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Logs in; `come_back` does what the browser does with the page.
    fn log_in(&self, come_back: impl FnOnce(&str, &mut dyn Write)) -> String {
        let mut command = self.command(&["login", "web"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut login = command.spawn().unwrap();
        let mut stdout = BufReader::new(login.stdout.take().unwrap());
        let mut page = String::new();
        stdout.read_line(&mut page).unwrap();
        let mut stdin = login.stdin.take().unwrap();
        come_back(page.trim(), &mut stdin);
        let mut said = String::new();
        login.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(login.wait().unwrap().success(), "{said}");
        assert!(said.contains("You are logged in at `web`."), "{said}");
        said
    }

    fn tokens(&self) -> String {
        let folder: PathBuf = self.folder.path().join(".local/share/cofferdam/logins");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| fs::read_to_string(path).unwrap()).collect()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Visits a page; with `follow` as far as it leads, and without only to where it sends one.
fn visit(page: &str, follow: bool) -> String {
    let script = "
import sys, urllib.request, urllib.error
class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_): return None
handlers = [urllib.request.ProxyHandler({})] + ([] if sys.argv[2] == 'true' else [Stay])
try: print(urllib.request.build_opener(*handlers).open(sys.argv[1]).read().decode())
except urllib.error.HTTPError as error: print(error.headers['Location'])
";
    let output = Command::new("python3").args(["-c", script, page, &follow.to_string()]).output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}

#[test]
fn a_login_with_a_browser_lasts_until_it_is_forgotten() {
    let scene = Scene::new();
    let before = scene.run(&["call", "web/plain"]);
    let said = String::from_utf8_lossy(&before.stderr).into_owned();
    assert_eq!(before.status.code(), Some(4));
    assert!(said.contains("wants you to log in: run `cofferdam login web`"), "{said}");

    let said = scene.log_in(|page, _| {
        assert!(visit(page, true).contains("You can close this page"));
    });
    let after = scene.run(&["call", "web/plain"]);
    assert!(after.status.success(), "{after:?}");

    // Not in the log of everything either, of what was got or of what was used.
    let kept = scene.tokens();
    let log = [said, String::from_utf8_lossy(&after.stderr).into_owned()].concat();
    for what in ["access-", "refresh-"] {
        let start = kept.find(what).unwrap();
        let secret = kept[start..].split('"').next().unwrap();
        let shown = log.lines().find(|line| line.contains(secret));
        assert!(shown.is_none(), "{shown:?}");
    }
    assert!(!log.contains("identity-of-the-user"), "{log}");

    assert!(scene.run(&["logout", "web"]).status.success());
    assert_eq!(scene.run(&["call", "web/plain"]).status.code(), Some(4));
}

#[test]
fn a_login_without_a_browser_takes_the_address_that_is_pasted() {
    let scene = Scene::new();
    let said = scene.log_in(|page, stdin| {
        let address = visit(page, false);
        writeln!(stdin, "https://elsewhere.example/callback?code=1&state=2").unwrap();
        writeln!(stdin, "{}", address.trim()).unwrap();
    });
    assert!(said.contains("this is not the URL that the browser was sent to"), "{said}");
    assert!(scene.run(&["call", "web/plain"]).status.success());
}
