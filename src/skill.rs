//! Skills that need servers.
//!
//! A skill is a folder with a `SKILL.md`, whose front matter, YAML between two lines `---`, says what
//! it is for ([Agent Skills](https://agentskills.io/specification)). Ours may name the servers that
//! the skill needs:
//!
//! ```text
//! ---
//! name: triage
//! description: Files tickets for new errors.
//! servers: [logs, tickets]
//! ---
//! ```

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// More than this is no front matter.
const MOST_BYTES: usize = 64 << 10;

/// What the front matter of a `SKILL.md` says.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[non_exhaustive]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The servers it needs, by the names of the configuration.
    #[serde(default)]
    pub servers: Vec<String>,
}

/// Why a skill cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkillError {
    /// The file cannot be read.
    #[error("the skill {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file does not begin with front matter.
    #[error("{}: a skill begins with its front matter: YAML between two lines `---`", path.display())]
    NoFrontMatter {
        /// The file.
        path: PathBuf,
    },
    /// The front matter is not as it should be.
    #[error("{}: {problem}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// It needs a server that is not there.
    #[error(
        "the skill `{skill}` needs the server `{server}`, which the configuration does not have"
    )]
    NoServer {
        /// The skill.
        skill: String,
        /// The server.
        server: String,
    },
}

impl Skill {
    /// Reads a `SKILL.md`, or the one in a folder.
    ///
    /// # Errors
    /// See [`SkillError`].
    pub fn load(path: &Path) -> Result<Self, SkillError> {
        let path = if path.is_dir() { path.join("SKILL.md") } else { path.to_owned() };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(source) => return Err(SkillError::Unreadable { path, source }),
        };
        let Some(matter) = front_matter(&text) else {
            return Err(SkillError::NoFrontMatter { path });
        };
        yaml_serde::from_str(matter)
            .map_err(|error| SkillError::Invalid { path, problem: error.to_string() })
    }
}

fn front_matter(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = text.strip_prefix("---")?.trim_start_matches([' ', '\r']).strip_prefix('\n')?;
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return rest.get(..end).filter(|matter| matter.len() <= MOST_BYTES);
        }
        end += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_its_front_matter_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("SKILL.md");
        let load = |text: &str| {
            fs::write(&file, text).unwrap();
            Skill::load(folder.path())
                .map_err(|error| error.to_string().replace(file.to_str().unwrap(), "SKILL.md"))
        };
        let skill = load("---\r\nname: a\r\ndescription: 'b'\r\nlicense: x\r\nservers: [s, t]\r\n---\r\n# servers: no\r\n").unwrap();
        assert_eq!(
            skill,
            Skill {
                name: "a".into(),
                description: "b".into(),
                servers: vec!["s".into(), "t".into()]
            }
        );
        assert_eq!(
            load("---\nname: a\ndescription: b\n---").unwrap().servers,
            Vec::<String>::new()
        );
        for (text, problem) in [
            (
                "# no",
                "SKILL.md: a skill begins with its front matter: YAML between two lines `---`",
            ),
            (
                "---\nname: a\n",
                "SKILL.md: a skill begins with its front matter: YAML between two lines `---`",
            ),
            ("---\nname: a\n---\n", "SKILL.md: missing field `description`"),
            (
                "---\nname: a\ndescription: b\nservers: x\n---\n",
                "SKILL.md: servers: invalid type: string \"x\", expected a sequence at line 3 column 10",
            ),
        ] {
            assert_eq!(load(text).unwrap_err(), problem, "{text}");
        }
        // A bomb of aliases ends with an error and not with the memory.
        let mut bomb = "---\nname: a\ndescription: b\na: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for (new, old) in ('b'..='k').zip('a'..='j') {
            bomb += &format!(
                "{new}: &{new} [*{old},*{old},*{old},*{old},*{old},*{old},*{old},*{old},*{old}]\n"
            );
        }
        let _ = load(&format!("{bomb}---\n"));
    }
}
