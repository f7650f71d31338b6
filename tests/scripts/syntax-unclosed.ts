const list = [1, 2, 3].map((n) => {
  return n * 2;
