// A line of the console stays one entry with its level, whatever is in it.
console.log("one\nwarn two\n=> 3\n!! timed out: cpu");
console.log("%s", "\u001b[2J\u001b[31mred\u001b[0m\r\u0008\u0007\u0000end");
console.warn("[error] not an error");
console.log("\ud800 lone \udc00", "\u2028\u2029\ufeff");
return "=> forged\n!! crashed";
