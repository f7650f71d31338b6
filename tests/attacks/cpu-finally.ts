//@ cpu_ms 500
// A termination cannot be caught.
const spin = () => { for (;;); };
try { try { spin(); } catch { console.log("caught"); } finally { console.log("finally"); spin(); } } catch { console.log("caught"); }
