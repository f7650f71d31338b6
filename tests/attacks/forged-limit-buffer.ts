// V8's words for a refused ArrayBuffer, from a script that never asked for one.
throw new RangeError("Array buffer allocation failed");
