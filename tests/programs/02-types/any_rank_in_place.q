% A compound assignment changes an array of any dimensionality in place, too.
function [] = add(x : cube{:}, n : scalar)
    x += n
endfunction
a = ones(2,2)
add(a, 1)
b : cube{:} = zeros(3)
c = b
c += 2
print b
c .*= c
print b
c = c - 1
print b, c
print a
