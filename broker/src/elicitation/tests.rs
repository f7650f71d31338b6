use std::sync::Arc;

use serde_json::json;

use super::*;

fn form(properties: Value) -> Result<Form, String> {
    Form::read(&json!({ "type": "object", "properties": properties }))
}

fn kind(property: Value) -> Option<FieldKind> {
    form(json!({ "a": property })).ok().map(|form| form.fields()[0].kind.clone())
}

#[test]
fn simple_fields_are_read() {
    let pair = |value: &str, title: &str| (value.to_owned(), title.to_owned());
    let email = FieldKind::Text { format: Some("email".to_owned()) };
    assert_eq!(kind(json!({ "type": "string", "format": "email" })), Some(email));
    assert_eq!(kind(json!({ "type": "integer" })), Some(FieldKind::Integer));
    assert_eq!(kind(json!({ "type": "boolean" })), Some(FieldKind::Boolean));
    let choice = FieldKind::Choice(vec![pair("a", "Ah"), pair("b", "Bee")]);
    let titled = json!([{ "const": "a", "title": "Ah" }, { "const": "b", "title": "Bee" }]);
    assert_eq!(kind(json!({ "type": "string", "oneOf": titled })), Some(choice.clone()));
    let old = json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["Ah", "Bee"] });
    assert_eq!(kind(old), Some(choice));
    let choices = FieldKind::Choices(vec![pair("a", "a")]);
    let several = json!({ "type": "array", "items": { "type": "string", "enum": ["a"] } });
    assert_eq!(kind(several), Some(choices));
}

#[test]
fn what_is_no_simple_field_is_refused() {
    for property in [
        json!({ "type": "object" }),
        json!({ "type": ["string", "null"] }),
        json!({}),
        json!(true),
        json!({ "type": "string", "enum": [1] }),
        json!({ "type": "array", "items": { "type": "string" } }),
        json!({ "type": "string", "$ref": "https://example.org/x" }),
        json!({ "type": "string", "anyOf": [] }),
        json!({ "type": "string", "pattern": "(" }),
    ] {
        assert_eq!(kind(property.clone()), None, "{property}");
    }
    for schema in [
        json!(null),
        json!({ "type": "object" }),
        json!({ "properties": {} }),
        json!({ "type": "object", "properties": {}, "required": ["a"] }),
    ] {
        assert!(Form::read(&schema).is_err(), "{schema}");
    }
    let many: Map<String, Value> =
        (0..51).map(|n| (format!("f{n}"), json!({ "type": "string" }))).collect();
    assert!(form(Value::Object(many)).is_err());
}

#[test]
fn an_answer_has_what_is_asked_for_and_nothing_else() {
    let schema = json!({ "type": "object", "required": ["n"],
                         "properties": { "n": { "type": "integer", "maximum": 3 } } });
    let form = Form::read(&schema).unwrap();
    let check = |answer: Value| form.check(answer.as_object().unwrap());
    assert_eq!(check(json!({ "n": 3 })), Ok(()));
    for answer in [json!({}), json!({ "n": 4 }), json!({ "n": "3" }), json!({ "n": 1, "m": 1 })] {
        assert!(check(answer.clone()).is_err(), "{answer}");
    }
    assert!(form.check_field("n", &json!(2)).is_ok() && form.check_field("n", &json!(9)).is_err());
}

#[test]
fn a_page_is_a_web_page() {
    let page = |url: &str| page(Some(&json!(url)));
    assert_eq!(page("https://x.example/a?b=c").as_deref(), Ok("https://x.example/a?b=c"));
    assert_eq!(page("https://pаypal.example/").as_deref(), Ok("https://xn--pypal-4ve.example/"));
    for url in ["javascript:alert(1)", "file:///etc/passwd", "x", "data:text/html,x"] {
        assert!(page(url).is_err(), "{url}");
    }
}

/// Says that it was asked.
struct Willing;

#[async_trait]
impl Elicitor for Willing {
    async fn elicit(&self, _: &Elicitation) -> Reply {
        Reply::Decline
    }
}

#[tokio::test]
async fn one_principal_does_not_answer_for_another() {
    let (one, other): (Arc<dyn Elicitor>, Arc<dyn Elicitor>) =
        (Arc::new(Willing), Arc::new(Willing));
    let caller = |number: u64, elicitor: Option<Option<Arc<dyn Elicitor>>>| Caller {
        server: "s".to_owned(),
        tool: "t".to_owned(),
        call: CallId(number),
        line: None,
        elicitor,
        standing: Standing::new(Arc::new(|_| ())),
    };
    let params =
        json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} } });
    let desk = Desk::new(Some(Arc::new(Willing)));
    let _first = desk.seat(caller(1, Some(Some(one.clone()))));
    assert!(desk.ask(&params).await.is_ok());
    let second = desk.seat(caller(2, Some(Some(one))));
    assert!(desk.ask(&params).await.is_ok(), "both are the same one's");
    drop(second);
    for unlike in [Some(Some(other)), Some(None), None] {
        let _second = desk.seat(caller(2, unlike));
        assert_eq!(desk.ask(&params).await, Err(Unanswered::Several));
    }
}
