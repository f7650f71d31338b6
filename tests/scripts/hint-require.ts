const { readFileSync } = require("fs");
