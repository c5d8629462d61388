c = `1,"x"'
print c, " ", numel(c)
