// Which labels there are, and the errors for those that are none.
const labels = ["utf-8", "UTF-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8", "unicode20utf8", "unicode11utf8", " \t\nutf-8\r\f ", "utf-16le", "utf-16", "ucs-2", "unicode", "unicodefeff", "csunicode", "iso-10646-ucs-2"];
for (const label of labels) { try { console.log(JSON.stringify(label), new TextDecoder(label).encoding); } catch (error) { console.log(JSON.stringify(label), error.name); } }
for (const bad of ["", "utf", "x-user-undefined", "utf-8\0", "\u00a0utf-8", "replacement", "utf_8", "utf-7"]) { try { console.log(new TextDecoder(bad).encoding); } catch (error) { console.log(error.name); } }
