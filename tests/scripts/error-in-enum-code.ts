enum Level { Low = "low", High = "high" }

class Point { constructor(public x: number) {} }
console.log(Level.High, new Point(3).x);
throw new TypeError("here");
