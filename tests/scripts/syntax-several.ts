const a: number = ;
function f( { return 1 }
const b = 2 +* 3;
