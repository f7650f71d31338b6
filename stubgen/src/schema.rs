//! Reading a schema document: its dialect, its bounds, and where its references point.
//!
//! References are only followed within the document. Nothing is ever fetched.

mod uri;

use std::collections::HashMap;

use serde_json::Value;

use crate::Options;
use crate::reason::Reason;

use uri::join;
pub(crate) use uri::percent_decoded;

/// The dialects of JSON Schema that are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dialect {
    Draft4,
    Draft6,
    Draft7,
    Draft2019,
    Draft2020,
}

impl Dialect {
    fn named(uri: &str) -> Option<Self> {
        let uri = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        match uri.trim_end_matches('#') {
            "json-schema.org/draft-04/schema" => Some(Self::Draft4),
            "json-schema.org/draft-06/schema" => Some(Self::Draft6),
            "json-schema.org/draft-07/schema" => Some(Self::Draft7),
            "json-schema.org/draft/2019-09/schema" => Some(Self::Draft2019),
            "json-schema.org/draft/2020-12/schema" | "json-schema.org/schema" => {
                Some(Self::Draft2020)
            }
            _ => None,
        }
    }

    /// Until draft-07 a `$ref` hides all keywords beside it.
    pub(crate) fn ref_hides_siblings(self) -> bool {
        self <= Self::Draft7
    }
}

/// A schema document whose references can be followed.
pub(crate) struct Document<'a> {
    pub(crate) root: &'a Value,
    pub(crate) dialect: Dialect,
    resources: Vec<Resource<'a>>,
    /// The resource of each object that is not part of the first, by the object's address.
    homes: HashMap<usize, usize>,
    anchors: HashMap<(usize, &'a str), &'a Value>,
    dynamic_anchors: HashMap<&'a str, Vec<&'a Value>>,
    recursive_anchors: usize,
}

/// A part of the document with a URI of its own.
struct Resource<'a> {
    uri: String,
    root: &'a Value,
}

/// Where a dynamic reference may lead.
pub(crate) enum Dynamic<'a> {
    /// To one place, whatever the path there.
    Fixed(&'a Value),
    /// To a place that depends on the path: no type can say where.
    Depends,
}

impl<'a> Document<'a> {
    /// Reads `root` and checks that it is within bounds.
    ///
    /// # Errors
    /// The dialect is not known, or the document is too deep or too large.
    pub(crate) fn read(root: &'a Value, options: &Options) -> Result<Self, Reason> {
        let dialect = match root.get("$schema").and_then(Value::as_str) {
            None => Dialect::Draft2020,
            Some(uri) => Dialect::named(uri)
                .ok_or_else(|| Reason::UnknownDialect { dialect: uri.to_owned() })?,
        };
        let mut document = Self {
            root,
            dialect,
            resources: vec![Resource { uri: String::new(), root }],
            homes: HashMap::new(),
            anchors: HashMap::new(),
            dynamic_anchors: HashMap::new(),
            recursive_anchors: 0,
        };
        let mut size = Size { options, nodes: 0, bytes: 0 };
        document.index(root, 0, Position::Schema, 0, &mut size)?;
        Ok(document)
    }

