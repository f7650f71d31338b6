// Half a gigabyte that takes no memory until somebody reads it.
//@ process_only
//@ resident_mib 4096
const text = "x".repeat(2 ** 29 - 24);
console.log("kept");
console.log(text);
return "alive";
