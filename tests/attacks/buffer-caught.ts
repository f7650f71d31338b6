//@ array_buffer_bytes 1000000
const kept: Uint8Array[] = [];
try { for (;;) kept.push(new Uint8Array(300_000)); } catch (error) { console.log(error.name, kept.length); }
kept.length = 0;
