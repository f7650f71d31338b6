function load() {
  return await demo_echo({});
}
load();
