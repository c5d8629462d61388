function y = f(x)
    y = "generic"
endfunction
function y = f(x : scalar)
    y = "scalar"
endfunction
function y = f(x : vec(3))
    y = "vec3"
endfunction
function y = f(x : mat)
    y = "mat"
endfunction
print f(1.5), " ", f([1.0,2,3]), " ", f([1.0,2]), " ", f([[1.0,2],[3,4]]), " ", f("a")
