//! The form of a question: a flat object of simple values, as the specification allows, and no more.

use serde_json::{Map, Value};

use crate::catalogue::Validator;

/// More than this nobody fills in.
const FIELDS: usize = 50;
const OPTIONS: usize = 500;
const SCHEMA_BYTES: usize = 64 * 1024;

/// The fields of a question, in the server's order of names.
#[derive(Clone, Debug)]
pub struct Form {
    fields: Vec<Field>,
    schema: Value,
}

/// One field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// Its name in the answer.
    pub name: String,
    /// A name for people, in the server's words.
    pub title: Option<String>,
    /// What it is about, in the server's words.
    pub description: Option<String>,
    /// Whether the answer must have it.
    pub required: bool,
    /// What the server proposes.
    pub default: Option<Value>,
    /// What kind of value it takes.
    pub kind: FieldKind,
}

/// What kind of value a field takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Text, perhaps of a format such as `email` or `date`.
    Text {
        /// The format.
        format: Option<String>,
    },
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Boolean,
    /// One of these: value and what to show for it.
    Choice(Vec<(String, String)>),
    /// Some of these: values and what to show for them.
    Choices(Vec<(String, String)>),
}

impl Form {
    /// Reads a schema.
    ///
    /// # Errors
    /// What about it is not allowed.
    pub(crate) fn read(schema: &Value) -> Result<Self, String> {
        if schema.to_string().len() > SCHEMA_BYTES {
            return Err("its form is too large".to_owned());
        }
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err("its form is not an object".to_owned());
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let properties = properties.ok_or("its form has no `properties`")?;
        if properties.len() > FIELDS {
            return Err(format!("its form has more than {FIELDS} fields"));
        }
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        if let Some(name) = required.iter().find(|name| !properties.contains_key(**name)) {
            return Err(format!("its form requires `{name}`, which is no field"));
        }
        let fields = properties.iter().map(|(name, property)| {
            let text = |key: &str| property.get(key).and_then(Value::as_str).map(str::to_owned);
            let kind =
                kind(property).ok_or_else(|| format!("its field `{name}` is not a simple one"))?;
            Ok(Field {
                name: name.clone(),
                title: text("title"),
                description: text("description"),
                required: required.contains(&name.as_str()),
                default: property.get("default").cloned(),
                kind,
            })
        });
        let fields = fields.collect::<Result<_, String>>()?;
        let form = Self { fields, schema: schema.clone() };
        form.validator()?;
        Ok(form)
    }

    /// The fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Whether an answer is what the server asked for.
    ///
    /// # Errors
    /// What does not fit, in words. They may repeat the answer: they are for the user only.
    pub fn check(&self, answer: &Map<String, Value>) -> Result<(), String> {
        if let Some(name) = answer.keys().find(|name| self.field(name).is_none()) {
            return Err(format!("`{name}` is no field"));
        }
        let answer = Value::Object(answer.clone());
        self.validator()?.check(&answer).map_err(|misfit| misfit.to_string())
    }

    /// Whether a value is one for this field.
    ///
    /// # Errors
    /// As [`Form::check`].
    pub fn check_field(&self, name: &str, value: &Value) -> Result<(), String> {
        let property = self.schema.get("properties").and_then(|properties| properties.get(name));
        let property = property.ok_or_else(|| format!("`{name}` is no field"))?;
        let validator = Validator::compile("form", property).map_err(|error| error.to_string())?;
        validator.check(value).map_err(|misfit| misfit.to_string())
    }

    /// The schema as the server gave it; it has been read, so it is what a form may be.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    fn validator(&self) -> Result<Validator, String> {
        Validator::compile("form", &self.schema).map_err(|error| error.to_string())
    }
}

fn kind(property: &Value) -> Option<FieldKind> {
    let text = |key: &str| property.get(key).and_then(Value::as_str);
    // Nothing of this belongs to a simple field, and each could smuggle in a structure.
    for key in ["$ref", "allOf", "anyOf", "not", "if", "properties"] {
        if property.get(key).is_some() {
            return None;
        }
    }
    match text("type")? {
        "string" => match options(property)? {
            Some(options) => Some(FieldKind::Choice(options)),
            None => Some(FieldKind::Text { format: text("format").map(str::to_owned) }),
        },
        "number" => Some(FieldKind::Number),
        "integer" => Some(FieldKind::Integer),
        "boolean" => Some(FieldKind::Boolean),
        "array" => {
            let items = property.get("items")?;
            let options = match items.get("anyOf") {
                Some(titled) => Some(titled_options(titled)?),
                None => options(items)?,
            };
            options.map(FieldKind::Choices)
        }
        _ => None,
    }
}

/// The values of an `enum` or of `oneOf`; none inside if there are none, none at all if they are not
/// what they should be.
#[allow(clippy::option_option, reason = "no options and bad options are different answers")]
fn options(property: &Value) -> Option<Option<Vec<(String, String)>>> {
    if let Some(titled) = property.get("oneOf") {
        return titled_options(titled).map(Some);
    }
    let Some(values) = property.get("enum") else { return Some(None) };
    let values = values.as_array().filter(|values| values.len() <= OPTIONS)?;
    let values: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
    let names = property.get("enumNames").and_then(Value::as_array);
    let name = |index: usize| names.and_then(|names| names.get(index)).and_then(Value::as_str);
    let option =
        |(index, value): (usize, &str)| (value.to_owned(), name(index).unwrap_or(value).to_owned());
    Some(Some(values?.into_iter().enumerate().map(option).collect()))
}

fn titled_options(options: &Value) -> Option<Vec<(String, String)>> {
    let options = options.as_array().filter(|options| options.len() <= OPTIONS)?;
    let option = |option: &Value| {
        let value = option.get("const")?.as_str()?;
        let title = option.get("title").and_then(Value::as_str).unwrap_or(value);
        Some((value.to_owned(), title.to_owned()))
    };
    options.iter().map(option).collect()
}
