//! Logging in at a server that wants it, and what becomes of the token.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use broker::{
    Action, Broker, ConnectError, Kind, Login, LoginError, OAuth, Policy, Request, Rule,
    ServerConfig, ServerState, TokenStore,
};
use serde_json::json;

use crate::failure;

/// A server that wants a login, its notes, and a store; they go with the test.
pub(crate) struct Scene {
    process: Child,
    pub(crate) url: String,
    folder: PathBuf,
}

impl Scene {
    pub(crate) fn new(behaviour: &str) -> Self {
        Self::sending_on(behaviour, "")
    }

    fn sending_on(behaviour: &str, elsewhere: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("oauth-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/oauth_server.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(behaviour).arg(folder.join("notes")).arg(elsewhere);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { process, url: format!("http://127.0.0.1:{}/mcp", port.trim()), folder }
    }

    pub(crate) fn store(&self) -> TokenStore {
        TokenStore::new(self.folder.join("logins"))
    }

    fn notes(&self, beginning: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join("notes")).unwrap_or_default();
        text.lines().filter(|line| line.starts_with(beginning)).map(str::to_owned).collect()
    }

    async fn begin(&self, oauth: &OAuth) -> Result<Login, LoginError> {
        Login::begin(&self.url, oauth, self.store()).await
    }

    /// Logs in as a user with a browser does.
    async fn log_in(&self, oauth: &OAuth) -> Result<(), LoginError> {
        self.log_in_and_keep(oauth, false).await
    }

    pub(crate) async fn log_in_and_keep(
        &self,
        oauth: &OAuth,
        in_keychain: bool,
    ) -> Result<(), LoginError> {
        let login = self.begin(oauth).await?;
        let browser = reqwest::Client::builder().no_proxy().build().unwrap();
        let visit = async { browser.get(login.url()).send().await.unwrap().text().await.unwrap() };
        let (redirected, page) = tokio::join!(login.wait(), visit);
        assert_eq!(page, "You can close this page and go back to the terminal.");
        login.finish(&redirected?, in_keychain).await
    }

    pub(crate) async fn broker(&self) -> Broker {
        let policy = Policy::default().rule(Rule::new(Action::Allow));
        let config = ServerConfig::http(&self.url).connect_timeout(crate::PATIENCE);
        let builder = Broker::builder().server("tickets", config).policy(policy);
        builder.tokens(self.store()).connect().await.unwrap()
    }

