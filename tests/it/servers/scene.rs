//! A folder of its own for each test, the program run in it, and what is left of both.

use serde_json::Value;
use std::{
    fs,
    io::Read,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// How long anything may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(300);

/// A folder in which the program runs. Its servers inherit it, which is how they are told from
/// those of other tests.
pub(super) struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        // As the system names it: servers resolve links before they say where they are.
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(super) fn make_folder(&self, name: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
    }

    /// A repository with one commit, and a file that is not in it.
    pub(super) fn make_repository(&self, name: &str) {
        self.command("git", &["init", "--quiet", "--initial-branch=main", name]);
        fs::write(self.path(name).join("new.txt"), "new\n").unwrap();
        let settings =
            [("user.name", "Ada"), ("user.email", "ada@example.org"), ("commit.gpgsign", "false")];
        for (key, value) in settings {
            self.command("git", &["-C", name, "config", key, value]);
        }
        self.command("git", &["-C", name, "commit", "--quiet", "--allow-empty", "-m", "Begin"]);
    }

    /// Runs another program in the folder; what it prints.
    pub(super) fn command(&self, program: &str, args: &[&str]) -> String {
        let mut command = Command::new(program);
        let output = command.args(args).current_dir(self.path("")).output().unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a script of `tests/servers/`, which must come to its end, print what its `.out` says
    /// and leave no process behind. What is on standard error.
    pub(super) fn plays(&self, name: &str, config: &Value) -> String {
        let path = script(&format!("tests/servers/{name}.ts"));
        let ended = self.run(&path, config);
        let expected = fs::read_to_string(path.with_extension("out")).unwrap();
        let Ended { stdout, stderr, .. } = &ended;
        assert!(
            ended.code == Some(0) && *stdout == expected,
            "{}: exit code {:?}\n--- expected\n{expected}--- seen\n{stdout}--- standard error\n{stderr}",
            path.display(),
            ended.code,
        );
        assert_eq!(self.processes(), [""; 0], "processes are left behind");
        ended.stderr
    }

    /// Runs a script.
    pub(super) fn run(&self, script: &Path, config: &Value) -> Ended {
        self.start(script, config).end()
    }

    /// Starts a script.
    pub(super) fn start(&self, script: &Path, config: &Value) -> Running {
        self.program(&["run"], config, Some(script))
    }

    /// The declarations for these servers, and those of what else there is.
    pub(super) fn types(&self, config: &Value) -> Ended {
        self.program(&["types", "--globals"], config, None).end()
    }

    fn program(&self, args: &[&str], config: &Value, script: Option<&Path>) -> Running {
        let file = self.path("config.json");
        fs::write(&file, config.to_string()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.args(args).arg("--config").arg(file).args(script);
        command.current_dir(self.path("")).env("HOST_SECRET", "for the host only");
        command.stdin(Stdio::null());
        let folder = self.path("").to_str().unwrap().trim_end_matches('/').to_owned();
        Running::start(command, folder)
    }

    /// The command lines of all processes that were started in the folder or know of it.
    pub(super) fn processes(&self) -> Vec<String> {
        let folder = self.path("");
        let folder = folder.to_str().unwrap().trim_end_matches('/');
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").expect("a system that lists its processes in /proc") {
            let process = entry.unwrap().path();
            // A process may end at any time, and one of somebody else may not let itself be read.
            let command = fs::read(process.join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            let is_in = fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
            if is_in || command.contains(folder) {
                found.push(command);
            }
        }
        found
    }

    /// What the TypeScript compiler says of scripts with these declarations.
    pub(super) fn compile(
        &self,
        declarations: &str,
        scripts: impl Iterator<Item = PathBuf>,
    ) -> String {
        let compiler = std::env::var_os("COFFERDAM_TSC").map(PathBuf::from);
        let compiler = compiler.filter(|path| path.exists()).unwrap_or_else(|| {
            panic!("COFFERDAM_TSC names no TypeScript compiler: run `make test`")
        });
        self.make_folder("types");
        let folder = self.path("types");
        fs::write(folder.join("declarations.d.ts"), declarations).unwrap();
        for script in scripts {
            // A script may end with `return`, a file may not. On one line with what it is wrapped
            // into, it keeps its line numbers.
            let text = fs::read_to_string(&script).unwrap();
            let text = format!("export async function script() {{ {text}\n}}\n");
            fs::write(folder.join(script.file_name().unwrap()), text).unwrap();
        }
        let config = r#"{ "compilerOptions": { "strict": true, "noEmit": true, "types": [],
            "lib": ["esnext", "dom"], "target": "esnext", "module": "esnext" }, "include": ["*.ts"] }"#;
        fs::write(folder.join("tsconfig.json"), config).unwrap();
        let mut command = Command::new(compiler);
        let output = command.args(["--pretty", "false", "-p", "."]).current_dir(folder).output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.success(), said.is_empty(), "{said}");
        said
    }
}

