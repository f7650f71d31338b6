throw new RangeError("é".repeat(5_000_000));
