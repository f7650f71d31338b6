const deep = (n: number): number => (n === 0 ? 0 : 1 + deep(n - 1));
console.log(deep(5000));
const endless = (): number => 1 + endless();
try {
  endless();
} catch (error) {
  console.log(error.name, error.message);
}
return "the run goes on";
