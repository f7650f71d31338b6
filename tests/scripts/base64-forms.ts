// atob and btoa of everything odd.
const attempt = (work) => { try { return JSON.stringify(work()); } catch (error) { return error.name; } };
for (const text of ["", "abcd", " abcd", "abcd ", " abcd===", "abcd=== ", "abcd ===", "a", "ab", "abc", "abcde", "\u{d834}", "=", "==", "===", "====", "=====", "a=", "a==", "ab=", "ab==", "ab===", "abc=", "abc==", "abcd=", "abcd==", "abcd====", "abcde=", "=a", "a=b", "ab=c", "ab=cd", "abc=d", "ab\tcd", "ab\ncd", "ab\fcd", "ab\rcd", "ab cd", "ab\u00a0cd", "ab\t\n\f\r cd", " \t\n\f\r ab", "/A", "//A", "///A", "////", "A/", "+/", "-_", "\0nonsense", "abcd\0nonsense", "YQ", "YR", "ABCDEFGHIJ", "null"]) console.log(JSON.stringify(text), attempt(() => atob(text)));
for (const value of [undefined, null, 7, 12, 1.5, true, false, NaN, Infinity, -Infinity, 0, -0, { toString: () => "foo" }, { toString: () => "abcd" }, [], {}]) console.log(attempt(() => atob(value)), attempt(() => btoa(value)));
for (const text of ["\u05e2", "\xff", "\u0100", "\0\0", "\x80\x81", "\ud83d\ude00", "a".repeat(5)]) console.log(attempt(() => btoa(text)));
let all = ""; for (let i = 0; i < 256; i++) all += String.fromCharCode(i);
console.log(btoa(all), atob(btoa(all)) === all, attempt(() => atob()), attempt(() => btoa()));
