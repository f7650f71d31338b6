const value = 1;
const value = 2;
