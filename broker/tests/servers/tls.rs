//! Servers behind TLS: whose certificates are believed, and what is said of the others.

use std::path::{Path, PathBuf};

use broker::{CallLimits, ConnectError, Request, ServerConfig};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;

use crate::scripted::{By, Scripted};
use crate::{broker, failure};

/// A certificate authority of nobody's, and files of what it has signed; they go with the test.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = params.self_signed(&key).unwrap();
        std::fs::write(folder.path().join("root.pem"), root.pem()).unwrap();
        Self { issuer: Issuer::new(params, key), folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root.pem")
    }

    /// An MCP server that says it is `name`.
    fn server(&self, name: &str) -> Scripted {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let file = |of: &str, text: String| {
            let path = self.folder.path().join(format!("{name}.{of}.pem"));
            std::fs::write(&path, text).unwrap();
            path
        };
        let files = [file("certificate", certificate.pem()), file("key", key.serialize_pem())];
        let fine = json!([{ "result": { "content": [] } }]);
        Scripted::new(By::Http, &json!({ "tls": files, "on": { "t": fine } }))
    }
}

fn url(server: &Scripted) -> String {
    format!("https://127.0.0.1:{}/mcp", server.port())
}

/// Run by the test below, with what it believes in its environment.
#[tokio::test]
#[ignore = "a part of another test"]
async fn one_call_to_the_url_of_the_environment() {
    let config = ServerConfig::http(std::env::var("TEST_URL").unwrap());
    let broker = broker(config.connect_timeout(crate::PATIENCE), CallLimits::default()).await;
    let called = broker.open_run().call(Request::new("s", "t", json!({}))).await;
    called.unwrap_or_else(|error| panic!("{error}"));
}

/// Whether a call works, and what is printed if not.
fn call(server: &Scripted, believed: &Path) -> Result<(), String> {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", "tls::one_call_to_the_url_of_the_environment"]);
    child.env("TEST_URL", url(server)).env("SSL_CERT_FILE", believed).env_remove("SSL_CERT_DIR");
    let output = child.output().unwrap();
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
#[cfg(target_os = "linux")]
fn a_private_authority_is_believed_if_the_environment_names_it() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let server = ours.server("127.0.0.1");
    assert_eq!(call(&server, &ours.root()), Ok(()));
    assert_eq!(server.count("tools/call"), 1);

    let of_others = call(&server, &theirs.root()).unwrap_err();
    assert!(of_others.contains("invalid peer certificate"), "{of_others}");
    // Whoever it is, it is not who was asked for.
    let other = ours.server("mcp.example");
    let of_another = call(&other, &ours.root()).unwrap_err();
    assert!(of_another.contains("certificate not valid for name"), "{of_another}");
    assert_eq!((server.count("tools/call"), other.log().len()), (1, 0), "nothing was sent");
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused() {
    let server = Authority::new().server("127.0.0.1");
    let config = ServerConfig::http(url(&server)).connect_timeout(crate::PATIENCE);
    let error = failure(&broker(config, CallLimits::default()).await);
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("invalid peer certificate"), "{error}");
    assert!(server.log().is_empty(), "nothing was sent");
}
