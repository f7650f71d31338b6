// Nothing of an error is called when it is reported, and nothing when its stack is made.
class Odd extends Error {
  get stack(): string { console.log("stack"); throw 1; }
  get message(): string { console.log("message"); throw 2; }
  get name(): string { console.log("name"); throw 3; }
  get cause() { console.log("cause"); throw 4; }
  get errors() { console.log("errors"); throw 5; }
  get kind() { console.log("kind"); return "limit"; }
  get [Symbol.toStringTag]() { console.log("tag"); return "x"; }
  toString() { console.log("toString"); return "x"; }
}
throw new Odd();
