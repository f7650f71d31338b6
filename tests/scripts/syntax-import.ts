import { readFile } from "node:fs";
