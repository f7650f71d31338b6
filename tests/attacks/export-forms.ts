export { a } from "x";
const a = 1;
