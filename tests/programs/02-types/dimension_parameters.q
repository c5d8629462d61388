function n = rank[N : int](x : cube{N})
    n = N
endfunction
print rank([1.0,2]), rank(zeros(2,2)), rank(zeros(2,2,2)), rank(zeros(1,2,1,2))
