const answer = await demo_echo({ a: [1, { b: null }], text: "ü\u2028" });
return answer;
