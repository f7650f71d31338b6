console.log("kept");
const a = []; for (;;) a.push(new ArrayBuffer(300e6));
