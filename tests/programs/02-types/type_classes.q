type number : [scalar|cscalar|int]
function y = twice(x : number)
    y = 2*x
endfunction
print twice(3), " ", twice(1.5), " ", twice(1j)
