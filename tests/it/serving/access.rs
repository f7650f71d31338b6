//! Clients that an authorization server lets in.

use super::{
    http::{INITIALIZE, with},
    scene::{Instance, Scene, Sdk, run, text},
};
use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use jsonwebtoken::{Algorithm, EncodingKey, Header, jwk::Jwk};
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::Arc,
    time::Duration,
};

/// An authorization server, for clients that act for themselves.
struct Issuer {
    url: String,
    key: EncodingKey,
}

impl Issuer {
    fn start() -> Arc<Self> {
        let pair =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let key = EncodingKey::from_ec_der(pair.unwrap().as_ref());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let issuer = Arc::new(Self { url, key });
        let answering = Arc::clone(&issuer);
        std::thread::spawn(move || {
            listener.incoming().filter_map(Result::ok).for_each(|stream| answering.answer(stream));
        });
        issuer
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut request = Vec::new();
        let mut bytes = [0; 4096];
        // A form comes in one piece with its head, or right after it.
        let text = loop {
            let count = stream.read(&mut bytes).unwrap_or(0);
            request.extend_from_slice(&bytes[..count]);
            let text = String::from_utf8_lossy(&request);
            let is_whole = match text.split_once("\r\n\r\n") {
                Some((head, body)) => !head.starts_with("POST") || body.contains("grant_type"),
                None => false,
            };
            if count == 0 || is_whole {
                break text.into_owned();
            }
        };
        let url = &self.url;
        let answer = if text.starts_with("GET /.well-known/oauth-authorization-server ") {
            json!({
                "issuer": url,
                "jwks_uri": format!("{url}/keys"),
                "authorization_endpoint": format!("{url}/authorize"),
                "token_endpoint": format!("{url}/token"),
                "response_types_supported": ["code"],
                "grant_types_supported": ["client_credentials"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
                "code_challenge_methods_supported": ["S256"],
            })
        } else if text.starts_with("GET /keys ") {
            json!({ "keys": [Jwk::from_encoding_key(&self.key, Algorithm::ES256).unwrap()] })
        } else if text.starts_with("POST /token ") {
            let form = text.split_once("\r\n\r\n").unwrap().1;
            let mut form = url::form_urlencoded::parse(form.as_bytes()).into_owned();
            let resource = form.find(|(name, _)| name == "resource");
            let token = self.token("robot", &resource.unwrap().1, "scripts");
            json!({ "access_token": token, "token_type": "Bearer", "expires_in": 600 })
        } else {
            Value::Null
        };
        let status = if answer.is_null() { "404 No" } else { "200 OK" };
        let body = answer.to_string();
        let _ = write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
    }

    fn token(&self, subject: &str, resource: &str, scope: &str) -> String {
        let exp = jsonwebtoken::get_current_timestamp() + 600;
        let claims = json!({
            "iss": self.url, "sub": subject, "aud": resource, "exp": exp, "scope": scope,
        });
        jsonwebtoken::encode(&Header::new(Algorithm::ES256), &claims, &self.key).unwrap()
    }
}

/// A server of ours that knows the issuer, and the URL by which it is reached.
fn serve(scene: &Scene, issuer: &str, more: &[&str]) -> (Instance, String) {
    // Free now, and hardly taken until the server has it.
    let free = free_address();
    let resource = format!("http://{free}/mcp");
    let known = ["--oauth-issuer", issuer, "--resource", &resource, "--oauth-scope", "scripts"];
    (scene.http_at(&free, &[&known, more].concat(), &[]), resource)
}

fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[test]
fn tokens_of_an_issuer_let_in_and_others_are_told_why_not() {
    let (scene, issuer) = (Scene::new(), Issuer::start());
    let (instance, resource) = serve(&scene, &issuer.url, &[]);
    let ask = |token: &str| {
        let bearer = format!("Bearer {token}");
        instance.send("POST", "/mcp", &with(&[("Authorization", &bearer)]), INITIALIZE)
    };
    let metadata = format!("http://{}/.well-known/oauth-protected-resource/mcp", instance.address);
    let (status, answer) = instance.send("POST", "/mcp", &with(&[]), INITIALIZE);
    let wanted = format!("Bearer scope=\"scripts\", resource_metadata=\"{metadata}\"");
    assert!(status == 401 && answer.contains(&wanted), "{answer}");
    let (status, answer) = ask(&issuer.token("ann", "https://other.example/mcp", "scripts"));
    let wanted = "error=\"invalid_token\", error_description=\"it is not for this server\"";
    assert!(status == 401 && answer.contains(wanted), "{answer}");
    let (status, answer) = ask(&issuer.token("ann", &resource, "mail"));
    let wanted = "Bearer error=\"insufficient_scope\", scope=\"scripts\"";
    assert!(status == 403 && answer.contains(wanted), "{answer}");
    let good = issuer.token("ann", &resource, "scripts");
    assert_eq!(ask(&good).0, 200);

    let (status, answer) = instance.get("/.well-known/oauth-protected-resource/mcp", &[]);
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let expected = json!({
        "resource": resource,
        "authorization_servers": [issuer.url],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["scripts"],
    });
    assert_eq!((status, body), (200, expected));

    let mut server = instance.server();
    server["token"] = json!(good);
    let seen = Sdk::Modern.play(&json!({ "server": server, "steps": [run("return 1")] }));
    assert_eq!(text(&seen, 0), "Returned: 1\n");
}

#[test]
fn users_of_an_issuer_do_not_see_each_others_runs() {
    let (scene, issuer) = (Scene::new(), Issuer::start());
    let (instance, resource) = serve(&scene, &issuer.url, &["--soft-limit", "300ms"]);
    let server = |user: &str| {
        let mut server = instance.server();
        server["token"] = json!(issuer.token(user, &resource, "scripts"));
        server
    };
    let script = "await new Promise((done) => setTimeout(done, 1500)); return 'kept'";
    let begun = Sdk::Modern.play(&json!({ "server": server("ann"), "steps": [run(script)] }));
    let id = &begun["steps"][0]["answer"]["structuredContent"]["run_id"];
    std::thread::sleep(Duration::from_secs(2));
    let wait = json!([{ "tool": "wait_run", "arguments": { "run_id": id } }]);
    let stranger = Sdk::Modern.play(&json!({ "server": server("bob"), "steps": wait }));
    assert!(text(&stranger, 0).contains("there is no such run"), "{stranger:#}");
    // Another token of the same user.
    let back = Sdk::Modern.play(&json!({ "server": server("ann"), "steps": wait }));
    assert_eq!(back["steps"][0]["answer"]["structuredContent"]["value"], json!("kept"), "{back:#}");
}

#[test]
fn an_issuer_that_cannot_be_asked_is_told_as_such() {
    let (scene, issuer) = (Scene::new(), Issuer::start());
    let nobody = format!("http://{}", free_address());
    let (instance, resource) = serve(&scene, &nobody, &[]);
    let away = Issuer { url: nobody, key: issuer.key.clone() };
    let bearer = format!("Bearer {}", away.token("ann", &resource, "scripts"));
    let headers = with(&[("Authorization", &bearer)]);
    let (status, answer) = instance.send("POST", "/mcp", &headers, INITIALIZE);
    assert!(status == 503 && answer.to_lowercase().contains("retry-after: 30"), "{answer}");
}

/// Our client finds the issuer by our server's answer, and gets a token for itself.
#[test]
fn a_client_of_ours_gets_in_by_itself() {
    let (scene, issuer) = (Scene::new(), Issuer::start());
    let (_instance, resource) = serve(&scene, &issuer.url, &[]);
    let folder = tempfile::tempdir().unwrap();
    let config = json!({
        "mcpServers": { "remote": {
            "url": resource,
            "oauth": {
                "clientId": "robot", "clientSecret": "hunter2-hunter2", "clientCredentials": true,
            },
        } },
        "policy": [{ "tools": "remote_*", "action": "allow" }],
    });
    let file = folder.path().join("config.json");
    fs::write(&file, config.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
    command.args(["call", "--config"]).arg(&file).arg("remote_run_code");
    let output = command.arg(r#"{"script":"return 6 * 7"}"#).env("HOME", folder.path()).output();
    let output = output.unwrap();
    let seen = String::from_utf8_lossy(&output.stdout);
    assert!(seen.contains("42"), "{seen}{}", String::from_utf8_lossy(&output.stderr));
}
