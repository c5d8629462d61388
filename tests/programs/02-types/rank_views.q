function n = count(x : cube)
    n = numel(x)
endfunction
v = [1.0,2,3]
m = [[1.0,2],[3,4]]
print count(v), " ", count(m), " ", count(zeros(2,3,4))
print v[0,2]
