// The same with code that is printed anew.
enum E { A }
}), console.log("outside", E.A), (async () => {
