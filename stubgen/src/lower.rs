//! Schema to `Type`.
//!
//! A keyword either narrows the type or is left out, which keeps it wider than the schema: every
//! value that the schema admits is in the type.

mod array;
mod exact;
mod kinds;
mod object;
mod reference;

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::Options;
use crate::jsdoc::Doc;
use crate::merge::Merge;
use crate::name::is_type_like;
use crate::reason::Reason;
use crate::schema::Document;
use crate::ty::{DefinitionId, Others, Type};

use exact::exactly;
use kinds::Kinds;

/// What a definition counts: it costs more than a part without a name.
const DEFINITION: usize = 10;

/// A part of a schema that has a name of its own.
#[derive(Debug)]
pub(crate) struct Definition {
    /// What it would like to be called.
    pub(crate) hint: String,
    pub(crate) doc: Doc,
    /// None while it is being lowered.
    pub(crate) body: Option<Type>,
}

/// Lowers a whole document; adds what needs a name to `definitions`.
///
/// `hint` names the root, should it refer to itself.
///
/// # Errors
/// The reason why the document has no type.
pub(crate) fn lower(
    root: &Value,
    hint: &str,
    options: &Options,
    definitions: &mut Vec<Definition>,
) -> Result<Type, Reason> {
    let document = Document::read(root, options)?;
    let mut lowering = Lowering {
        document: &document,
        options,
        definitions,
        states: HashMap::new(),
        steps: 0,
        depth: 0,
        guards: 0,
    };
    lowering.target(document.root, hint.to_owned(), true)
}

/// The values that are in both types.
pub(crate) fn both(left: Type, right: Type, definitions: &[Definition]) -> Type {
    let body = |id: DefinitionId| definitions.get(id.0).and_then(|found| found.body.as_ref());
    Merge::new(&body).both(left, right)
}

struct Lowering<'a> {
    document: &'a Document<'a>,
    options: &'a Options,
    definitions: &'a mut Vec<Definition>,
    /// What is known of each schema that was referred to, by its address.
    states: HashMap<usize, State>,
    /// Schemas lowered so far, those behind references included.
    steps: usize,
    depth: usize,
    /// How many properties and items lie between the root and here. TypeScript allows a type to
    /// refer to itself only behind one of them.
    guards: usize,
}

#[derive(Clone)]
enum State {
    /// Being lowered, begun behind so many guards; `named` once something refers to it.
    Begun {
        id: DefinitionId,
        guards: usize,
        named: bool,
    },
    Done(Type),
}

impl<'a> Lowering<'a> {
    fn schema(&mut self, schema: &'a Value) -> Result<Type, Reason> {
        let map = match schema {
            Value::Bool(false) => return Ok(Type::Never),
            Value::Object(map) => map,
            _ => return Ok(Type::Unknown),
        };
        self.steps += 1;
        if self.steps > self.options.subschemas {
            return Err(Reason::TooManySubschemas { limit: self.options.subschemas });
        }
        if self.depth >= self.options.depth {
            return Err(Reason::TooDeep { limit: self.options.depth });
        }
        self.depth += 1;
        let ty = self.keywords(schema, map);
        self.depth -= 1;
        ty
    }

    /// All that a schema says, each keyword narrowing what the ones before left.
    fn keywords(&mut self, schema: &'a Value, map: &'a Map<String, Value>) -> Result<Type, Reason> {
        let mut ty = self.references(schema, map)?;
        if map.contains_key("$ref") && self.document.dialect.ref_hides_siblings() {
            return Ok(ty);
        }
        let own = self.own(map)?;
        ty = self.both(ty, own)?;
        for part in list(map, "allOf") {
            let part = self.schema(part)?;
            ty = self.both(ty, part)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = map.get(keyword) {
                let mut members = Vec::new();
                for choice in choices {
                    members.push(self.schema(choice)?);
                }
                ty = self.both(ty, Type::union(members))?;
            }
        }
        match map.get("not") {
            Some(Value::Bool(true)) => ty = Type::Never,
            Some(Value::Object(not)) if not.is_empty() => ty = Type::Never,
            _ => {}
        }
        if map.get("nullable") == Some(&Value::Bool(true)) {
            ty = Type::union([ty, Type::Null]);
        }
        Ok(ty)
    }

    /// What the keywords say that stand for themselves.
    fn own(&mut self, map: &'a Map<String, Value>) -> Result<Type, Reason> {
        let kinds = Kinds::of(map);
        let listed = map.get("const").map(std::slice::from_ref);
        let listed =
            listed.or_else(|| map.get("enum").and_then(Value::as_array).map(Vec::as_slice));
        if let Some(values) = listed {
            self.count(values.len())?;
            let values = values.iter().filter(|value| kinds.admit(value));
            return Ok(Type::union(values.map(exactly)));
        }
        let mut members = Vec::new();
        let mut narrowed = !kinds.are_all();
        if kinds.object {
            let object = self.object(map)?;
            narrowed |= !says_nothing(&object);
            members.push(object);
        }
        if kinds.array {
            let array = self.array(map)?;
            narrowed |= array != Type::any_array();
            members.push(array);
        }
        if !narrowed {
            return Ok(Type::Unknown);
        }
        members.extend(kinds.string.then_some(Type::String));
        members.extend(kinds.number.then_some(Type::Number));
        members.extend(kinds.boolean.then_some(Type::Boolean));
        members.extend(kinds.null.then_some(Type::Null));
        Ok(Type::union(members))
    }

    /// A schema in a place that can be reached only through a property or an item.
    fn guarded(&mut self, schema: &'a Value) -> Result<Type, Reason> {
        self.guards += 1;
        let ty = self.titled(schema);
        self.guards -= 1;
        ty
    }

    /// An object that has a title fit for a name gets that name.
    fn titled(&mut self, schema: &'a Value) -> Result<Type, Reason> {
        let title = schema.get("title").and_then(Value::as_str).filter(|title| is_type_like(title));
        let has_properties = schema.get("properties").is_some_and(Value::is_object);
        match title {
            Some(title) if has_properties => self.target(schema, title.to_owned(), false),
            _ => self.schema(schema),
        }
    }

    /// The values that are in both; what that copies counts as parts.
    fn both(&mut self, left: Type, right: Type) -> Result<Type, Reason> {
        if left == Type::Unknown || right == Type::Unknown {
            return Ok(if left == Type::Unknown { right } else { left });
        }
        let ty = both(left, right, self.definitions);
        self.count(ty.size())?;
        Ok(ty)
    }

    /// Counts parts that are not schemas but cost as much.
    fn count(&mut self, parts: usize) -> Result<(), Reason> {
        self.steps += parts;
        if self.steps > self.options.subschemas {
            return Err(Reason::TooManySubschemas { limit: self.options.subschemas });
        }
        Ok(())
    }
}

/// Whether an object's type admits every object.
fn says_nothing(ty: &Type) -> bool {
    match ty {
        Type::Object(object) => {
            object.properties.is_empty()
                && match &object.others {
                    Others::Unsaid => true,
                    Others::Nothing => false,
                    Others::Each(ty) => **ty == Type::Unknown,
                }
        }
        _ => false,
    }
}

/// The schemas in an array under `keyword`.
fn list<'a>(map: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    map.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
