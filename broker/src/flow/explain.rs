//! What rules of data flow can mean, before anything has flowed.

use super::{DataFlow, FlowRule};
use crate::policy::Pattern;

impl DataFlow {
    /// What can follow from what a call of this tool carries, or from what it returns: a line for a
    /// person each.
    pub fn about(&self, server: &str, tool: &str) -> Vec<String> {
        let is_to = |rule: &&FlowRule| rule.to.iter().any(|to| to.matches_tool(server, tool));
        let mut lines: Vec<_> = self
            .rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| is_to(rule))
            .map(|(index, rule)| format!("rule {}, {rule}", index + 1))
            .collect();
        if self.is_public(server) && self.marks_sensitive() {
            let action = self.sensitive_to_public.as_str();
            lines.push(format!(
                "`{server}` is public: {action} once the run has read sensitive data"
            ));
        }
        if self.is_sensitive(server, tool) {
            lines.push(format!("what `{server}/{tool}` returns is sensitive"));
        }
        lines
    }

    /// The rules that no data can match, given the names of all servers, as a sentence for a person
    /// each. Not all such rules can be found; these surely are.
    pub fn unused<'a>(&self, servers: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let servers: Vec<_> = servers.into_iter().collect();
        let of = |patterns: &[Pattern]| -> Vec<&str> {
            let may = |server: &&str| patterns.iter().any(|it| it.may_match_server(server));
            servers.iter().copied().filter(may).collect()
        };
        let unused = |(index, rule): (usize, &FlowRule)| {
            let (from, to) = (of(&rule.from), of(&rule.to));
            let why = match (from.as_slice(), to.as_slice()) {
                ([], _) => "there is no server that it takes from",
                (_, []) => "there is no server that it gives to",
                ([from], [to]) if from == to => "a server may have its own data back",
                _ => return None,
            };
            Some(format!("rule {} of the data flow (`{rule}`) never matches: {why}", index + 1))
        };
        self.rules.iter().enumerate().filter_map(unused).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Action;

    #[test]
    fn rules_that_nothing_matches_are_found() {
        let table = [
            ("mail/*", "web/*", None),
            ("*", "*", None),
            ("mial/*", "web/*", Some("there is no server that it takes from")),
            ("mail/*", "wbe/*", Some("there is no server that it gives to")),
            ("mail/read", "mail/*", Some("a server may have its own data back")),
            ("mail_read", "wbe_post", None),
        ];
        for (from, to, why) in table {
            let rule =
                FlowRule::new(vec![from.parse().unwrap()], vec![to.parse().unwrap()], Action::Ask);
            let unused = DataFlow::default().rule(rule).unused(["mail", "web"]);
            let expected = why.map(|why| {
                format!("rule 1 of the data flow (`ask {from} → {to}`) never matches: {why}")
            });
            assert_eq!(unused, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
