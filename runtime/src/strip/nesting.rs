//! How deep a text may be nested, found before it is parsed.
//!
//! The parser is recursive, and so is everything that walks or drops its tree: text that is nested
//! deeply enough overflows any stack, which ends the process. The estimate here knows no grammar.
//! It follows brackets, and between them counts words and signs, each of which could be one level
//! (`!!!!a`, `a=>a=>a`, `a.a.a`), until a `;` or `,` begins something new. So it never says less
//! than the parser needs; it says more for strings with tens of thousands of words and no comma.

/// How much a bracket weighs: the parser needs about four times the stack for it.
const BRACKET: usize = 4;

/// The weight of the deepest place in `source`, and its line, counted from 1.
pub(super) fn deepest(source: &str) -> (usize, usize) {
    // What the place inside the brackets began with, and what the place before them had.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut base, mut weight) = (0, 0);
    let (mut deepest, mut deepest_line, mut line) = (0, 1, 1);
    let mut in_word = false;
    for byte in source.bytes() {
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        match byte {
            b'(' | b'[' | b'{' => {
                open.push((base, weight));
                weight += BRACKET;
                base = weight;
            }
            b')' | b']' | b'}' => {
                (base, weight) = open.pop().unwrap_or((0, weight));
                weight += 1;
            }
            b';' | b',' => weight = base,
            b'\n' => line += 1,
            _ if byte.is_ascii_whitespace() => {}
            _ if is_word && in_word => {}
            _ => weight += 1,
        }
        in_word = is_word;
        if weight > deepest {
            (deepest, deepest_line) = (weight, line);
        }
    }
    (deepest, deepest_line)
}

#[cfg(test)]
mod tests {
    use super::deepest;

    #[test]
    fn every_way_to_nest_is_seen() {
        let ways = [
            "[", "(", "{a:", "()=>{", "!", "+1", "a=>", "1?1:", ".a", "()", "a=", "**1", "if(1)",
            "A<", "a:", "`${", " as a", "typeof ", "keyof ", "<a>", "{;!", "[0,", "f(1,", "new ",
        ];
        for way in ways {
            let (weight, _) = deepest(&way.repeat(1000));
            assert!(weight >= 1000, "{way}: {weight}");
        }
    }

    #[test]
    fn length_alone_is_not_depth() {
        let (weight, _) =
            deepest(&"const a = f(b.c, { d: [1, 2] });\nif (a) { g(); }\n".repeat(1000));
        assert!(weight < 5000, "{weight}");
    }

    #[test]
    fn the_line_is_that_of_the_deepest_place() {
        assert_eq!(deepest("a;\n((b));\nc;").1, 2);
    }
}
