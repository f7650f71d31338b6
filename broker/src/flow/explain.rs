//! What rules of data flow can mean, before anything has flowed.

use super::{DataFlow, FlowRule};
use crate::policy::{Pattern, Verdict, cover};

/// What a run has read before a call, and what of it the call carries: tools by their servers and
/// names.
#[derive(Clone, Debug, Default)]
pub struct Carried<'a> {
    /// The tools whose results are in the arguments, in part or in whole.
    pub carries: Vec<(&'a str, &'a str)>,
    /// Further tools whose results the run has read.
    pub read: Vec<(&'a str, &'a str)>,
}

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

    /// What becomes of the policy's verdict on a call of this tool, given what the call carries.
    pub fn verdict(&self, to: (&str, &str), carried: &Carried<'_>, policy: Verdict) -> Verdict {
        let (server, _) = to;
        // A server may have its own data back.
        let foreign = carried.carries.iter().filter(|(from, _)| *from != server);
        let judged = foreign.filter_map(|from| self.judge_carried(*from, to));
        let mut all_read = carried.carries.iter().chain(&carried.read);
        let is_sensitive = self.is_public(server)
            && all_read.any(|(server, tool)| self.is_sensitive(server, tool));
        let sensitive = is_sensitive.then(|| self.judge_sensitive());
        match sensitive.into_iter().chain(judged).reduce(|one, other| one.and(other)) {
            Some(judged) => judged.with(policy),
            None => policy,
        }
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
            let earlier = self.rules.iter().take(index).position(|earlier| earlier.covers(rule));
            let why = match (from.as_slice(), to.as_slice(), earlier) {
                ([], _, _) => "there is no server that it takes from".to_owned(),
                (_, [], _) => "there is no server that it gives to".to_owned(),
                ([from], [to], _) if from == to => "a server may have its own data back".to_owned(),
                (_, _, Some(earlier)) => {
                    format!("rule {} matches everything that it would", earlier + 1)
                }
                _ => return None,
            };
            Some(format!("rule {} of the data flow (`{rule}`) never matches: {why}", index + 1))
        };
        self.rules.iter().enumerate().filter_map(unused).collect()
    }
}

impl FlowRule {
    /// Whether this rule surely matches whatever the other does.
    fn covers(&self, other: &Self) -> bool {
        cover(&self.from, &other.from) && cover(&self.to, &other.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Action;

    #[test]
    fn a_rule_behind_one_that_takes_it_all_is_found() {
        let rule = |from: &str, to: &str| {
            FlowRule::new(vec![from.parse().unwrap()], vec![to.parse().unwrap()], Action::Ask)
        };
        let flow = DataFlow::default().rule(rule("*", "web/*")).rule(rule("mail/*", "web/*"));
        let flow = flow.rule(rule("mail/*", "chat/*")).rule(rule("mail/*", "chat/*"));
        let unused = flow.unused(["mail", "web", "chat"]);
        assert_eq!(
            unused,
            [
                "rule 2 of the data flow (`ask mail/* → web/*`) never matches: rule 1 matches everything that it would",
                "rule 4 of the data flow (`ask mail/* → chat/*`) never matches: rule 3 matches everything that it would",
            ]
        );
    }

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
