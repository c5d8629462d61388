v = [1.0,2,3]
print numel(v : vec), " ", (3 : int) + 1