    /// The only file of the store.
    pub(crate) fn file(&self) -> PathBuf {
        let files: Vec<_> = std::fs::read_dir(self.folder.join("logins"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        assert_eq!(files.len(), 1);
        files[0].clone()
    }

    fn token(&self) -> String {
        let text = std::fs::read_to_string(self.file()).unwrap();
        let start = text.find("access-").unwrap();
        text[start..].split('"').next().unwrap().to_owned()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) async fn call(broker: &Broker, tool: &str) -> Result<(), broker::ToolError> {
    let request = Request::new("tickets", tool, json!({}));
    broker.open_run().call(request).await.map(|_| ())
}

#[tokio::test]
async fn a_server_that_wants_a_login_says_so_and_works_after_it() {
    let scene = Scene::new("good");
    let error = failure(&scene.broker().await).to_string();
    let expected = format!("{} wants you to log in: run `cofferdam login tickets`", scene.url);
    assert_eq!(error, expected);

    scene.log_in(&OAuth::default()).await.unwrap();
    let broker = scene.broker().await;
    assert!(
        matches!(broker.servers()[0].state, ServerState::Ready { .. }),
        "{:?}",
        broker.servers()
    );
    call(&broker, "plain").await.unwrap();

    let authorize = scene.notes("authorize");
    assert_eq!(authorize, [format!("authorize registered S256 {} scope=tools", scene.url)]);
    assert_eq!(scene.notes("register"), ["register native none"]);
    assert_eq!(scene.notes("token"), [format!("token authorization_code {} -", scene.url)]);
    // Nobody but the server gets the token, and it only where it belongs.
    assert!(scene.notes("mcp").iter().all(|line| !line.contains("secret")));
    assert!(scene.notes("metadata").iter().all(|line| line == "metadata -"));
    assert!(scene.notes("mcp tools/call").iter().all(|line| line.contains(" token ")));
}

#[tokio::test]
async fn a_login_is_kept_for_its_owner_only_and_forgotten_on_demand() {
    let scene = Scene::new("good");
    scene.log_in(&OAuth::default()).await.unwrap();
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(scene.file()), mode(scene.folder.join("logins"))), (0o600, 0o700));
    assert!(!scene.file().to_string_lossy().contains("127.0.0.1"));
    // A second login takes its place.
    scene.log_in(&OAuth::default()).await.unwrap();
    let file = scene.file();

    // Under the name of another server it is nobody's.
    let other = Scene::new("good");
    other.log_in(&OAuth::default()).await.unwrap();
    std::fs::copy(&file, other.file()).unwrap();
    assert!(matches!(failure(&other.broker().await), ConnectError::LoginNeeded { .. }));

    assert_eq!(scene.store().forget(&scene.url).await, Ok(true));
    assert_eq!(scene.store().forget(&scene.url).await, Ok(false));
    assert!(!file.exists());
    assert!(matches!(failure(&scene.broker().await), ConnectError::LoginNeeded { .. }));
}

#[tokio::test]
async fn a_token_is_renewed_before_it_ends_and_when_it_is_refused() {
    for behaviour in ["short", "revokes"] {
        let scene = Scene::new(behaviour);
        scene.log_in(&OAuth::default()).await.unwrap();
        let first = scene.token();
        let broker = scene.broker().await;
        if behaviour == "short" {
            tokio::time::sleep(Duration::from_millis(2100)).await;
        }
        call(&broker, "plain").await.unwrap();
        assert_ne!(scene.token(), first, "{behaviour}");
        let renewed = format!("token refresh_token {} -", scene.url);
        assert!(scene.notes("token").contains(&renewed), "{:?}", scene.notes("token"));
    }
}

#[tokio::test]
async fn a_login_that_is_over_asks_for_another() {
    let scene = Scene::new("rejects");
    scene.log_in(&OAuth::default()).await.unwrap();
    let broker = scene.broker().await;
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let error = call(&broker, "plain").await.unwrap_err();
    assert_eq!(error.kind, Kind::Unavailable);
    assert!(error.message.contains("run `cofferdam login tickets`"), "{error}");
}

#[tokio::test]
async fn more_rights_are_asked_for_at_the_next_login() {
    let scene = Scene::new("good");
    scene.log_in(&OAuth::default()).await.unwrap();
    let broker = scene.broker().await;
    let error = call(&broker, "admin").await.unwrap_err();
    let wanted = "wants more rights (admin): run `cofferdam login tickets`";
    assert!(error.message.contains(wanted), "{error}");
    call(&broker, "plain").await.unwrap();
    scene.log_in(&OAuth::default()).await.unwrap();
    let authorize = scene.notes("authorize");
    assert!(authorize[1].ends_with("scope=admin tools"), "{authorize:?}");
    call(&broker, "admin").await.unwrap();
}

#[tokio::test]
async fn an_authorization_server_that_cannot_be_trusted_gets_nothing() {
    for (behaviour, problem) in [
        ("no_pkce", "its authorization server does not say that it supports PKCE with S256"),
        ("plain_pkce", "its authorization server does not say that it supports PKCE with S256"),
        ("other_issuer", ""),
        ("other_resource", ""),
    ] {
        let scene = Scene::new(behaviour);
        let error = scene.begin(&OAuth::default()).await.err().unwrap();
        assert!(matches!(error, LoginError::NoLogin { .. }), "{behaviour}: {error}");
        assert!(error.to_string().ends_with(problem), "{behaviour}: {error}");
        assert_eq!(scene.notes("register"), [""; 0], "{behaviour}");
    }
    for behaviour in ["other_iss", "says_no_elsewhere"] {
        let scene = Scene::new(behaviour);
        let error = scene.log_in(&OAuth::default()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the login failed: the answer is not from the authorization server that was asked"
        );
        assert_eq!(scene.notes("token"), [""; 0], "{behaviour}: the code went nowhere");
    }
    let error = Scene::new("says_no").log_in(&OAuth::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the authorization server refused: access_denied");
}

#[tokio::test]
async fn only_the_redirect_of_this_login_counts() {
    let scene = Scene::new("good");
    let login = scene.begin(&OAuth::default()).await.unwrap();
    let base = login.url().split("redirect_uri=").nth(1).unwrap().split('&').next().unwrap();
    let base = base.replace("%3A", ":").replace("%2F", "/");
    let forged = format!("{base}?code=1&state=guessed");
    let browser = reqwest::Client::builder().no_proxy().build().unwrap();
    let visits = async {
        // Neither a picture that a browser wants nor a page that guesses ends the wait.
        for url in [base.replace("/callback", "/favicon.ico"), forged.clone()] {
            assert_eq!(browser.get(url).send().await.unwrap().status(), 404);
        }
        browser.get(login.url()).send().await.unwrap()
    };
    let (redirected, _) = tokio::join!(login.wait(), visits);
    for other in [forged.as_str(), "https://evil.example/callback", "not a URL"] {
        assert_eq!(login.finish(other, false).await, Err(LoginError::NotTheRedirect));
    }
    // The right one still works, pasted from another machine as well.
    login.finish(&format!(" {}\n", redirected.unwrap()), false).await.unwrap();
    assert_eq!(scene.notes("token").len(), 1);
}

#[tokio::test]
async fn clients_are_known_by_registration_by_document_or_beforehand() {
    let scene = Scene::new("known");
    let error = scene.begin(&OAuth::default()).await.err().unwrap().to_string();
    assert!(error.contains("set `clientId` under `oauth`"), "{error}");
    let mut oauth = OAuth::default();
    oauth.client_id = Some("client".to_owned());
    oauth.client_secret = Some("s3cret-s3cret".into());
    scene.log_in(&oauth).await.unwrap();
    // "client:s3cret-s3cret" in base64.
    assert!(scene.notes("token")[0].ends_with("Basic Y2xpZW50OnMzY3JldC1zM2NyZXQ="));
    assert!(!std::fs::read_to_string(scene.file()).unwrap().contains("s3cret"));

    let scene = Scene::new("documents");
    let mut oauth = OAuth::default();
    oauth.client_metadata_url = Some("https://cofferdam.example/client.json".to_owned());
    scene.log_in(&oauth).await.unwrap();
    assert!(
        scene.notes("authorize")[0].starts_with("authorize https://cofferdam.example/client.json")
    );
}

#[tokio::test]
async fn a_token_goes_to_no_other_origin_and_into_no_error() {
    let elsewhere = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}/mcp", elsewhere.local_addr().unwrap());
    let scene = Scene::sending_on("elsewhere", &target);
    scene.log_in(&OAuth::default()).await.unwrap();
    let broker = scene.broker().await;
    let error = call(&broker, "plain").await.unwrap_err();
    assert!(error.message.ends_with("answers with HTTP 307"), "{error}");
    let visited = tokio::time::timeout(Duration::from_millis(300), elsewhere.accept()).await;
    assert!(visited.is_err(), "somebody came");

    let scene = Scene::new("good");
    scene.log_in(&OAuth::default()).await.unwrap();
    let broker = scene.broker().await;
    let error = call(&broker, "leak").await.unwrap_err();
    assert_eq!(error.message, "your token is ***");
}

#[tokio::test]
async fn a_client_may_act_for_itself() {
    let scene = Scene::new("own");
    let reach = async |secret: &str| {
        let mut oauth = OAuth::default();
        oauth.client_credentials = true;
        oauth.client_id = Some("robot".to_owned());
        oauth.client_secret = Some(secret.into());
        let policy = Policy::default().rule(Rule::new(Action::Allow));
        let config = ServerConfig::http(&scene.url).connect_timeout(crate::PATIENCE).oauth(oauth);
        // Nobody keeps logins, and none is needed.
        Broker::builder().server("tickets", config).policy(policy).connect().await.unwrap()
    };
    let broker = reach("s3cret").await;
    for _ in 0..5 {
        // A token that is refused is replaced by another.
        call(&broker, "plain").await.unwrap();
    }
    let asked = scene.notes("token client_credentials");
    assert!((2..=3).contains(&asked.len()), "{asked:?}");
    assert!(asked.iter().all(|note| note.contains(&scene.url)), "no resource in {asked:?}");
    assert_eq!(scene.notes("authorize"), [""; 0]);
    let error = call(&broker, "admin").await.unwrap_err();
    assert!(error.message.contains("HTTP 403"), "{error}");
    assert!(!error.message.contains("cofferdam login"), "{error}");
    let error = call(&broker, "leak").await.unwrap_err();
    assert_eq!(error.message, "your token is ***");

    let error = failure(&reach("wrong").await).to_string();
    let expected = format!("the login at {} cannot be used: ", scene.url);
    assert_eq!(error, expected + "its authorization server gave no token");
}
