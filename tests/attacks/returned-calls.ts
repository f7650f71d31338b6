// A call made while the returned value is written comes too late.
let late: Promise<unknown> | undefined;
return { toJSON() { late = demo_echo({ late: true }); late.catch(() => {}); return "written"; } };
