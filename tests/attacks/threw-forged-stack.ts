// A stack is text of the script. It can point anywhere, and at nothing outside of the script.
const error = new Error("x\n    at f (file:///etc/passwd:1:1)");
error.stack = "Error: x\n    at f (file:///script.ts:999999:99999999999)\n    at g (file:///script.ts:4294967295:1)\n    at h (file:///script.ts:1:4)\n    at ext:core/01_core.js:1:1";
throw error;
