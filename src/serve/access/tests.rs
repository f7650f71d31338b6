//! Tokens of an issuer that runs here, good ones and all kinds of bad ones.

use super::*;
use crate::serve::issuer::{FRESH, PAUSE, STALE};
use aws_lc_rs::{
    encoding::{AsDer, Pkcs8V1Der},
    rand::SystemRandom,
    rsa,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair},
};
use axum::{Router, extract::State, http::StatusCode, routing::get};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{EncodingKey, Header, jwk::Jwk};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use std::time::Duration;

const RESOURCE: &str = "https://tools.example/mcp";

/// A key pair of an issuer.
struct Pair {
    algorithm: Algorithm,
    private: EncodingKey,
    public: Jwk,
}

impl Pair {
    fn new(algorithm: Algorithm, id: &str) -> Self {
        let random = SystemRandom::new();
        let private = match algorithm {
            Algorithm::ES256 => EncodingKey::from_ec_der(
                EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)
                    .unwrap()
                    .as_ref(),
            ),
            Algorithm::EdDSA => EncodingKey::from_ed_der(
                Ed25519KeyPair::generate_pkcs8v1(&random).unwrap().as_ref(),
            ),
            _ => {
                let pair = rsa::KeyPair::generate(rsa::KeySize::Rsa2048).unwrap();
                let pkcs8: Pkcs8V1Der<'_> = pair.as_der().unwrap();
                // The PKCS #1 key inside of it, which begins there at this size.
                EncodingKey::from_rsa_der(&pkcs8.as_ref()[26..])
            }
        };
        let mut public = Jwk::from_encoding_key(&private, algorithm).unwrap();
        public.common.key_id = Some(id.to_owned());
        Self { algorithm, private, public }
    }

    /// A token with these claims, by the key that it names.
    fn token(&self, claims: &Value) -> String {
        let mut header = Header::new(self.algorithm);
        header.kid.clone_from(&self.public.common.key_id);
        jsonwebtoken::encode(&header, claims, &self.private).unwrap()
    }
}

/// An issuer that runs, and what it answers.
#[derive(Default)]
struct Answers {
    metadata: Value,
    keys: Vec<Value>,
    is_down: bool,
}

struct Running {
    url: String,
    answers: Arc<Mutex<Answers>>,
    asked: Arc<AtomicUsize>,
}

