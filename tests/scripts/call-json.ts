const result = await demo_count({ many: 3 });
console.log(typeof result.text, result.json<number[]>().length);
try { (await demo_text()).json(); } catch (error) { console.log(error.name, error.message.slice(0, 27)); }
