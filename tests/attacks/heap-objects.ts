const list: object[] = []; for (let n = 0; ; n++) list.push({ n, text: "x" + n });
