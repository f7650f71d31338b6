//@ array_buffer_bytes 0
try { new Uint8Array(1_000_000); } catch (error) { console.log(error.name); }
console.log(new TextDecoder().decode(new Uint8Array(0)).length, performance.now() >= 0);