    /// The schema that `reference`, standing in `at`, points to.
    ///
    /// # Errors
    /// It points outside the document, or to nothing.
    pub(crate) fn resolve(&self, at: &Value, reference: &str) -> Result<&'a Value, Reason> {
        let home = self.home(at);
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if uri.is_empty() {
            home
        } else {
            let base = self.resources.get(home).map_or("", |resource| resource.uri.as_str());
            let absolute = join(base, uri);
            self.resources
                .iter()
                .position(|resource| resource.uri == absolute && !absolute.is_empty())
                .ok_or_else(|| Reason::ExternalReference { reference: reference.to_owned() })?
        };
        let root = self.resources.get(resource).map_or(self.root, |resource| resource.root);
        let fragment = percent_decoded(fragment);
        let target = if fragment.is_empty() {
            Some(root)
        } else if fragment.starts_with('/') {
            root.pointer(&fragment)
        } else {
            self.anchors.get(&(resource, fragment.as_str())).copied()
        };
        target.ok_or_else(|| Reason::UnresolvedReference { reference: reference.to_owned() })
    }

    /// The schema that a `$dynamicRef` or `$recursiveRef` points to.
    ///
    /// # Errors
    /// As for [`Self::resolve`].
    pub(crate) fn resolve_dynamic(
        &self,
        at: &Value,
        reference: &str,
    ) -> Result<Dynamic<'a>, Reason> {
        if reference == "#" {
            return Ok(if self.recursive_anchors > 1 {
                Dynamic::Depends
            } else {
                Dynamic::Fixed(self.resolve(at, reference)?)
            });
        }
        let name = reference.split_once('#').map_or("", |(_, fragment)| fragment);
        match self.dynamic_anchors.get(name).map(Vec::as_slice) {
            Some([_, _, ..]) => Ok(Dynamic::Depends),
            _ => Ok(Dynamic::Fixed(self.resolve(at, reference)?)),
        }
    }

    fn home(&self, at: &Value) -> usize {
        self.homes.get(&address(at)).copied().unwrap_or(0)
    }

    fn index(
        &mut self,
        value: &'a Value,
        home: usize,
        position: Position,
        depth: usize,
        size: &mut Size<'_>,
    ) -> Result<(), Reason> {
        size.admit(value, depth)?;
        match value {
            Value::Array(items) => {
                for item in items {
                    self.index(item, home, position, depth + 1, size)?;
                }
            }
            Value::Object(map) => {
                let home =
                    if position == Position::Schema && map.keys().any(|key| may_identify(key)) {
                        self.enter(value, home)
                    } else {
                        home
                    };
                // Most documents are one resource: what is not noted is part of the first.
                if home != 0 {
                    self.homes.insert(address(value), home);
                }
                for (key, child) in map {
                    self.index(child, home, position.below(key), depth + 1, size)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes the identifiers of the schema `value`; returns the resource that it is part of.
    fn enter(&mut self, value: &'a Value, home: usize) -> usize {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let id = text("$id").or_else(|| text("id").filter(|_| self.dialect == Dialect::Draft4));
        let hidden = self.dialect.ref_hides_siblings() && text("$ref").is_some();
        let mut home = home;
        match id {
            Some(id) if !hidden => {
                let (uri, fragment) = id.split_once('#').unwrap_or((id, ""));
                if !uri.is_empty() {
                    let base = self.resources.get(home).map_or("", |base| base.uri.as_str());
                    let uri = join(base, uri);
                    if std::ptr::eq(value, self.root) {
                        self.resources.iter_mut().take(1).for_each(|root| root.uri = uri.clone());
                    } else {
                        home = self.resources.len();
                        self.resources.push(Resource { uri, root: value });
                    }
                }
                if !fragment.is_empty() {
                    self.anchors.entry((home, fragment)).or_insert(value);
                }
            }
            _ => {}
        }
        if let Some(anchor) = text("$anchor") {
            self.anchors.entry((home, anchor)).or_insert(value);
        }
        if let Some(anchor) = text("$dynamicAnchor") {
            self.anchors.entry((home, anchor)).or_insert(value);
            self.dynamic_anchors.entry(anchor).or_default().push(value);
        }
        if value.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            self.recursive_anchors += 1;
        }
        home
    }
}

/// Whether a keyword may be one that [`Document::enter`] reads.
fn may_identify(keyword: &str) -> bool {
    keyword.starts_with('$') || keyword == "id"
}

/// What an object in the document is, as far as identifiers in it are concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Schema,
    /// A map whose keys are names and whose values are schemas.
    Names,
    /// A value in which nothing is a schema.
    Data,
}

impl Position {
    fn below(self, key: &str) -> Self {
        match (self, key) {
            (Self::Data, _) | (Self::Schema, "enum" | "const" | "default" | "examples") => {
                Self::Data
            }
            (
                Self::Schema,
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
                | "dependencies",
            ) => Self::Names,
            _ => Self::Schema,
        }
    }
}

/// Counts against the bounds of a document.
struct Size<'a> {
    options: &'a Options,
    nodes: usize,
    bytes: usize,
}

impl Size<'_> {
    fn admit(&mut self, value: &Value, depth: usize) -> Result<(), Reason> {
        let options = self.options;
        self.nodes += usize::from(value.is_object());
        self.bytes += match value {
            Value::String(text) => text.len() + 3,
            Value::Object(map) => map.keys().map(|key| key.len() + 4).sum::<usize>() + 2,
            _ => 4,
        };
        if depth > options.depth {
            Err(Reason::TooDeep { limit: options.depth })
        } else if self.nodes > options.subschemas {
            Err(Reason::TooManySubschemas { limit: options.subschemas })
        } else if self.bytes > options.schema_bytes {
            Err(Reason::TooLarge { limit: options.schema_bytes })
        } else {
            Ok(())
        }
    }
}

/// A number that stands for this very value in the document.
pub(crate) fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
