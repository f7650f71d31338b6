//! What keeps a worker from everything but its socket, as far as the system at hand grants it.
//!
//! A wall that the kernel cannot build is never assumed: the worker reports what it has got, and a
//! host that wants all of it or nothing says so with [`Builder::strict`](crate::Builder::strict).

use serde::{Deserialize, Serialize};
use std::fmt;

/// The walls around a script, each held or missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hardening {
    walls: Vec<Held>,
}

/// One wall, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Which.
    pub wall: Wall,
    /// Why it does not stand; `None` if it does.
    pub missing: Option<String>,
}

/// One thing that stands between a script that has taken over V8 and the rest of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Wall {
    /// A process of its own.
    Process,
    /// No environment variables and no descriptor but the socket to the host.
    Empty,
    /// No capabilities and no way to new ones (`no_new_privs`); no process of the same user reads
    /// its memory.
    Privileges,
    /// The kernel ends it with its host, and bounds its core file, files, descriptors and data.
    ResourceLimits,
    /// Landlock: no file and no TCP port can be opened, no signal or abstract socket leaves.
    Landlock,
    /// seccomp: only the system calls that V8, the allocator and the socket need.
    SystemCalls,
    /// Namespaces of its own for users, network and IPC. Optional.
    Namespaces,
    /// No memory page becomes executable after V8 has started (`jitless`). Optional.
    NoNewCode,
}

/// A system call that a sealed worker has tried, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// What was tried, such as `open a file`.
    pub what: String,
    /// Whether the system refused it.
    pub refused: bool,
}

impl Hardening {
    /// Every wall that was to be built, in the order of [`Wall`].
    pub fn walls(&self) -> &[Held] {
        &self.walls
    }

    /// Whether this wall stands.
    pub fn holds(&self, wall: Wall) -> bool {
        self.walls.iter().any(|held| held.wall == wall && held.missing.is_none())
    }

    /// The walls that should stand and do not. Empty means that nothing is missing.
    pub fn missing(&self) -> impl Iterator<Item = &Held> {
        self.walls.iter().filter(|held| held.missing.is_some())
    }

    /// What a host has that runs scripts on a thread of its own.
    pub(crate) fn of_a_thread() -> Self {
        let mut hardening = Self::default();
        for wall in [
            Wall::Process,
            Wall::Empty,
            Wall::Privileges,
            Wall::ResourceLimits,
            Wall::Landlock,
            Wall::SystemCalls,
        ] {
            hardening.lacks(wall, "thread isolation: the script is in the host's process");
        }
        hardening
    }

    pub(crate) fn has(&mut self, wall: Wall) {
        self.walls.push(Held { wall, missing: None });
    }

    pub(crate) fn lacks(&mut self, wall: Wall, why: impl fmt::Display) {
        self.walls.push(Held { wall, missing: Some(why.to_string()) });
    }

    /// Notes how building a wall ended.
    pub(crate) fn note<E: fmt::Display>(&mut self, wall: Wall, built: Result<(), E>) {
        match built {
            Ok(()) => self.has(wall),
            Err(why) => self.lacks(wall, why),
        }
    }
}

impl Wall {
    /// The name, as in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Empty => "empty",
            Self::Privileges => "privileges",
            Self::ResourceLimits => "resource limits",
            Self::Landlock => "landlock",
            Self::SystemCalls => "system calls",
            Self::Namespaces => "namespaces",
            Self::NoNewCode => "no new code",
        }
    }

    /// What it keeps a script from, for a person.
    pub fn about(self) -> &'static str {
        match self {
            Self::Process => "a crash of V8 ends the run and not the host",
            Self::Empty => "no environment, no descriptor but the channel to the host",
            Self::Privileges => "no capabilities, no new privileges, memory unreadable to others",
            Self::ResourceLimits => "ends with its host; no core file, no file, bounded data",
            Self::Landlock => "no file, no TCP port, no signal to others",
            Self::SystemCalls => "no system call that V8 does not need",
            Self::Namespaces => "users, network and IPC of its own",
            Self::NoNewCode => "no code is made at run time",
        }
    }
}

impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The missing walls by their reasons, on one line; empty if nothing is missing.
impl fmt::Display for Hardening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for held in self.missing() {
            let reason = held.missing.as_deref().unwrap_or_default();
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, walls)) => walls.push(held.wall.as_str()),
                None => reasons.push((reason, vec![held.wall.as_str()])),
            }
        }
        let reasons: Vec<_> = reasons
            .iter()
            .map(|(reason, walls)| format!("{} ({reason})", walls.join(", ")))
            .collect();
        f.write_str(&reasons.join("; "))
    }
}
