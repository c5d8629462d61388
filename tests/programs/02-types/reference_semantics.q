a = [1.0,2,3]
b = a
b[0] = 9
print a
c = copy(a)
c[1] = 7
print a, c
function [] = clear(x)
    x[2] = 0
endfunction
clear(a)
print b
