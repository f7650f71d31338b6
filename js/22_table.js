// The table that console.table draws: a row for each entry, a column for each key that occurs.
//
// Cells are read as data properties only, like everything that is printed.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayIsArray,
    ArrayPrototypePush,
    MapIteratorPrototypeNext,
    MapPrototypeEntries,
    MapPrototypeGetSize,
    MathMin,
    ObjectHasOwn,
    ReflectGetOwnPropertyDescriptor,
    SafeMap,
    SetIteratorPrototypeNext,
    SetPrototypeGetSize,
    SetPrototypeValues,
    StringPrototypeIndexOf,
    StringPrototypePadEnd,
    StringPrototypeRepeat,
    StringPrototypeSlice,
  } = primordials;
  const { facts, inspectValue, layout, list, ownValue } = internals;

  const ROWS = 1000;
  const COLUMNS = 50;
  const CELL_LENGTH = 200;
  /** Characters of all cells; rows beyond are counted only. */
  const LENGTH = 200000;

  function isObject(value) {
    return typeof value === "object" && value !== null;
  }

  /** One value in one line. */
  function cell(value) {
    const text = inspectValue(value, 0, CELL_LENGTH);
    const end = StringPrototypeIndexOf(text, "\n");
    const line = end === -1 ? text : `${StringPrototypeSlice(text, 0, end)} ...`;
    return layout.shorten(line, CELL_LENGTH);
  }

  function fieldText(object, key) {
    const property = ReflectGetOwnPropertyDescriptor(object, key);
    if (property === undefined) return "";
    return ObjectHasOwn(property, "value") ? cell(property.value) : "[Getter]";
  }

  /** The entries of a collection as rows of name, key and value; `total` counts all of them. */
  function rowsOf(data) {
    const rows = list();
    const add = (name, value, key = undefined, hasKey = false) =>
      ArrayPrototypePush(rows, { __proto__: null, name, value, key, hasKey });
    if (core.isMap(data)) {
      const walk = MapPrototypeEntries(data);
      for (let i = 0; i < ROWS; i++) {
        const step = MapIteratorPrototypeNext(walk);
        if (step.done) break;
        add(`${i}`, step.value[1], step.value[0], true);
      }
      return { __proto__: null, rows, total: MapPrototypeGetSize(data) };
    }
    if (core.isSet(data)) {
      const walk = SetPrototypeValues(data);
      for (let i = 0; i < ROWS; i++) {
        const step = SetIteratorPrototypeNext(walk);
        if (step.done) break;
        add(`${i}`, step.value);
      }
      return { __proto__: null, rows, total: SetPrototypeGetSize(data) };
    }
    if (ArrayIsArray(data)) {
      const end = MathMin(data.length, ROWS);
      for (let i = 0; i < end; i++) add(`${i}`, ownValue(data, i));
      return { __proto__: null, rows, total: data.length };
    }
    const keys = facts.keysOf(data);
    for (let i = 0; i < keys.length && i < ROWS; i++) {
      const name = typeof keys[i] === "symbol" ? layout.symbolText(keys[i]) : keys[i];
      add(layout.shorten(name, CELL_LENGTH), ownValue(data, keys[i]));
    }
    return { __proto__: null, rows, total: keys.length };
  }

  /** The columns that the caller named, or null. */
  function wanted(columns) {
    columns = isObject(columns) ? facts.unwrap(columns) : null;
    if (!ArrayIsArray(columns)) return null;
    const names = list();
    for (let i = 0; i < columns.length && i < COLUMNS; i++) {
      const name = ownValue(columns, i);
      const isKey = typeof name === "string" || typeof name === "number";
      if (isKey) ArrayPrototypePush(names, `${name}`);
    }
    return names;
  }

  function line(left, middle, right, widths) {
    let out = left;
    for (let i = 0; i < widths.length; i++) {
      out += (i === 0 ? "" : middle) + StringPrototypeRepeat("─", widths[i] + 2);
    }
    return out + right;
  }

  function draw(heads, body) {
    const widths = list();
    for (let i = 0; i < heads.length; i++) {
      let width = heads[i].length;
      for (let j = 0; j < body.length; j++) {
        if (body[j][i].length > width) width = body[j][i].length;
      }
      ArrayPrototypePush(widths, width);
    }
    const row = (cells) => {
      let out = "│";
      for (let i = 0; i < cells.length; i++) {
        out += ` ${StringPrototypePadEnd(cells[i], widths[i], " ")} │`;
      }
      return out;
    };
    let out = `${line("┌", "┬", "┐", widths)}\n${row(heads)}\n${line("├", "┼", "┤", widths)}\n`;
    for (let i = 0; i < body.length; i++) out += `${row(body[i])}\n`;
    return out + line("└", "┴", "┘", widths);
  }

  /** The text of a table; null if the data is nothing to make one of. */
  internals.tableText = (data, columns) => {
    data = isObject(data) ? facts.unwrap(data) : null;
    if (data === null || typeof data === "function") return null;
    const { rows, total } = rowsOf(data);

    const names = wanted(columns) ?? list();
    const chosen = names.length > 0;
    const seen = new SafeMap();
    let plainValues = false;
    let keyed = false;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (row.hasKey) keyed = true;
      row.object = isObject(row.value) ? facts.unwrap(row.value) : null;
      if (row.object === null) {
        plainValues = true;
        continue;
      }
      if (chosen) continue;
      const keys = facts.keysOf(row.object);
      for (let j = 0; j < keys.length && names.length < COLUMNS; j++) {
        if (typeof keys[j] === "symbol" || seen.has(keys[j])) continue;
        seen.set(keys[j], true);
        ArrayPrototypePush(names, keys[j]);
      }
    }

    const heads = list();
    ArrayPrototypePush(heads, rows.length > 0 && keyed ? "(iteration index)" : "(index)");
    if (keyed) ArrayPrototypePush(heads, "Key");
    for (let i = 0; i < names.length; i++) {
      ArrayPrototypePush(heads, layout.shorten(names[i], CELL_LENGTH));
    }
    if (plainValues) ArrayPrototypePush(heads, "Values");

    const body = list();
    let length = 0;
    for (let i = 0; i < rows.length && length < LENGTH; i++) {
      const row = rows[i];
      const cells = list();
      ArrayPrototypePush(cells, row.name);
      if (keyed) ArrayPrototypePush(cells, cell(row.key));
      for (let j = 0; j < names.length; j++) {
        ArrayPrototypePush(cells, row.object === null ? "" : fieldText(row.object, names[j]));
      }
      if (plainValues) ArrayPrototypePush(cells, row.object === null ? cell(row.value) : "");
      for (let j = 0; j < cells.length; j++) length += cells[j].length;
      ArrayPrototypePush(body, cells);
    }
    const left = total - body.length;
    const more = left > 0 ? `\n... ${layout.plural(left, "row")}` : "";
    return draw(heads, body) + more;
  };
})(globalThis);
