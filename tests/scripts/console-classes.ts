// Instances carry the name of their class; private fields and accessors stay unseen.
class Point {
  #secret = 1;
  x = 1;
  y = [2];
  get sum() {
    return this.#secret;
  }
  toString() {
    return "never used";
  }
  toJSON() {
    return "never used";
  }
}
class Named extends Point {
  label = "n";
  get [Symbol.toStringTag]() {
    throw new Error("never called");
  }
}
console.log(new Point(), [new Named()], { p: new Point() });
console.log(Object.create(new Point()), Object.create(Point.prototype), Point.prototype);
console.log(new (class {})(), new (class extends Point {})());
console.log({ constructor: "text" }, Object.create({ constructor: { name: "x" } }));
console.log([[[[[new Point(), new Map(), new Set(), [1], new Error("deep"), new Uint8Array(1)]]]]]);
