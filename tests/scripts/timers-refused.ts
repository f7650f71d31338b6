// Only functions are callbacks, and the number of live timers has a bound.
const errors: string[] = [];
for (const callback of ["alert(1)", undefined, {}]) {
  try {
    setTimeout(callback as never, 1);
  } catch (error) {
    errors.push(`${error.name}: ${error.message}`);
  }
}
const ids: number[] = [];
try {
  for (;;) ids.push(setTimeout(() => {}, 60000));
} catch (error) {
  errors.push(`${error.name}: ${error.message}`);
}
for (const id of ids) clearTimeout(id);
// The room is free again.
clearTimeout(setTimeout(() => {}, 1));
return { errors, made: ids.length };
