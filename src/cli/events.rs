//! `--events json`: what happens in a run, a line of JSON for each event.

use super::{output, visible};
use anyhow::Context;
use cofferdam::{Event, Events};
use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

#[derive(clap::Args)]
pub(super) struct WithEvents {
    /// Tell what happens in the run as it happens: a line of JSON for each event, on standard error
    #[arg(long, value_enum, value_name = "FORMAT")]
    events: Option<Format>,
    /// Write the events into this file
    #[arg(long, value_name = "FILE", requires = "events")]
    events_to: Option<PathBuf>,
    /// Let events have arguments and results
    #[arg(long, requires = "events")]
    pub(super) events_full: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    Json,
}

impl WithEvents {
    /// Whoever writes them, if they are wanted.
    pub(super) fn open(&self) -> anyhow::Result<Option<Arc<dyn Events>>> {
        let Some(Format::Json) = self.events else { return Ok(None) };
        let open = |path: &Path| {
            File::create(path).with_context(|| format!("{} cannot be written", path.display()))
        };
        let file = self.events_to.as_deref().map(open).transpose()?;
        Ok(Some(Arc::new(Lines { file: file.map(Mutex::new) })))
    }

    /// Whether they go where everything else goes.
    pub(super) fn are_on_stderr(&self) -> bool {
        self.events.is_some() && self.events_to.is_none()
    }
}

struct Lines {
    file: Option<Mutex<File>>,
}

impl Events for Lines {
    fn on_event(&self, event: &Event) {
        let Ok(text) = serde_json::to_string(event) else { return };
        match &self.file {
            Some(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                // A run does not fail because nobody can be told of it.
                let _ = writeln!(file, "{text}");
            }
            None => output::note(&visible::in_json(&text)),
        }
    }
}
