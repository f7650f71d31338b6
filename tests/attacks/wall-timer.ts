//@ wall_ms 500
await new Promise((resolve) => setTimeout(resolve, 60000));
