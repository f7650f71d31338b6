import fs = require("node:fs");
console.log(fs);
