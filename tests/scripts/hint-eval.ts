return new Function("a", "return a")(1);
