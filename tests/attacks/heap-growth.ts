console.log("kept");
const a = []; for (;;) a.push(new Array(1e6));
