// The text side of printing values: quoting, names of keys, cutting, and laying entries out in
// lines of 80 columns. Knows no objects of the script, only strings.
"use strict";

((globalThis) => {
  const { primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayPrototypeJoin,
    ArrayPrototypePush,
    MathFloor,
    MathMin,
    NumberPrototypeToString,
    StringPrototypeCharCodeAt,
    StringPrototypeIncludes,
    StringPrototypePadEnd,
    StringPrototypePadStart,
    StringPrototypeRepeat,
    StringPrototypeSlice,
    StringPrototypeToUpperCase,
    SymbolPrototypeGetDescription,
  } = primordials;
  const { cut, list } = internals;

  const COLUMNS = 80;
  /** Longest string, name of a symbol or key that is shown in full. */
  const STRING_LENGTH = 10000;
  /** An array with more entries than this is set in rows. */
  const ROW_ENTRIES = 6;
  const MOST_COLUMNS = 16;

  function plural(count, noun) {
    if (count === 1) return `1 more ${noun}`;
    return `${count} more ${noun === "property" ? "properties" : `${noun}s`}`;
  }

  /** Where to cut so that no more than `length` units stay and no character is halved. */
  function cutAt(text, length) {
    if (length <= 0) return 0;
    const last = StringPrototypeCharCodeAt(text, length - 1);
    return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
  }

  /** The beginning of a text that is too long, with a mark that says how much is missing. */
  function shorten(text, length) {
    if (text.length <= length) return text;
    const end = cutAt(text, length);
    return `${StringPrototypeSlice(text, 0, end)}... ${plural(text.length - end, "character")}`;
  }

  function escaped(code) {
    if (code === 0x0a) return "\\n";
    if (code === 0x09) return "\\t";
    if (code === 0x0d) return "\\r";
    if (code === 0x08) return "\\b";
    if (code === 0x0c) return "\\f";
    if (code === 0x0b) return "\\v";
    const hex = StringPrototypeToUpperCase(NumberPrototypeToString(code, 16));
    return code < 0x100
      ? `\\x${StringPrototypePadStart(hex, 2, "0")}`
      : `\\u${StringPrototypePadStart(hex, 4, "0")}`;
  }

  /** A string in quotes, cut if it is very long. */
  function quote(text) {
    const end = text.length > STRING_LENGTH ? cutAt(text, STRING_LENGTH) : text.length;
    const shown = StringPrototypeSlice(text, 0, end);
    let mark = "'";
    if (StringPrototypeIncludes(shown, "'")) {
      if (!StringPrototypeIncludes(shown, '"')) mark = '"';
      else if (!StringPrototypeIncludes(shown, "`") && !StringPrototypeIncludes(shown, "${")) {
        mark = "`";
      }
    }
    const markCode = StringPrototypeCharCodeAt(mark, 0);
    let out = mark;
    let from = 0;
    for (let i = 0; i < end; i++) {
      const code = StringPrototypeCharCodeAt(shown, i);
      let instead;
      if (code === markCode) instead = `\\${mark}`;
      else if (code === 0x5c) instead = "\\\\";
      else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) instead = escaped(code);
      else if (code >= 0xd800 && code <= 0xdfff) {
        const next = i + 1 < end ? StringPrototypeCharCodeAt(shown, i + 1) : 0;
        if (code < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) {
          i++;
          continue;
        }
        instead = escaped(code);
      } else continue;
      out += StringPrototypeSlice(shown, from, i) + instead;
      from = i + 1;
    }
    out += StringPrototypeSlice(shown, from) + mark;
    return end === text.length ? out : `${out}... ${plural(text.length - end, "character")}`;
  }

  function isIdentifier(text) {
    if (text.length === 0 || text.length > 200) return false;
    for (let i = 0; i < text.length; i++) {
      const code = StringPrototypeCharCodeAt(text, i);
      const letter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) ||
        code === 0x5f || code === 0x24;
      const digit = code >= 0x30 && code <= 0x39;
      if (!letter && !(digit && i > 0)) return false;
    }
    return true;
  }

  function symbolText(symbol) {
    const description = SymbolPrototypeGetDescription(symbol);
    return `Symbol(${description === undefined ? "" : shorten(description, STRING_LENGTH)})`;
  }

  /** A key as it stands before its colon. */
  function keyText(key) {
    if (typeof key === "symbol") return `[${symbolText(key)}]`;
    return isIdentifier(key) ? key : quote(key);
  }

  function spaces(count) {
    return StringPrototypeRepeat(" ", count);
  }

  /** Moves all lines but the first to the right. */
  function indentRest(text, indent) {
    if (indent === 0 || !StringPrototypeIncludes(text, "\n")) return text;
    return ArrayPrototypeJoin(cut(text, "\n"), `\n${spaces(indent)}`);
  }

  /** Sets short entries of an array in aligned columns; gives the rows. */
  function rowsOf(entries, count, numeric, indent) {
    let longest = 0;
    for (let i = 0; i < count; i++) {
      if (entries[i].length > longest) longest = entries[i].length;
    }
    const width = longest + 2;
    const columns = MathMin(MOST_COLUMNS, MathFloor((COLUMNS - indent) / width));
    if (columns < 3) return entries;
    const rows = list();
    for (let i = 0; i < count; i += columns) {
      let row = "";
      const end = MathMin(i + columns, count);
      for (let j = i; j < end; j++) {
        // The comma at the end of a row is set where rows are joined.
        const entry = j + 1 < end ? `${entries[j]}, ` : entries[j];
        if (numeric) row += StringPrototypePadStart(entry, j + 1 < end ? width : longest, " ");
        else row += j + 1 < end ? StringPrototypePadEnd(entry, width, " ") : entry;
      }
      ArrayPrototypePush(rows, row);
    }
    for (let i = count; i < entries.length; i++) ArrayPrototypePush(rows, entries[i]);
    return rows;
  }

  /**
   * Puts entries between brackets, in one line if they fit, else a line each.
   *
   * `row` says how many of the entries, from the first, may share lines when there are many, and
   * whether they are numbers.
   */
  function enclose(prefix, open, entries, close, indent, row = null) {
    if (entries.length === 0) return `${prefix}${open}${close}`;
    let length = indent + prefix.length + open.length + close.length + 2;
    let fits = !StringPrototypeIncludes(prefix, "\n");
    let flat = true;
    for (let i = 0; i < entries.length; i++) {
      length += entries[i].length + 2;
      if (length > COLUMNS) fits = false;
      if (StringPrototypeIncludes(entries[i], "\n")) flat = false;
    }
    if (fits && flat) return `${prefix}${open} ${ArrayPrototypeJoin(entries, ", ")} ${close}`;
    let lines = entries;
    if (flat && row !== null && row.count > ROW_ENTRIES) {
      lines = rowsOf(entries, row.count, row.numeric, indent + 2);
    }
    const margin = spaces(indent);
    const body = ArrayPrototypeJoin(lines, `,\n${margin}  `);
    return `${prefix}${open}\n${margin}  ${body}\n${margin}${close}`;
  }

  internals.layout = {
    __proto__: null,
    enclose,
    indentRest,
    keyText,
    plural,
    quote,
    shorten,
    spaces,
    symbolText,
  };
})(globalThis);
