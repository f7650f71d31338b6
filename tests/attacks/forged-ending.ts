// The script closes the function that it runs in.
console.log("inside");
}); console.log("outside"); (async () => {
return "forged";
