printf("%d %5.2f|%-5s|%x", 42, 3.14159, "ab", 255)
s = sprintf("%03d-%g", 7, 0.5)
print s, " ", numel(s)
printf("no arguments")
