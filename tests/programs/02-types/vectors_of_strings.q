s = vec[string](3)
s[0] = "a"
s[2] = "c"
print numel(s), " ", s[1] == "", " ", s[0] + s[2]
