const a: string = "x";
let b = a as const as any;
type T = { a: number;
const c = 1;
