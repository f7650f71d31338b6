// atob forgives white space and missing padding; both refuse what they cannot do.
console.log(btoa(""), btoa("a"), btoa("ab"), btoa("abc"), btoa("\xff\x00"));
console.log(atob(" YW Jj\n"), atob("YQ"), atob("YQ=="), atob("").length, atob("/+8=").charCodeAt(0));
for (const bad of ["a", "YQ=", "Y===", "YW=Jj", "YQ$=", "€"]) {
  try {
    console.log("accepted", atob(bad));
  } catch (error) {
    console.log(error.name, error.code, error instanceof DOMException, error instanceof Error);
  }
}
try {
  btoa("€");
} catch (error) {
  console.log(error.name);
}
return atob(btoa("\x00\x7f\x80\xff")) === "\x00\x7f\x80\xff";
