//! Settings of a server of which some are kept elsewhere until the server is reached.

use std::collections::BTreeMap;

use super::Transport;
use crate::credential::{Template, Unfetched};
use crate::secret::Secret;
use crate::server::ConnectError;
use crate::transport::stdio::Program;

/// The settings of a [`Transport`] whose credentials have not been fetched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Deferred {
    /// A program: see [`Transport::Stdio`].
    Stdio {
        /// The program.
        command: Template,
        /// Its arguments.
        args: Vec<Template>,
        /// Its environment variables.
        env: BTreeMap<String, Template>,
        /// Its working directory.
        cwd: Option<Template>,
    },
    /// An endpoint: see [`Transport::Http`].
    Http {
        /// The endpoint.
        url: Template,
        /// Headers of every request.
        headers: BTreeMap<String, Template>,
    },
}

impl Deferred {
    /// A program.
    pub fn stdio(
        command: Template,
        args: Vec<Template>,
        env: BTreeMap<String, Template>,
        cwd: Option<Template>,
    ) -> Self {
        Self::Stdio { command, args, env, cwd }
    }

    /// An endpoint.
    pub fn http(url: Template, headers: BTreeMap<String, Template>) -> Self {
        Self::Http { url, headers }
    }

    /// Whether nothing has to be fetched; then these are the settings.
    pub fn plain(&self) -> Option<Transport> {
        match self {
            Self::Stdio { command, args, env, cwd } => Some(Transport::Stdio {
                command: command.plain()?,
                args: args.iter().map(Template::plain).collect::<Option<_>>()?,
                env: plain_map(env)?,
                cwd: match cwd {
                    Some(cwd) => Some(cwd.plain()?.into()),
                    None => None,
                },
            }),
            Self::Http { url, headers } => {
                Some(Transport::Http { url: url.plain()?, headers: plain_map(headers)? })
            }
        }
    }

    /// Adds an environment variable or a header.
    pub(super) fn insert(&mut self, name: String, value: &Secret) {
        let values = match self {
            Self::Stdio { env, .. } => env,
            Self::Http { headers, .. } => headers,
        };
        values.insert(name, value.expose().into());
    }

    async fn fetch(&self, purse: &mut Purse) -> Result<Settings, ConnectError> {
        match self {
            Self::Stdio { command, args, env, cwd } => {
                let command = purse.fetch(command).await?;
                let mut fetched = Vec::new();
                for arg in args {
                    fetched.push(purse.fetch(arg).await?);
                }
                let env = purse.fetch_map(env).await?;
                let cwd = match cwd {
                    Some(cwd) => Some(purse.fetch(cwd).await?.into()),
                    None => None,
                };
                Ok(Settings::Stdio(Program { command, args: fetched, env, cwd }))
            }
            Self::Http { url, headers } => Ok(Settings::Http {
                url: purse.fetch(url).await?,
                headers: purse.fetch_map(headers).await?,
            }),
        }
    }
}

/// The settings with every credential in its place.
pub(crate) enum Settings {
    Stdio(Program),
    Http { url: String, headers: BTreeMap<String, Secret> },
}

impl Transport {
    /// Fetches what is elsewhere. The settings, and what nobody must get shown.
    pub(crate) async fn fetch(&self) -> Result<(Settings, Vec<Secret>), ConnectError> {
        let mut purse = Purse::default();
        let settings = match self {
            Self::Stdio { command, args, env, cwd } => {
                let (command, args) = (command.clone(), args.clone());
                Settings::Stdio(Program { command, args, env: env.clone(), cwd: cwd.clone() })
            }
            Self::Http { url, headers } => {
                Settings::Http { url: url.clone(), headers: headers.clone() }
            }
            Self::Deferred(deferred) => deferred.fetch(&mut purse).await?,
        };
        // Environment variables are settings more often than credentials: paths, names of regions.
        // Only what the program itself prints is searched for them.
        if let Settings::Http { headers, .. } = &settings {
            purse.secrets.extend(headers.values().cloned());
        }
        Ok((settings, purse.secrets))
    }
}

fn plain_map(templates: &BTreeMap<String, Template>) -> Option<BTreeMap<String, Secret>> {
    let plain =
        |(name, value): (&String, &Template)| Some((name.clone(), Secret::from(value.plain()?)));
    templates.iter().map(plain).collect()
}

/// What has been fetched so far.
#[derive(Default)]
struct Purse {
    secrets: Vec<Secret>,
}

impl Purse {
    async fn fetch(&mut self, template: &Template) -> Result<String, ConnectError> {
        match template.fetch().await {
            Ok(fetched) => {
                self.secrets.extend(fetched.secrets);
                Ok(fetched.text)
            }
            Err(Unfetched { place, error }) => Err(ConnectError::Credential { place, error }),
        }
    }

    async fn fetch_map(
        &mut self,
        templates: &BTreeMap<String, Template>,
    ) -> Result<BTreeMap<String, Secret>, ConnectError> {
        let mut fetched = BTreeMap::new();
        for (name, template) in templates {
            fetched.insert(name.clone(), Secret::from(self.fetch(template).await?));
        }
        Ok(fetched)
    }
}
