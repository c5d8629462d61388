function y = square(x)
    y = x.*x
endfunction
print square(3), " ", square(1.5), " ", square([1,2,3]), " ", square(1+1j)
