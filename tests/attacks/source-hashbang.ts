#!/usr/bin/env -S cofferdam run
throw new Error("in line 2");
