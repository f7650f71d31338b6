// Thenables and getters are the script's own business; their result is what is written down.
return { then(resolve: (value: unknown) => void) { resolve({ toJSON() { return "own"; } }); } };
