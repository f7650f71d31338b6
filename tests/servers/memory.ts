const made = await memory_create_entities({
  entities: [
    { name: "Ada", entityType: "person", observations: ["wrote the first program"] },
    { name: "Engine", entityType: "machine", observations: [] },
  ],
});
console.log(made.entities.map((entity) => entity.name));
await memory_create_relations({ relations: [{ from: "Ada", to: "Engine", relationType: "programs" }] });
// The output schemas of this server are of draft-07; what they promise is what a script gets.
return await memory_read_graph();
