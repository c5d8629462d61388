% Steps that multiply what they set: the extents of 'w' lead back to 'w'.

function w : mat = descended(a : mat, b : mat, steps : int)
    w = zeros(size(a,1), 1)
    for s = 1..steps
        w = w - 0.25 * (transpose(a) * (a*w - b))
    endfor
endfunction

function v : mat = in_turns(a : mat, steps : int)
    v = ones(size(a,0), 2)
    u = v
    for s = 1..steps
        u = a*v - u
        v = v + mod(u, 4)
    endfor
endfunction

function found : vec = of_each(a : cube, b : mat)
    found = zeros(size(a,0))
    for k = 0..size(a,0)-1
        w = b
        for s = 1..3
            w = mod(a[k,:,:]*w + w, 8)
        endfor
        found[k] = sum(w)
    endfor
endfunction

function [] = main()
    a = [[1,0,1],[0,2,0]]
    b = transpose([[3,4]])
    print descended(a, b, 4)
    print in_turns([[1,2],[3,0]], 5)
    c = zeros(70,3,3)
    for k = 0..69
        c[k,mod(k,3),mod(k,2)] = k
    endfor
    print sum(of_each(c, transpose([[1,2,3],[0,1,0]])))
endfunction
