//@ heap_mib 32
const kept = [];
for (let i = 0; i < 20; i++) kept.push(new Array(1e5).fill(i));
return kept.length;
