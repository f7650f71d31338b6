// A type that is imported is no import: it is gone before anything runs. It is refused all the same.
import type { Stats } from "node:fs";
const stats: Stats | null = null;
console.log(stats);
