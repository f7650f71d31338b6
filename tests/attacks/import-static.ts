import fs from "node:fs";
import * as left from "npm:left-pad";
console.log(fs, left);
