//@ console_bytes 20
console.log("0123456789");
console.log("0123456789");
console.log("0123456789");
return "the run goes on";
