function y = sum(x)
    y = -1
endfunction
print sum([1,2,3])
size = 4
print size + 1