/// The program while it runs; it does not outlive its test.
pub(super) struct Running {
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
    folder: String,
}

/// What became of the program. In what it printed, its folder is `[folder]`.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Running {
    fn start(mut command: Command, folder: String) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().map(reader);
        let stderr = child.stderr.take().map(reader);
        Self { child, stdout, stderr, folder }
    }

    pub(super) fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// Waits while the program runs.
    pub(super) fn wait_until(&mut self, is_so: impl Fn() -> bool) {
        wait(|| {
            assert_eq!(self.child.try_wait().unwrap(), None, "the program ended too early");
            is_so().then_some(())
        });
    }

    /// Waits until the program has ended.
    pub(super) fn end(mut self) -> Ended {
        let status = wait(|| self.child.try_wait().unwrap());
        let text = |from: Option<JoinHandle<String>>| {
            from.unwrap().join().unwrap().replace(&self.folder, "[folder]")
        };
        let (stdout, stderr) = (text(self.stdout.take()), text(self.stderr.take()));
        Ended { code: status.code(), stdout, stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that answers on a port of this machine while its test runs.
pub(super) struct HttpServer {
    _process: Running,
    port: u16,
}

impl HttpServer {
    /// Starts a server that takes its port from the variable `PORT`.
    pub(super) fn start(program: &str, args: &[&str]) -> Self {
        // Free a moment ago; the server says so itself if it no longer is.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(args).env("PORT", port.to_string()).stdin(Stdio::null());
        let mut process = Running::start(command, String::new());
        process.wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_ok());
        Self { _process: process, port }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

/// The program of an installed public server.
pub(super) fn server(name: &str) -> String {
    let folder = std::env::var_os("COFFERDAM_TEST_SERVERS").map(PathBuf::from);
    let program = folder.map(|folder| folder.join(format!("bin/mcp-server-{name}")));
    let Some(program) = program.filter(|program| program.exists()) else {
        panic!(
            "mcp-server-{name} is not in the `bin` folder of COFFERDAM_TEST_SERVERS: run `make test`, \
             or scripts/test-servers.sh, which installs it into target/test-servers"
        );
    };
    program.to_str().unwrap().to_owned()
}

/// The program of a server of the demo. Cargo puts it beside ours.
pub(super) fn demo(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_cofferdam")).with_file_name(name);
    assert!(
        program.exists(),
        "{} is not built: run `make test`, or `cargo build --package demo-servers`",
        program.display()
    );
    program
}

/// A server of ours that misbehaves on demand.
pub(super) fn fixture(name: &str) -> PathBuf {
    script("broker/tests/fixtures").join(name)
}

/// A file of this repository.
pub(super) fn script(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// All scripts of `tests/servers/`.
pub(super) fn scripts() -> Vec<PathBuf> {
    files("ts")
}

/// The files of `tests/servers/` that end so.
pub(super) fn files(extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(script("tests/servers")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        from.read_to_string(&mut text).unwrap();
        text
    })
}

fn wait<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(began.elapsed() < PATIENCE, "waited for more than {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