impl Running {
    async fn new(keys: &[&Pair]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (answers, asked) = (Arc::<Mutex<Answers>>::default(), Arc::<AtomicUsize>::default());
        let part = |of: fn(&Answers) -> Value, counts: bool| {
            let asked = asked.clone();
            get(move |State(answers): State<Arc<Mutex<Answers>>>| async move {
                asked.fetch_add(usize::from(counts), Ordering::SeqCst);
                let answers = answers.lock().unwrap();
                match answers.is_down {
                    true => (StatusCode::INTERNAL_SERVER_ERROR, String::new()),
                    false => (StatusCode::OK, of(&answers).to_string()),
                }
            })
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", part(|it| it.metadata.clone(), false))
            .route("/keys", part(|it| json!({ "keys": it.keys }), true))
            .with_state(answers.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let running = Self { url, answers, asked };
        let metadata =
            json!({ "issuer": running.url, "jwks_uri": format!("{}/keys", running.url) });
        running.change(|answers| answers.metadata = metadata);
        running.has(keys);
        running
    }

    fn change(&self, change: impl FnOnce(&mut Answers)) {
        change(&mut self.answers.lock().unwrap());
    }

    fn has(&self, keys: &[&Pair]) {
        let keys = keys.iter().map(|pair| serde_json::to_value(&pair.public).unwrap()).collect();
        self.change(|answers| answers.keys = keys);
    }

    fn access(&self) -> Access {
        let resource = Resource::new(RESOURCE, [self.url.as_str()]).unwrap();
        Access::new(resource.scopes(["run", "read"]).unwrap()).unwrap()
    }

    /// Claims that let their bearer in, and these instead of those of the same name.
    fn claims(&self, other: Value) -> Value {
        let now = jsonwebtoken::get_current_timestamp();
        let mut claims = json!({
            "iss": self.url, "sub": "ann", "aud": RESOURCE, "exp": now + 600, "scope": "read run write",
        });
        for (name, value) in other.as_object().unwrap() {
            if value.is_null() {
                claims.as_object_mut().unwrap().remove(name);
            } else {
                claims[name] = value.clone();
            }
        }
        claims
    }
}

/// The clock is so much later now.
async fn later(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_token_lets_in_whom_its_issuer_means_and_nobody_else() {
    let pair = Pair::new(Algorithm::ES256, "1");
    let issuer = Running::new(&[&pair]).await;
    let access = issuer.access();
    let now = jsonwebtoken::get_current_timestamp();
    let cases = [
        ("as it should be", json!({}), Ok(())),
        ("for several servers", json!({ "aud": ["https://a.example", RESOURCE] }), Ok(())),
        ("with a slash", json!({ "aud": format!("{RESOURCE}/") }), Ok(())),
        ("a list of scopes", json!({ "scope": null, "scp": ["run", "read"] }), Ok(())),
        ("late, as clocks are", json!({ "exp": now - 10 }), Ok(())),
        ("expired", json!({ "exp": now - 60 }), Err(Bad::Token("it has expired"))),
        ("not yet", json!({ "nbf": now + 60 }), Err(Bad::Token("it is not valid yet"))),
        (
            "for another",
            json!({ "aud": "https://tools.example" }),
            Err(Bad::Token("it is not for this server")),
        ),
        (
            "for a longer name",
            json!({ "aud": format!("{RESOURCE}/x") }),
            Err(Bad::Token("it is not for this server")),
        ),
        (
            "for nobody",
            json!({ "aud": null }),
            Err(Bad::Token("it lacks `exp`, `iss`, `aud` or `sub`")),
        ),
        (
            "for ever",
            json!({ "exp": null }),
            Err(Bad::Token("it lacks `exp`, `iss`, `aud` or `sub`")),
        ),
        (
            "of another",
            json!({ "iss": "https://evil.example" }),
            Err(Bad::Token("it is of another issuer")),
        ),
        (
            "of one with a slash",
            json!({ "iss": format!("{}/", issuer.url) }),
            Err(Bad::Token("it is of another issuer")),
        ),
        (
            "of nobody",
            json!({ "iss": null }),
            Err(Bad::Token("it is no JWT that says who issued it")),
        ),
        ("about nobody", json!({ "sub": null }), Err(Bad::Token("its claims cannot be read"))),
        ("about an empty name", json!({ "sub": "" }), Err(Bad::Token("it has no `sub`"))),
        ("about a number", json!({ "sub": 1 }), Err(Bad::Token("its claims cannot be read"))),
        ("without a scope", json!({ "scope": "run" }), Err(Bad::Scope)),
        ("with a longer scope", json!({ "scope": "run reader" }), Err(Bad::Scope)),
        ("with no scope", json!({ "scope": null }), Err(Bad::Scope)),
    ];
    for (name, claims, expected) in cases {
        let token = pair.token(&issuer.claims(claims));
        assert_eq!(access.identity(&token).await.map(drop), expected, "{name}");
    }
}

#[tokio::test]
async fn a_forged_token_lets_nobody_in() {
    let (pair, other) = (Pair::new(Algorithm::ES256, "1"), Pair::new(Algorithm::ES256, "1"));
    let issuer = Running::new(&[&pair]).await;
    let access = issuer.access();
    let claims = issuer.claims(json!({}));
    let good = pair.token(&claims);
    let parts: Vec<&str> = good.split('.').collect();
    let encode = |json: Value| URL_SAFE_NO_PAD.encode(json.to_string());
    // The public key, taken for a shared secret.
    let secret = EncodingKey::from_secret(serde_json::to_string(&pair.public).unwrap().as_bytes());
    let mut hmac = Header::new(Algorithm::HS256);
    hmac.kid = Some("1".to_owned());
    let mut embedded = Header::new(Algorithm::ES256);
    embedded.jwk = Some(other.public.clone());
    let signature = "its signature is wrong";
    let cases = [
        ("by another's key", other.token(&claims), signature),
        (
            "by a key of its own",
            jsonwebtoken::encode(&embedded, &claims, &other.private).unwrap(),
            signature,
        ),
        (
            "with other claims",
            format!("{}.{}.{}", parts[0], encode(issuer.claims(json!({ "sub": "bob" }))), parts[2]),
            signature,
        ),
        ("without a signature", format!("{}.{}.", parts[0], parts[1]), signature),
        (
            "by a shared secret",
            jsonwebtoken::encode(&hmac, &claims, &secret.unwrap()).unwrap(),
            "it is not signed by a key that only its issuer has",
        ),
        (
            "by nobody",
            format!("{}.{}.", encode(json!({ "alg": "none" })), parts[1]),
            "it is no JWT that says who issued it",
        ),
        ("no token", "a.b.c".to_owned(), "it is no JWT that says who issued it"),
        ("nothing", String::new(), "it is no JWT that says who issued it"),
        ("a flood", "a".repeat(TOKEN_BYTES + 1), "it is too long"),
    ];
    assert!(access.identity(&good).await.is_ok());
    for (name, token, why) in cases {
        assert_eq!(access.identity(&token).await.map(drop), Err(Bad::Token(why)), "{name}");
    }
}

#[tokio::test]
async fn every_kind_of_key_is_known_and_one_for_another_use_is_not() {
    let pairs = [Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS256, Algorithm::PS512]
        .map(|algorithm| Pair::new(algorithm, &format!("{algorithm:?}")));
    let issuer = Running::new(&pairs.iter().collect::<Vec<_>>()).await;
    issuer.change(|answers| answers.keys.push(json!({ "kty": "odd" })));
    let access = issuer.access();
    for pair in &pairs {
        let token = pair.token(&issuer.claims(json!({})));
        assert!(access.identity(&token).await.is_ok(), "{:?}", pair.algorithm);
    }
    issuer.change(|answers| {
        for key in &mut answers.keys {
            key["use"] = json!("enc");
        }
    });
    let access = issuer.access();
    let token = pairs[0].token(&issuer.claims(json!({})));
    let unknown = Err(Bad::Token("its issuer has no such key"));
    assert_eq!(access.identity(&token).await.map(drop), unknown);
}

#[tokio::test]
async fn new_keys_are_fetched_but_not_for_everybody_who_makes_one_up() {
    let (old, new) = (Pair::new(Algorithm::ES256, "old"), Pair::new(Algorithm::ES256, "new"));
    let issuer = Running::new(&[&old]).await;
    let access = issuer.access();
    let [by_old, by_new] = [&old, &new].map(|pair| pair.token(&issuer.claims(json!({}))));
    assert!(access.identity(&by_old).await.is_ok());
    issuer.has(&[&new]);
    for _ in 0..20 {
        let unknown = Err(Bad::Token("its issuer has no such key"));
        assert_eq!(access.identity(&by_new).await.map(drop), unknown);
    }
    assert_eq!(issuer.asked.load(Ordering::SeqCst), 1);
    later(PAUSE).await;
    assert!(access.identity(&by_new).await.is_ok());
    assert!(access.identity(&by_old).await.is_err(), "a key that was taken back still counts");
}

#[tokio::test]
async fn an_issuer_that_is_away_is_no_reason_to_let_anybody_in_or_out() {
    let pair = Pair::new(Algorithm::ES256, "1");
    let issuer = Running::new(&[&pair]).await;
    let token =
        pair.token(&issuer.claims(json!({ "exp": jsonwebtoken::get_current_timestamp() + 600 })));
    issuer.change(|answers| answers.is_down = true);
    let access = issuer.access();
    assert_eq!(access.identity(&token).await.map(drop), Err(Bad::Unreachable));
    issuer.change(|answers| answers.is_down = false);
    assert_eq!(
        access.identity(&token).await.map(drop),
        Err(Bad::Unreachable),
        "asked again at once"
    );
    later(PAUSE).await;
    assert!(access.identity(&token).await.is_ok());
    issuer.change(|answers| answers.is_down = true);
    later(FRESH).await;
    assert!(access.identity(&token).await.is_ok(), "its keys are known");
    later(STALE).await;
    assert_eq!(access.identity(&token).await.map(drop), Err(Bad::Unreachable));
}

#[tokio::test]
async fn metadata_of_somebody_else_and_keys_that_can_be_changed_on_the_way_are_not_believed() {
    let pair = Pair::new(Algorithm::ES256, "1");
    let issuer = Running::new(&[&pair]).await;
    let token = pair.token(&issuer.claims(json!({})));
    let keys = format!("{}/keys", issuer.url);
    let cases = [
        json!({ "issuer": "https://evil.example", "jwks_uri": keys }),
        json!({ "issuer": issuer.url, "jwks_uri": "http://keys.example/" }),
        json!({ "issuer": issuer.url, "jwks_uri": "file:///etc/passwd" }),
        json!({ "issuer": issuer.url }),
        json!([]),
    ];
    for metadata in cases {
        issuer.change(|answers| answers.metadata = metadata.clone());
        let seen = issuer.access().identity(&token).await.map(drop);
        assert_eq!(seen, Err(Bad::Unreachable), "{metadata}");
    }
    assert_eq!(issuer.asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_client_is_a_user_of_an_issuer_with_a_program() {
    let pair = Pair::new(Algorithm::ES256, "1");
    let (one, two) = (Running::new(&[&pair]).await, Running::new(&[&pair]).await);
    let resource = Resource::new(RESOURCE, [one.url.as_str(), two.url.as_str()]).unwrap();
    let access = Access::new(resource).unwrap();
    let mut seen: Vec<Identity> = Vec::new();
    for issuer in [&one, &two] {
        for (sub, client) in [("ann", "a"), ("ann", "b"), ("bob", "a")] {
            let claims = |exp: u64| {
                let exp = jsonwebtoken::get_current_timestamp() + exp;
                issuer.claims(json!({ "sub": sub, "client_id": client, "exp": exp }))
            };
            let identity = access.identity(&pair.token(&claims(60))).await.unwrap();
            let renewed = access.identity(&pair.token(&claims(600))).await.unwrap();
            assert_eq!(identity, renewed);
            assert!(!seen.contains(&identity), "{sub} {client}");
            seen.push(identity);
        }
    }
}

#[test]
fn a_resource_needs_urls_that_nobody_can_listen_to_and_an_issuer() {
    let bad = |url: &str, issuer: &str| Resource::new(url, [issuer]).unwrap_err().to_string();
    let good = "https://a.example";
    for url in ["", "a.example", "http://a.example", "ftp://a.example", "https://a.example#b"] {
        assert!(
            bad(url, good)
                .starts_with(&format!("`{url}` cannot be the URL of this server or of an issuer")),
            "{url}"
        );
        assert!(
            bad(good, url)
                .starts_with(&format!("`{url}` cannot be the URL of this server or of an issuer")),
            "{url}"
        );
    }
    assert!(Resource::new("http://[::1]:1/mcp", ["http://localhost:2"]).is_ok());
    assert_eq!(Resource::new::<String>(good, []).unwrap_err(), ResourceError::NoIssuer);
    for scope in ["", "a b", "a\"", "a\\", "\u{e9}", "a\n"] {
        let resource = Resource::new(good, [good]).unwrap();
        let error = resource.scopes(["fine", scope]).unwrap_err();
        assert_eq!(error, ResourceError::Scope { scope: scope.to_owned() });
    }
}
