return "after a byte order mark";
