return Buffer.from("text").toString("base64");
