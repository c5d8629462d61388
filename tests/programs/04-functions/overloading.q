function y = kind(x : int)
    y = "int"
endfunction
function y = kind(x : scalar)
    y = "scalar"
endfunction
function y = kind(x : vec)
    y = "vec"
endfunction
function y = kind(x : mat)
    y = "mat"
endfunction
print kind(1), " ", kind(1.0), " ", kind([1.0,2]), " ", kind([[1.0,2],[3,4]])
