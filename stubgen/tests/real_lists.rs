//! Tools of public servers: all are declared, and nothing else comes out.

mod support;

use stubgen::Tool;

#[test]
fn every_tool_of_real_servers_is_declared() {
    let lists = support::lists::real_lists();
    let tools: Vec<Tool> = lists.into_iter().flat_map(|(_, tools)| tools).collect();
    let declarations = support::declared(&tools);
    assert_eq!(declarations.unavailable, []);
    assert_eq!(declarations.functions.len(), tools.len());
    let names = support::parse::declared_names(declarations.text());
    assert_eq!(names.len(), tools.len() + declarations.interfaces.len());
}
