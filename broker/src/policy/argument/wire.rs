//! Conditions as files have them: an object of objects, by pointer and by name of the test.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::Value;

use super::{ArgumentIs, ValueIs};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Tests {
    #[serde(default, deserialize_with = "present")]
    equals: Option<Value>,
    one_of: Option<Vec<Value>>,
    glob: Option<String>,
    regex: Option<String>,
    under: Option<String>,
    min: Option<f64>,
    max: Option<f64>,
    present: Option<bool>,
}

/// `null` is a value to be equal to, and not the same as no test.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

pub(in super::super) fn serialize<S: Serializer>(
    conditions: &[ArgumentIs],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(conditions.len()))?;
    for condition in conditions {
        let tests: BTreeMap<&str, Value> = condition.tests.iter().map(written).collect();
        map.serialize_entry(&condition.pointer.0, &tests)?;
    }
    map.end()
}

fn written(test: &ValueIs) -> (&'static str, Value) {
    match test {
        ValueIs::Equals(value) => ("equals", value.clone()),
        ValueIs::OneOf(all) => ("oneOf", all.clone().into()),
        ValueIs::Glob(glob) => ("glob", glob.text.clone().into()),
        ValueIs::Regex(regex) => ("regex", regex.0.as_str().into()),
        ValueIs::Under(folder) => ("under", folder.clone().into()),
        ValueIs::Min(min) => ("min", (*min).into()),
        ValueIs::Max(max) => ("max", (*max).into()),
        ValueIs::Present(present) => ("present", (*present).into()),
    }
}

pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ArgumentIs>, D::Error> {
    let map: BTreeMap<String, Tests> = BTreeMap::deserialize(deserializer)?;
    map.into_iter()
        .map(|(pointer, tests)| {
            let Tests { equals, one_of, glob, regex, under, min, max, present } = tests;
            let glob = glob.map(|glob| glob.parse()).transpose().map_err(D::Error::custom)?;
            let regex = regex.map(|regex| regex.parse()).transpose().map_err(D::Error::custom)?;
            let tests = [
                equals.map(ValueIs::Equals),
                one_of.map(ValueIs::OneOf),
                glob.map(ValueIs::Glob),
                regex.map(ValueIs::Regex),
                under.map(ValueIs::Under),
                min.map(ValueIs::Min),
                max.map(ValueIs::Max),
                present.map(ValueIs::Present),
            ];
            ArgumentIs::new(&pointer, tests.into_iter().flatten()).map_err(D::Error::custom)
        })
        .collect()
}
