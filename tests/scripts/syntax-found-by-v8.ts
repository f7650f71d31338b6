const fine = 1;
console.log(fine);
label: for (;;) { break labl; }
