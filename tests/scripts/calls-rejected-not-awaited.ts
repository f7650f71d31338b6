// A call that nobody waits for, and that fails after the script has returned: it is not lost.
demo_sleep({ ms: 30 }).then(() => demo_fail());
return "returned";
