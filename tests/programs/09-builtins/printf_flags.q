printf("[%5d|%-5d|%+d|%05.1f|%e]", 42, 42, 42, 3.14159, 12345.678)
printf("%s and %s: %g%%", "one", [1,2], 50)
printf("%c%c %u %i\ttab", 81, 117, 7, -7)
print sprintf("%x %X %o", 255, 255, 8) + "."
