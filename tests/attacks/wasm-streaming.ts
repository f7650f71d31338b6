// Aborts the process in a bare deno_core.
WebAssembly.compileStreaming(0);
