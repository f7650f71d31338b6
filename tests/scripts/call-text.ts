const result = await demo_text();
console.log(result.text, `${result}`, result instanceof ToolResult);
console.log(result.content);
return result;
