const deep = (n: number): number => 1 + deep(n + 1);
try { deep(0); } catch (error) { console.log(error.name); }
try { await demo_echo(JSON.parse("[".repeat(5000) + "]".repeat(5000))); } catch (error) { console.log(error.kind); }
try { const deep = JSON.parse('{"a":'.repeat(5000) + "1" + "}".repeat(5000)); await demo_echo(deep); } catch (error) { console.log(error.kind); }
