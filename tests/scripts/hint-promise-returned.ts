return { total: 1, list: [{ logs: demo_echo({ a: 1 }) }], empty: {} };
