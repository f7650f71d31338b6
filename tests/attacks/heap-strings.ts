let text = "x"; const all: string[] = [];
for (;;) { text = text + text.slice(0, 1e6); all.push(text.split("").join("-")); }
