const all = await Promise.any([demo_fail(), demo_denied()]).catch((error) => error);
throw new AggregateError([...all.errors, new TypeError("of ours", { cause: "text" }), 7], "nothing worked", { cause: all });
