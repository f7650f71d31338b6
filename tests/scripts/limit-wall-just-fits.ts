//@ wall_ms 2000
await new Promise((resolve) => setTimeout(resolve, 300));
return "within";
