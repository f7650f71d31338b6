//@ heap_mib 64
//@ cpu_ms 4000
return new Array(2 ** 32 - 1);
