function [s, v] = stats(x)
    s = sum(x)
    v = x - s/numel(x)
endfunction
[s, v] = stats([1.0,2,6])
print s, v, type(v)
w : vec = v
print w[0]
