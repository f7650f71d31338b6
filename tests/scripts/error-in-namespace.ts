namespace Shapes {
  export const sides = 4;
  export function area(of: { w: number; h: number }): number {
    if (of.w < 0) throw new RangeError("negative");
    return of.w * of.h;
  }
}
class Box {
  constructor(private readonly w: number, public h = 2) {}
  get area(): number { return Shapes.area(this); }
}
enum Unit { Metre, Foot = "ft" }
const enum Small { One = 1 }
console.log(new Box(3 as number).area, Unit.Foot, Unit[0], Small.One, Shapes.sides);
const box = new Box(-1);
box.area;
