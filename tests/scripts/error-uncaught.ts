interface Options { n: number }
async function work(options: Options) {
  return await demo_fail(options);
}
await work({ n: 1 });
