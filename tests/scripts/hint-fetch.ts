const response = await fetch("https://example.com/");
