function s = first_halved(x : vec)
    x[0] = x[0]/2
    s = sum(x)
endfunction
v = [9,2,3]
print first_halved(v)
