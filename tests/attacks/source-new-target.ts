console.log(new.target);
