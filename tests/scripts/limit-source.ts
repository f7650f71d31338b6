//@ source_bytes 30
return 12;
