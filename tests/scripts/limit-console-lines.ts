//@ console_lines 2
console.log("first");
console.log("");
console.log("third");
return "the run goes on";
