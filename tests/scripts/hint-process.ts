console.log(process.env.HOME);
