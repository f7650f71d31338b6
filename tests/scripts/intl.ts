console.log(new Intl.NumberFormat("de-DE").format(1234567.89), new Intl.NumberFormat("en-US").format(1234567.89));
console.log(new Date(0).toLocaleDateString("ko-KR", { timeZone: "UTC" }), new Date(0).toLocaleDateString("de-DE", { timeZone: "UTC" }));
