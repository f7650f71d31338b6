// In strings they are fine, and they end a comment.
const a = "  ".length; // a comment console.log("a line of its own", a);
throw new Error("in line 3");
